import { useState } from "preact/hooks";
import { peopleIn, reachedFrom } from "../../call/reached.ts";
import { groupBy } from "../../util/group-by.ts";
import { listed, many } from "../../util/many.ts";
import { phoneText } from "../../util/phone.ts";
import { type Finding, type PreviewMenu, badgeKinds } from "../data.ts";
import { FlowMap } from "./flow-map.tsx";
import { Findings, Links, List, Mark, Section, faultCounts } from "./parts.tsx";
import { type PageProject, menuAddress } from "./view.ts";

/** The page while no menu is open: changes, problems, phone numbers, and the flow of one of them. */
export function Overview({ project }: { readonly project: PageProject }) {
  const { current, data } = project;
  const { menus, environment, base, changes, findings } = data;
  const [chosen, setChosen] = useState(0);
  const counts = faultCounts([...findings, ...menus.flatMap((menu) => menu.findings)]);
  const about = [
    many(current.flatMap(({ numbers }) => numbers).length, "phone number"),
    many(current.length, "menu"),
    environment === null ? [] : `environment ${environment}`,
  ];
  const starts = startsIn(project);
  const shown = starts[chosen] ?? starts[0];
  return (
    <>
      <p class="about">{about.flat().join(" · ")}</p>
      {base !== null && (
        <Section id="changes" heading="What changes for callers">
          {changes.length === 0 && <p>Nothing.</p>}
          <List look="entries" of={changes}>
            {({ keys, lines }) => (
              <>
                <Links menus={keys.flatMap((key) => project.pages.get(key) ?? [])} />
                <List look="reasons" of={lines} />
              </>
            )}
          </List>
        </Section>
      )}
      {counts[0] && (
        <details class="problems" open={findings.some(({ kind }) => kind === "error")}>
          <summary class={counts[0].kind}>{counts.map(({ words }) => words).join(", ")}</summary>
          <Findings findings={[...findings, ...shared(menus)]} />
        </details>
      )}
      {shown && (
        <>
          <section class="numbers" aria-label="Where calls begin">
            <List look="starts" of={starts}>
              {(start) => (
                <>
                  <button
                    type="button"
                    class="start"
                    aria-pressed={start === shown}
                    onClick={() => setChosen(starts.indexOf(start))}
                  >
                    {start.number !== undefined && <b>{phoneText(start.number)} →</b>}{" "}
                    <b>{start.menu.name}</b>{" "}
                    {start.menu.change && <Mark word={start.menu.change.kind} />}
                    <span class="about">{aboutCalls(start.reached)}</span>
                  </button>
                  <a href={menuAddress(start.menu.key)} aria-label={`Call ${start.menu.name}`}>
                    {start.menu.call ? "Call" : "Open"}
                  </a>
                </>
              )}
            </List>
          </section>
          <Section id="picture" heading={`Calls to ${shown.menu.name}`}>
            <FlowMap first={shown.menu} around={project} />
          </Section>
        </>
      )}
    </>
  );
}

/**
 * Where calls begin: the phone numbers, those with the most menus behind them first, then the menus
 * without a number. With the menus in which the call can continue.
 */
function startsIn(project: PageProject) {
  const entries = project.current.filter(({ entry }) => entry);
  const starts = entries.flatMap((menu) => {
    const reached = reachedFrom(menu, (key) => project.pages.get(key));
    const numbers = menu.numbers.length === 0 ? [undefined] : menu.numbers;
    const rank = menu.numbers.length === 0 ? 0 : reached.length;
    return numbers.map((number) => ({ menu, number, reached, rank }));
  });
  return starts.toSorted((a, b) => b.rank - a.rank);
}

/** Whom callers reach who can get to these menus, and what is wrong on the way. */
function aboutCalls(reached: readonly PreviewMenu[]): string {
  const people = peopleIn(reached).map(([{ person }]) => person);
  const names = people.map((person) => {
    const isShared = people.filter((other) => other.name === person.name).length > 1;
    const team = isShared && person.kind === "agent" && person.team;
    return team ? `${person.name} (${team})` : person.name;
  });
  const faults = faultCounts(reached.flatMap(({ findings }) => findings));
  return [
    names.length === 0 ? [] : `reaches ${listed(names, 3)}`,
    reached.length === 1 ? [] : many(reached.length, "menu"),
    faults.map(({ words }) => words),
  ]
    .flat()
    .join(" · ");
}

/** What is wrong with the menus, the worst first. The same problem of several menus is shown once. */
function shared(menus: readonly PreviewMenu[]): Finding[] {
  const all = menus
    .flatMap((menu) => menu.findings.map((finding) => ({ menu, ...finding })))
    .filter(({ kind }) => kind !== "note" && kind !== "passed")
    .sort((a, b) => badgeKinds.indexOf(a.kind) - badgeKinds.indexOf(b.kind));
  return Array.from(
    groupBy(all, ({ kind, text }) => `${kind} ${text}`).values(),
    ([first, ...more]) => ({ ...first, menus: [first, ...more].map(({ menu }) => menu) }),
  );
}
