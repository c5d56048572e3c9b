import type { ComponentChildren } from "preact";
import { many } from "../../util/many.ts";
import { severityWords } from "../../views/diagnostics/severity.ts";
import type { PreviewData, PreviewMenu, PreviewProblem } from "../data.ts";
import { Mark, Marks, Problems, Section, Worded, faultsOf } from "./parts.tsx";
import { addressOf } from "./search.ts";
import { changedParts } from "./sheet.tsx";
import { shownOf } from "./versions.ts";

/** The page while no menu is open: changes, problems, counts, and where calls begin. */
export function Overview({ data }: { readonly data: PreviewData }) {
  const { menus, environment, base } = data;
  const current = menus.filter(({ change }) => change?.kind !== "deleted");
  const tests = menus.flatMap((menu) => menu.tests);
  const failed = tests.filter(({ passed }) => !passed).length;
  const problems = [...data.problems, ...menus.flatMap((menu) => menu.problems)];
  const [errors, warnings] = [count(problems, "error"), count(problems, "warning")];
  const changed = menus.filter(({ change }) => change !== undefined).sort(mostFirst);
  const faulty = menus.filter((menu) => rank(menu) < 3).sort((a, b) => rank(a) - rank(b));
  const entries = current.filter(({ entry }) => entry);
  return (
    <article>
      <header>
        <h2 tabIndex={-1}>All menus</h2>
        <p class="about counts">
          {environment !== null && <bdi>Environment {environment}: </bdi>}
          {many(current.length, "menu")}, {many(errors, "error")}, {many(warnings, "warning")},{" "}
          {tests.length === 0 ? "no tests" : `${failed} of ${many(tests.length, "test")} failed`}
        </p>
      </header>
      {base !== null && (
        <Section id="changes" heading={`Changes since ${base.name}`}>
          {changed.length === 0 ? (
            <p>No menu has changed for callers.</p>
          ) : (
            <List items={changed} item={(menu) => <Change menu={menu} data={data} />} />
          )}
        </Section>
      )}
      <ProjectProblems problems={data.problems} />
      {faulty.length > 0 && (
        <Section id="faulty" heading="Menus with problems">
          <List items={faulty} item={(menu) => <Faulty menu={menu} />} />
        </Section>
      )}
      {entries.length > 0 && (
        <Section id="starts" heading="Calls begin in">
          <List items={entries} item={(menu) => <Entry menu={menu} />} />
        </Section>
      )}
    </article>
  );
}

/** Problems of the configuration, the agent list and test files. */
export function ProjectProblems({ problems }: Pick<PreviewData, "problems">) {
  if (problems.length === 0) return null;
  return (
    <Section id="project" heading="Problems in the project">
      <Problems problems={problems} />
    </Section>
  );
}

/** The maximum number of menus of a list that are shown at first. */
const mostItems = 10;

interface ListProps {
  readonly items: readonly PreviewMenu[];
  readonly item: (menu: PreviewMenu) => ComponentChildren;
}

function List({ items, item }: ListProps) {
  const [first, rest] = [items.slice(0, mostItems), items.slice(mostItems)];
  const list = (own: readonly PreviewMenu[]) => (
    <ul class="entries">
      {own.map((menu) => (
        <li key={menu.key}>{item(menu)}</li>
      ))}
    </ul>
  );
  return (
    <>
      {list(first)}
      {rest.length > 0 && (
        <details>
          <summary>Show {many(rest.length, "more menu")}</summary>
          {list(rest)}
        </details>
      )}
    </>
  );
}

/** What is wrong with a menu, with the text and the place of each error, or of the first warning. */
function Faulty({ menu }: { readonly menu: PreviewMenu }) {
  const errors = menu.problems.filter(({ severity }) => severity === "error");
  const failed = [...menu.tests, ...menu.broken].filter(({ passed }) => !passed);
  const warning = menu.problems.find(({ severity }) => severity === "warning");
  const shown = errors.length === 0 && failed.length === 0 && warning ? [warning] : errors;
  return (
    <>
      <Entry menu={menu} /> <Marks menu={menu} />
      <ul class="reasons">
        {shown.map(({ severity, message, place }) => (
          <li key={place + message}>
            <span class={severity === "error" ? "bad" : "warned"}>{severityWords[severity]}</span>{" "}
            <Worded text={message} /> <code class="place">{place}</code>
          </li>
        ))}
        {failed.map(({ name, place }) => (
          <li key={place + name}>
            <span class="bad">failed</span> <bdi>{name}</bdi> <code class="place">{place}</code>
          </li>
        ))}
      </ul>
    </>
  );
}

function Change({ menu, data }: { readonly menu: PreviewMenu; readonly data: PreviewData }) {
  const { now, before } = shownOf(menu, data);
  const others = menu.change?.others.map(({ what }) => what) ?? [];
  const parts = now && before ? [...changedParts(now, before), ...others] : others;
  return (
    <>
      <Entry menu={menu} /> {menu.change && <Mark word={menu.change.kind} />}{" "}
      {menu.change?.kind === "moved" ? (
        <>
          from <code>{menu.change.from}</code>
        </>
      ) : (
        parts.join(", ")
      )}
    </>
  );
}

function Entry({ menu }: { readonly menu: PreviewMenu }) {
  return (
    <a href={addressOf(menu.key)}>
      <bdi>{menu.name ?? menu.key}</bdi>
    </a>
  );
}

/** The changes that callers notice before the others. */
function mostFirst(a: PreviewMenu, b: PreviewMenu): number {
  const order = ({ change }: PreviewMenu) =>
    ["changed", "new", "deleted", "moved"].indexOf(change?.kind ?? "");
  return order(a) - order(b);
}

/** Menus with errors come before menus with failed tests, and these before menus with warnings. */
function rank(menu: PreviewMenu): number {
  if (count(menu.problems, "error") > 0) return 0;
  const look = faultsOf(menu)[0]?.look;
  return look === "bad" ? 1 : look === "warned" ? 2 : 3;
}

function count(problems: readonly PreviewProblem[], severity: PreviewProblem["severity"]): number {
  return problems.filter((problem) => problem.severity === severity).length;
}
