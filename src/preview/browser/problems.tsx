import { groupBy } from "../../util/group-by.ts";
import { type Finding, badgeKinds } from "../data.ts";
import { Items } from "./parts.tsx";
import { Problem } from "./problem.tsx";
import { useProject } from "./project.ts";
import type { PageProject } from "./view.ts";

/** What is wrong, one sentence each, the worst first. */
export function Problems() {
  const all = problemsOf(useProject());
  if (all.length === 0) return <p class="soft">There are no problems, and all tests pass.</p>;
  return <Items of={all}>{(finding) => <Problem finding={finding} />}</Items>;
}

/** Problems, failed tests and warnings with their menus. The same problem of several menus is one. */
export function problemsOf({ data, current }: PageProject): Finding[] {
  const ofMenus = current.flatMap((menu) =>
    menu.findings.map((finding) => ({ ...finding, menus: [menu] })),
  );
  const all = [...data.findings.map((finding) => ({ ...finding, menus: [] })), ...ofMenus]
    .filter(({ kind }) => kind !== "note" && kind !== "passed")
    .sort((a, b) => badgeKinds.indexOf(a.kind) - badgeKinds.indexOf(b.kind));
  return Array.from(
    groupBy(all, ({ kind, text }) => `${kind} ${text}`).values(),
    ([first, ...more]) => ({ ...first, menus: [first, ...more].flatMap(({ menus }) => menus) }),
  );
}
