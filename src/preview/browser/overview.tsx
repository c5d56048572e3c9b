import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { peopleIn } from "../../call/reached.ts";
import { groupBy } from "../../util/group-by.ts";
import { listed, many } from "../../util/many.ts";
import { phoneText } from "../../util/phone.ts";
import { type PreviewData, type PreviewMenu, badgeKinds } from "../data.ts";
import { FlowMap } from "./flow-map.tsx";
import { Links, List, Marks, Section, Worded, faultCounts } from "./parts.tsx";
import { type PageProject, flowFrom, byNumberAndName, menuAddress } from "./view.ts";

interface OverviewProps {
  readonly data: PreviewData;
  readonly project: PageProject;
  /** The problems of the project. */
  readonly children: ComponentChildren;
}

/** The page while no menu is open: changes, problems, phone numbers, and the flow of one of them. */
export function Overview({ data, project, children }: OverviewProps) {
  const { menus, environment, base, changes, findings } = data;
  const current = menus.filter(({ change }) => change?.kind !== "deleted");
  const counts = faultCounts([...findings, ...menus.flatMap((menu) => menu.findings)]);
  const about = [
    many(current.flatMap(({ numbers }) => numbers).length, "phone number"),
    many(current.length, "menu"),
    environment === null ? [] : `environment ${environment}`,
  ];
  return (
    <article>
      <header>
        <h2 tabIndex={-1}>Overview</h2>
        <p class="about counts">{about.flat().join(" · ")}</p>
      </header>
      {base !== null && (
        <Section id="changes" heading="What changes for callers">
          {changes.length === 0 && <p>Nothing.</p>}
          <List look="entries" of={changes}>
            {({ keys, lines }) => (
              <>
                <Links menus={keys.flatMap((key) => project.pages.get(key) ?? [])} />
                <List look="reasons" of={lines}>
                  {(line) => <span>{line}</span>}
                </List>
              </>
            )}
          </List>
        </Section>
      )}
      {counts.length > 0 && (
        <details class="problems" open={findings.some(({ kind }) => kind === "error")}>
          <summary>{counts.map(({ words }) => words).join(", ")}</summary>
          {children}
          <Faults menus={menus} />
        </details>
      )}
      <Numbers menus={current} project={project} />
    </article>
  );
}

/** The most numbers that are shown before the flow. */
const mostNumbers = 8;

/** A line for each phone number and each other menu where calls begin, and the flow of the chosen one. */
function Numbers({
  menus,
  project,
}: Pick<PreviewData, "menus"> & { readonly project: PageProject }) {
  const [chosen, setChosen] = useState(0);
  const entries = byNumberAndName(menus.filter(({ entry }) => entry)).map((menu) => ({
    menu,
    reached: flowFrom(menu, project),
  }));
  // The numbers with the most menus behind them come first.
  const byNumber = ({ menu: { numbers }, reached }: (typeof entries)[number]) =>
    numbers.length === 0 ? 0 : reached.length;
  const starts = entries
    .toSorted((a, b) => byNumber(b) - byNumber(a))
    .flatMap(({ menu, reached }) => {
      const { numbers } = menu;
      const shown = numbers.length === 0 ? [undefined] : numbers;
      return shown.map((number) => ({ menu, reached, number }));
    });
  const rows = starts.map((start, at) => (
    <li key={at}>
      <Start {...start} isChosen={at === chosen} choose={() => setChosen(at)} />
    </li>
  ));
  const first = starts[chosen]?.menu ?? starts[0]?.menu;
  if (first === undefined) return null;
  return (
    <>
      <section class="numbers" aria-label="Where calls begin">
        <ul>{rows.slice(0, mostNumbers)}</ul>
        {rows.length > mostNumbers && (
          <details>
            <summary>{rows.length - mostNumbers} more</summary>
            <ul>{rows.slice(mostNumbers)}</ul>
          </details>
        )}
      </section>
      <Section id="picture" heading={`Calls to ${first.name}`}>
        <FlowMap first={first} around={project} />
      </Section>
    </>
  );
}

interface StartProps {
  readonly menu: PreviewMenu;
  readonly number: string | undefined;
  /** The menus in which the call can continue. */
  readonly reached: readonly PreviewMenu[];
  readonly isChosen: boolean;
  readonly choose: () => void;
}

/** A phone number, or a menu without one: whom callers reach, and what is wrong on the way. */
function Start({ menu, number, reached, isChosen, choose }: StartProps) {
  const { key, name } = menu;
  const people = peopleIn(reached).map(([{ person }]) => person);
  const isShared = ({ name: own }: { name: string }) =>
    people.filter((person) => person.name === own).length > 1;
  const names = people.map((person) =>
    isShared(person) && person.kind === "agent" && person.team
      ? `${person.name} (${person.team})`
      : person.name,
  );
  const about = [
    names.length === 0 ? [] : `reaches ${listed(names, 3)}`,
    reached.length === 1 ? [] : many(reached.length, "menu"),
    faultCounts(reached.flatMap(({ findings }) => findings)).map(({ words }) => words),
  ];
  return (
    <>
      <button type="button" class="start" aria-pressed={isChosen} onClick={choose}>
        <span class="name">
          {number !== undefined && <b class="number">{phoneText(number)}</b>}{" "}
          <b>{number === undefined ? name : `→ ${name}`}</b>{" "}
          {menu.change && <Marks menu={{ ...menu, findings: [] }} />}
        </span>
        <span class="about">{about.flat().join(" · ")}</span>
      </button>
      <a href={menuAddress(key)} aria-label={`Call ${name}`}>
        {menu.call ? "Call" : "Open"}
      </a>
    </>
  );
}

/** What is wrong with the menus, the worst first. The same problem of several menus is shown once. */
function Faults({ menus }: Pick<PreviewData, "menus">) {
  const all = menus
    .flatMap((menu) => menu.findings.map((finding) => ({ menu, ...finding })))
    .filter(({ kind }) => kind !== "note" && kind !== "passed")
    .sort((a, b) => badgeKinds.indexOf(a.kind) - badgeKinds.indexOf(b.kind));
  return (
    <List look="entries" of={[...groupBy(all, ({ kind, text }) => `${kind} ${text}`).values()]}>
      {(findings) => (
        <>
          <b class={findings[0].kind}>{findings[0].kind}</b> <Worded text={findings[0].text} />{" "}
          <Links menus={findings.map(({ menu }) => menu)} />{" "}
          {findings.length === 1 && <code class="place">{findings[0].place}</code>}
        </>
      )}
    </List>
  );
}
