import { isAbout } from "../../../diagnostics/groups.ts";
import type { Agents } from "../../../project/agent-list.ts";
import { compileProject } from "../../../workspace/compile-project.ts";
import type { ResolvedMenu } from "../../../compile/compiled-menu.ts";
import { Diagnostics } from "../../../diagnostics/diagnostic.ts";
import { findSnapshot, readSnapshot, snapshotName } from "../../../project/agents-lock.ts";
import { type Files, configName } from "../../../project/files.ts";
import { type ProjectPlace, openFiles } from "../../../workspace/open-project.ts";
import { readRevision } from "../../../project/revision.ts";
import type { ComparedMenu } from "./plan-since.ts";
import { groupBy } from "../../../util/group-by.ts";

export interface PastMenus {
  readonly commit: string;
  readonly menus: readonly PastMenu[];
}

interface PastMenu extends ComparedMenu {
  readonly name: string;
  readonly menu: ResolvedMenu;
}

interface Asked {
  readonly ref: string;
  readonly place: ProjectPlace;
  readonly environment: string;
  /** The current agent list. */
  readonly agents: Agents;
  /** The files to compare with, if they are not those of a revision. */
  readonly past?: Files | undefined;
}

/**
 * The menus of a git revision, as far as they can be read; undefined if git cannot read it. Errors in
 * old files are reported as warnings.
 */
export async function pastMenus(
  { ref, place, environment, agents, past }: Asked,
  diagnostics: Diagnostics,
): Promise<PastMenus | undefined> {
  const { root, host } = place;
  const read = past
    ? { files: past, commit: "" }
    : await readRevision({ root, host, ref, environment, tests: true }, diagnostics);
  if (read === undefined) return undefined;
  const { files, commit } = read;
  const opened = openFiles(files, { environment, variables: host.env });
  // Rules apply to the current files only.
  const compile = (list: Agents) => compileProject(opened, { agents: list, lint: false });
  const report = (file: string, what: string) =>
    diagnostics.addAt("IVR644", { file }, `At ${ref}, ${what}`);
  const project = compile(agents);
  const errors = project.diagnostics.sorted().filter(({ severity }) => severity === "error");
  if (project.environment === undefined) {
    const invalid = errors.find(
      (one) => one.file === configName && !isAbout(one, "no configuration"),
    );
    if (invalid === undefined) {
      report(configName, `there was no environment \`${environment}\`. Every menu is new.`);
      return { commit, menus: [] };
    }
    const why = `the configuration was invalid (line ${invalid.line}): ${invalid.message}`;
    report(configName, `${why} Its menus cannot be compared.`);
  }
  // Menus with agents who have left since are compiled with the agent list of the revision.
  const broken = new Set(
    project.menus.filter((menu) => menu.key && !project.compiled.has(menu)).map(identity),
  );
  const snapshot =
    project.environment && broken.size > 0
      ? readSnapshot(files, environment, new Diagnostics())
      : undefined;
  const withOldAgents = new Map(
    snapshot &&
      [...compile(snapshot).compiled.values()].flatMap((found) =>
        broken.has(identity(found.menu)) ? [[identity(found.menu), found]] : [],
      ),
  );
  const old = [...withOldAgents.values()];
  // Problems with the configuration are reported above, those with agents below.
  const isReported = new Set(old.map(({ menu }) => menu.source.file));
  for (const [file, [first, ...more]] of groupBy(errors, (error) => error.file)) {
    if (isReported.has(file) || project.environment === undefined) continue;
    const others = more.length === 0 ? "" : ` (and ${more.length} more)`;
    const why = `this file was invalid (line ${first.line}): ${first.message}${others}`;
    report(file, `${why} Its menus cannot be compared.`);
  }
  if (old.length > 0) {
    const keys = old.map(({ key }) => `\`${key}\``).join(", ");
    report(
      findSnapshot(files, environment) ?? snapshotName,
      `these menus have agents who have left or are blocked now: ${keys}. They are shown with that revision's agent list.`,
    );
  }
  return {
    commit,
    menus: project.menus.flatMap((read): PastMenu[] => {
      const compiled = project.compiled.get(read) ?? withOldAgents.get(identity(read));
      const { menu } = compiled ?? { menu: read };
      const { key, name } = menu;
      if (key === undefined) return [];
      const content = compiled?.content ?? null;
      const numbers = menu.numbers.map(({ value }) => value);
      return [{ key, name: content?.name ?? name?.value ?? key, content, menu, numbers }];
    }),
  };
}

/** There was no configuration, or it did not have the environment. */

/** Identifies a menu in two compilations with different agent lists. */
function identity({ key, source }: ResolvedMenu): string {
  return `${key ?? ""} ${source.file}`;
}
