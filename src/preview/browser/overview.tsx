import type { ComponentChildren } from "preact";
import { groupBy } from "../../util/group-by.ts";
import { many } from "../../util/many.ts";
import { type PreviewData, kinds } from "../data.ts";
import { List, Section, Worded, faultCounts } from "./parts.tsx";
import { type Project, menuAddress } from "./view.ts";

interface OverviewProps {
  readonly data: PreviewData;
  readonly project: Project;
  /** The problems of the project. */
  readonly children: ComponentChildren;
}

/** The page while no menu is open: changes, counts and problems. */
export function Overview({ data, project, children }: OverviewProps) {
  const { menus, environment, base, changes, findings } = data;
  const current = menus.filter(({ change }) => change?.kind !== "deleted");
  const counts = faultCounts([...findings, ...menus.flatMap((menu) => menu.findings)]);
  return (
    <article>
      <header>
        <h2 tabIndex={-1}>All menus</h2>
        <p class="about counts">
          {environment !== null && <span>Environment {environment}: </span>}
          {[many(current.length, "menu"), ...counts.map(({ words }) => words)].join(", ")}
        </p>
      </header>
      {base !== null && (
        <Section id="changes" heading="What changes for callers">
          {changes.length === 0 && <p>Nothing.</p>}
          <List look="entries" of={changes}>
            {({ keys, lines }) => (
              <>
                <Links menus={keys.flatMap((key) => project.pages.get(menuAddress(key)) ?? [])} />
                <List look="reasons" of={lines}>
                  {(line) => <span>{line}</span>}
                </List>
              </>
            )}
          </List>
        </Section>
      )}
      {children}
      <Faults menus={menus} />
      {counts.length === 0 && <p>There are no problems. Choose a menu to call it.</p>}
    </article>
  );
}

/** What is wrong with the menus, the worst first. The same problem of several menus is shown once. */
function Faults({ menus }: Pick<PreviewData, "menus">) {
  const all = menus
    .flatMap((menu) => menu.findings.map((finding) => ({ menu, ...finding })))
    .filter(({ kind }) => kind !== "note" && kind !== "passed")
    .sort((a, b) => kinds.indexOf(a.kind) - kinds.indexOf(b.kind));
  if (all.length === 0) return null;
  return (
    <Section id="faulty" heading="Menus with problems">
      <List look="entries" of={[...groupBy(all, ({ kind, text }) => `${kind} ${text}`).values()]}>
        {(findings) => (
          <>
            <b class={findings[0].kind}>{findings[0].kind}</b> <Worded text={findings[0].text} />{" "}
            <Links menus={findings.map(({ menu }) => menu)} />{" "}
            {findings.length === 1 && <code class="place">{findings[0].place}</code>}
          </>
        )}
      </List>
    </Section>
  );
}

/** The most menus that are listed. The list beside the page has all of them. */
const mostLinks = 20;

function Links({ menus }: Pick<PreviewData, "menus">) {
  return (
    <>
      {menus.slice(0, mostLinks).map(({ key, name }, at) => (
        <span key={key}>
          {at > 0 && ", "}
          <a href={menuAddress(key)}>{name ?? key}</a>
        </span>
      ))}
      {menus.length > mostLinks && ` and ${menus.length - mostLinks} more`}
    </>
  );
}
