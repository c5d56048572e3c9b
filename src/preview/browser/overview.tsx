import { many } from "../../util/many.ts";
import type { PreviewBase, PreviewData, PreviewMenu } from "../data.ts";
import {
  Changes,
  Marks,
  Problems,
  Section,
  Worded,
  faultCounts,
  faultsOf,
  looks,
} from "./parts.tsx";
import { addressOf } from "./view.ts";

/** The page while no menu is open: changes, counts and problems. */
export function Overview({ data }: { readonly data: PreviewData }) {
  const { menus, environment, base, problems } = data;
  const current = menus.filter(({ change }) => change?.kind !== "deleted");
  const counts = faultCounts([...faultsOf({ problems, tests: [] }), ...menus.flatMap(faultsOf)]);
  // The worst menus come first.
  const ranked = menus.map((menu) => ({ menu, rank: kinds.indexOf(faultsOf(menu)[0]?.kind) }));
  const faulty = ranked.filter(({ rank }) => rank >= 0).sort((a, b) => a.rank - b.rank);
  return (
    <article>
      <header>
        <h2 tabIndex={-1}>All menus</h2>
        <p class="about counts">
          {environment !== null && <bdi>Environment {environment}: </bdi>}
          {[many(current.length, "menu"), ...counts.map(({ words }) => words)].join(", ")}
        </p>
      </header>
      {base !== null && <Compared base={base} menus={menus} />}
      <ProjectProblems problems={problems} />
      {faulty.length > 0 && (
        <Section id="faulty" heading="Menus with problems">
          <ul class="entries">
            {faulty.map(({ menu }) => (
              <Faulty key={menu.key} menu={menu} />
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

/** What is wrong with a menu, with text and place. Of warnings, the first one, if there is nothing worse. */
function Faulty({ menu }: { readonly menu: PreviewMenu }) {
  const faults = faultsOf(menu);
  const severe = faults.filter(({ kind }) => kind !== "warning");
  return (
    <li>
      <Entry menu={menu} /> <Marks menu={menu} />
      <ul class="reasons">
        {(severe.length === 0 ? faults.slice(0, 1) : severe).map(({ kind, text, place }) => (
          <li key={place + text}>
            <span class={looks[kind]}>{kind}</span>{" "}
            {kind === "failed" ? <bdi>{text}</bdi> : <Worded text={text} />}{" "}
            <code class="place">{place}</code>
          </li>
        ))}
      </ul>
    </li>
  );
}

function Entry({ menu }: { readonly menu: PreviewMenu }) {
  return (
    <a href={addressOf(menu.key)}>
      <bdi>{menu.name ?? menu.key}</bdi>
    </a>
  );
}
