import { referencesIn, type Menu, withIds } from "../../model/menu.ts";
import { compileProject } from "../../workspace/compile-project.ts";
import { Diagnostics } from "../../diagnostics/diagnostic.ts";
import { readAgents } from "../../project/agents-lock.ts";
import { type ProjectPlace, openProject } from "../../workspace/open-project.ts";
import type { Moment } from "../state/change.ts";
import { listed } from "../../util/many.ts";
import { suggestId } from "../../util/suggest.ts";
import type { WantedMenu } from "./decided.ts";
import { wantedMenu } from "./plan-project.ts";
import type { Desired } from "../../schema/saved-plan.ts";
import { keyFromPath } from "../../project/files.ts";

/** The menus of the files, for those that exist on the service but have no record. */
export interface ExistingMenus {
  /** What the files describe, also those that cannot be read. A link is a reference to its menu. */
  readonly menus: readonly (Desired & Partial<WantedMenu>)[];
  readonly problems: Diagnostics;
}

export async function existingMenus(place: ProjectPlace): Promise<ExistingMenus> {
  const problems = new Diagnostics();
  const project = await openProject(place, { tests: false });
  const agents = readAgents(project, { agentsRequired: true }, problems);
  const compiled = compileProject(project, { agents });
  problems.addAll(compiled.diagnostics);
  const read = new Set(compiled.menus.map(({ source }) => source.file));
  const unread = project.menus.filter(({ file }) => !read.has(file));
  const menus = [
    ...compiled.menus.flatMap((menu) => wantedMenu(menu, compiled, undefined) ?? []),
    ...unread.map(({ file }) => ({ key: keyFromPath(file) })),
  ];
  return { menus, problems };
}

/**
 * The content that each menu has on the service, if its file says the same. Reports menus with errors,
 * and links to menus whose id is not known. Errors in other menus do not matter.
 */
export function existingContents(
  { menus, problems }: ExistingMenus,
  keys: readonly string[],
  ids: ReadonlyMap<string, string>,
  { environment, diagnostics, report }: Omit<Moment, "state">,
): ReadonlyMap<string, Menu> {
  const contents = new Map<string, Menu>();
  const missing = new Map<string, string[]>();
  for (const key of keys) {
    const named = menus.filter((menu) => menu.key === key);
    const described = named.length === 1 ? named[0]?.content : undefined;
    if (described === undefined) {
      const files = new Set([`ivrs/${key}.yaml`, ...named.map(({ at }) => at?.().source.file)]);
      diagnostics.addAll(
        problems,
        ({ file, severity }) =>
          severity === "error" && (files.has(file) || !file.startsWith("ivrs/")),
      );
      continue;
    }
    const content = withIds(described, (to) => ids.get(to));
    for (const to of referencesIn(content)) missing.set(to, [...(missing.get(to) ?? []), key]);
    contents.set(key, content);
  }
  if (missing.size > 0) reportMissing(missing, keys, ids, { environment, report });
  return contents;
}

/** Reports the menus whose ids are needed, with the menus that link to them, and one command for all. */
function reportMissing(
  missing: ReadonlyMap<string, readonly string[]>,
  keys: readonly string[],
  ids: ReadonlyMap<string, string>,
  { environment, report }: Pick<Moment, "environment" | "report">,
): void {
  const sources = [...new Set([...missing.values()].flat())];
  const targets = [...missing.keys()];
  const [menus, are] = targets.length === 1 ? ["menu", "id is"] : ["menus", "ids are"];
  const asked = keys.filter((key) => !missing.has(key));
  const subjects = [
    ...asked.map((key) => [key, ids.get(key) ?? []].flat().join("=")),
    ...targets.map((key) => `${key}=ID`),
  ];
  report(
    `${listed(sources)} ${sources.length === 1 ? "links" : "link"} to the ${menus} ${listed(targets)}, whose ${are} not recorded.`,
    {
      words: `Look up ${targets.length === 1 ? "the id" : "these ids"} on the console, and record ${subjects.length === 2 ? "both" : "all of them"}:`,
      argv: suggestId(subjects, environment),
    },
  );
}
