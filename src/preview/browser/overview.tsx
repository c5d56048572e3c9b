import type { ComponentChildren } from "preact";
import { many } from "../../util/many.ts";
import { severityNames } from "../../views/diagnostics/severity.ts";
import type { PreviewBase, PreviewData, PreviewMenu } from "../data.ts";
import { Changes, Marks, Problems, Section, Worded, countOf, faultsOf } from "./parts.tsx";
import { addressOf } from "./search.ts";

/** The page while no menu is open: changes, problems, counts, and where calls begin. */
export function Overview({ data }: { readonly data: PreviewData }) {
  const { menus, environment, base } = data;
  const current = menus.filter(({ change }) => change?.kind !== "deleted");
  const tests = menus.flatMap((menu) => menu.tests);
  const failed = tests.filter(({ passed }) => !passed).length;
  const problems = [...data.problems, ...menus.flatMap((menu) => menu.problems)];
  const faulty = menus.filter((menu) => rank(menu) < 3).sort((a, b) => rank(a) - rank(b));
  const entries = current.filter(({ entry }) => entry);
  return (
    <article>
      <header>
        <h2 tabIndex={-1}>All menus</h2>
        <p class="about counts">
          {environment !== null && <bdi>Environment {environment}: </bdi>}
          {many(current.length, "menu")}, {many(countOf(problems, "error"), "error")},{" "}
          {many(countOf(problems, "warning"), "warning")},{" "}
          {tests.length === 0 ? "no tests" : `${failed} of ${many(tests.length, "test")} failed`}
        </p>
      </header>
      {base !== null && <Compared base={base} menus={menus} />}
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

/** What changes for callers, grouped as in a plan. Each menu is a link. */
function Compared({ base, menus }: { readonly base: PreviewBase } & Pick<PreviewData, "menus">) {
  const { rows } = base;
  const byKey = new Map(menus.map((menu) => [menu.key, menu]));
  return (
    <Section id="changes" heading="What changes for callers">
      {rows.length === 0 && <p>Nothing.</p>}
      <ul class="entries">
        {rows.map(({ keys, subject, lines }) => {
          const own = keys.flatMap((key) => byKey.get(key) ?? []);
          return (
            <li key={keys[0]}>
              {own.length > 1 && <strong>{subject}: </strong>}
              {own.map((menu, at) => (
                <span key={menu.key}>
                  {at > 0 && ", "}
                  <Entry menu={menu} />
                </span>
              ))}
              <Changes lines={lines} />
            </li>
          );
        })}
      </ul>
    </Section>
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
  const list = (own: readonly PreviewMenu[]) => (
    <ul class="entries">
      {own.map((menu) => (
        <li key={menu.key}>{item(menu)}</li>
      ))}
    </ul>
  );
  return (
    <>
      {list(items.slice(0, mostItems))}
      {items.length > mostItems && (
        <details>
          <summary>Show {many(items.length - mostItems, "more menu")}</summary>
          {list(items.slice(mostItems))}
        </details>
      )}
    </>
  );
}

/** What is wrong with a menu, with the text and the place of each error, or of the first warning. */
function Faulty({ menu }: { readonly menu: PreviewMenu }) {
  const errors = menu.problems.filter(({ severity }) => severity === "error");
  const failed = [...menu.tests, ...menu.broken].filter(({ passed }) => !passed);
  const warnings = menu.problems.filter(({ severity }) => severity === "warning");
  const shown = errors.length + failed.length === 0 ? warnings.slice(0, 1) : errors;
  return (
    <>
      <Entry menu={menu} /> <Marks menu={menu} />
      <ul class="reasons">
        {shown.map(({ severity, message, place }) => (
          <li key={place + message}>
            <span class={severity === "error" ? "bad" : "warned"}>{severityNames[severity]}</span>{" "}
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

function Entry({ menu }: { readonly menu: PreviewMenu }) {
  return (
    <a href={addressOf(menu.key)}>
      <bdi>{menu.name ?? menu.key}</bdi>
    </a>
  );
}

/** Menus with errors come before menus with failed tests, and these before menus with warnings. */
function rank(menu: PreviewMenu): number {
  if (countOf(menu.problems, "error") > 0) return 0;
  const look = faultsOf(menu)[0]?.look;
  return look === "bad" ? 1 : look === "warned" ? 2 : 3;
}
