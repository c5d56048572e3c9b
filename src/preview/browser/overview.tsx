import { useState } from "preact/hooks";
import { peopleIn } from "../../call/reached.ts";
import { groupBy } from "../../util/group-by.ts";
import { listed, many } from "../../util/many.ts";
import { phoneText } from "../../util/phone.ts";
import { type PreviewMenu, badgeKinds } from "../data.ts";
import { FlowMap } from "./flow-map.tsx";
import { Findings, Links, List, Mark, Section, type SharedFinding, faultCounts } from "./parts.tsx";
import { type PageProject, flowFrom, byNumberAndName, isDeleted, menuAddress } from "./view.ts";

/** The page while no menu is open: changes, problems, phone numbers, and the flow of one of them. */
export function Overview({ project }: { readonly project: PageProject }) {
  const { menus, environment, base, changes, findings } = project.data;
  const [chosen, setChosen] = useState(0);
  const current = menus.filter((menu) => !isDeleted(menu));
  const counts = faultCounts([...findings, ...menus.flatMap((menu) => menu.findings)]);
  const about = [
    many(current.flatMap(({ numbers }) => numbers).length, "phone number"),
    many(current.length, "menu"),
    environment === null ? [] : `environment ${environment}`,
  ];
  const starts = startsIn(current, project);
  const shown = starts[chosen] ?? starts[0];
  return (
    <article>
      <header>
        <h2 tabIndex={-1}>Overview</h2>
        <p class="about">{about.flat().join(" · ")}</p>
      </header>
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
      {counts.length > 0 && (
        <details class="problems" open={findings.some(({ kind }) => kind === "error")}>
          <summary>{counts.map(({ words }) => words).join(", ")}</summary>
          <Findings findings={[...findings, ...shared(menus)]} />
        </details>
      )}
      {shown && (
        <>
          <section class="numbers" aria-label="Where calls begin">
            <ul>
              {starts.map((start, at) => (
                <li key={at}>
                  <Row {...start} isChosen={start === shown} choose={() => setChosen(at)} />
                </li>
              ))}
            </ul>
          </section>
          <Section id="picture" heading={`Calls to ${shown.menu.name}`}>
            <FlowMap first={shown.menu} around={project} />
          </Section>
        </>
      )}
    </article>
  );
}

/**
 * Where calls begin: the phone numbers, those with the most menus behind them first, then the menus
 * without a number. With the menus in which the call can continue.
 */
function startsIn(menus: readonly PreviewMenu[], project: PageProject) {
  const starts = byNumberAndName(menus.filter(({ entry }) => entry)).flatMap((menu) => {
    const reached = flowFrom(menu, project);
    const numbers = menu.numbers.length === 0 ? [undefined] : menu.numbers;
    const rank = menu.numbers.length === 0 ? 0 : reached.length;
    return numbers.map((number) => ({ menu, number, reached, rank }));
  });
  return starts.toSorted((a, b) => b.rank - a.rank);
}

type RowProps = Omit<ReturnType<typeof startsIn>[number], "rank"> & {
  readonly isChosen: boolean;
  readonly choose: () => void;
};

/** Whom callers reach from a start, and what is wrong on the way. */
function Row({ menu, number, reached, isChosen, choose }: RowProps) {
  const { key, name, change, call } = menu;
  const people = peopleIn(reached).map(([{ person }]) => person);
  const names = people.map((person) => {
    const isShared = people.filter((other) => other.name === person.name).length > 1;
    const team = isShared && person.kind === "agent" && person.team;
    return team ? `${person.name} (${team})` : person.name;
  });
  const about = [
    names.length === 0 ? [] : `reaches ${listed(names, 3)}`,
    reached.length === 1 ? [] : many(reached.length, "menu"),
    faultCounts(reached.flatMap(({ findings }) => findings)).map(({ words }) => words),
  ];
  return (
    <>
      <button type="button" class="start" aria-pressed={isChosen} onClick={choose}>
        {number !== undefined && <b>{phoneText(number)} →</b>} <b>{name}</b>{" "}
        {change && <Mark word={change.kind} />}
        <span class="about">{about.flat().join(" · ")}</span>
      </button>
      <a href={menuAddress(key)} aria-label={`Call ${name}`}>
        {call ? "Call" : "Open"}
      </a>
    </>
  );
}

/** What is wrong with the menus, the worst first. The same problem of several menus is shown once. */
function shared(menus: readonly PreviewMenu[]): SharedFinding[] {
  const all = menus
    .flatMap((menu) => menu.findings.map((finding) => ({ menu, ...finding })))
    .filter(({ kind }) => kind !== "note" && kind !== "passed")
    .sort((a, b) => badgeKinds.indexOf(a.kind) - badgeKinds.indexOf(b.kind));
  return Array.from(
    groupBy(all, ({ kind, text }) => `${kind} ${text}`).values(),
    ([first, ...more]) => ({ ...first, menus: [first, ...more].map(({ menu }) => menu) }),
  );
}
