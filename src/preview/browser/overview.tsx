import { groupBy } from "../../util/group-by.ts";
import { many } from "../../util/many.ts";
import type { PreviewData, PreviewMenu } from "../data.ts";
import {
  Changes,
  Marks,
  Problems,
  Section,
  Worded,
  faultCounts,
  menuFaults,
  looks,
} from "./parts.tsx";
import { menuAddress } from "./view.ts";

/** The page while no menu is open: changes, counts and problems. */
export function Overview({ data }: { readonly data: PreviewData }) {
  const { menus, environment, base, changes, problems } = data;
  const current = menus.filter(({ change }) => change?.kind !== "deleted");
  const counts = faultCounts([
    ...menuFaults({ problems, tests: [] }),
    ...menus.flatMap(menuFaults),
  ]);
  const groups = groupBy(menus, (menu) =>
    JSON.stringify(menuFaults(menu).map(({ kind, text }) => [kind, text])),
  );
  const rankOf = (menu: PreviewMenu) => kinds.indexOf(menuFaults(menu)[0]?.kind);
  // The worst menus come first.
  const faulty = [...groups.values()]
    .filter(([menu]) => rankOf(menu) >= 0)
    .sort(([a], [b]) => rankOf(a) - rankOf(b));
  return (
    <article>
      <header>
        <h2 tabIndex={-1}>All menus</h2>
        <p class="about counts">
          {environment !== null && <bdi>Environment {environment}: </bdi>}
          {[many(current.length, "menu"), ...counts.map(({ words }) => words)].join(", ")}
        </p>
      </header>
      {base !== null && <Compared changes={changes} menus={menus} />}
      <ProjectProblems problems={problems} />
      {faulty.length > 0 && (
        <Section id="faulty" heading="Menus with problems">
          <ul class="entries">
            {faulty.map((own) => (
              <Faulty key={own[0].key} menus={own} />
            ))}
          </ul>
        </Section>
      )}
      {counts.length === 0 && <p>There are no problems. Choose a menu to call it.</p>}
    </article>
  );
}

const kinds: readonly unknown[] = ["error", "failed", "warning"];

/** What changes for callers, grouped as in a plan. Each menu is a link. */
function Compared({ changes: rows, menus }: Pick<PreviewData, "changes" | "menus">) {
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
              <Entries menus={own} />
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

/** Menus with the same problems: each problem with its text and, of a single menu, its place. */
function Faulty({ menus }: { readonly menus: readonly [PreviewMenu, ...PreviewMenu[]] }) {
  const [first, ...others] = menus;
  return (
    <li>
      <Entries menus={menus} /> {others.length === 0 && <Marks menu={first} />}
      <ul class="reasons">
        {menuFaults(first).map(({ kind, text, place }) => (
          <li key={place + text}>
            <span class={looks[kind]}>{kind}</span>{" "}
            {kind === "failed" ? <bdi>{text}</bdi> : <Worded text={text} />}{" "}
            {others.length === 0 && <code class="place">{place}</code>}
          </li>
        ))}
      </ul>
    </li>
  );
}

/** Links to menus. */
function Entries({ menus }: { readonly menus: readonly PreviewMenu[] }) {
  return (
    <>
      {menus.map(({ key, name }, at) => (
        <span key={key}>
          {at > 0 && ", "}
          <a href={menuAddress(key)}>
            <bdi>{name ?? key}</bdi>
          </a>
        </span>
      ))}
    </>
  );
}
