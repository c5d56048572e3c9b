import type { Agents } from "../../compile/agents.ts";
import type { CompiledMenu, ResolvedMenu } from "../../compile/menu.ts";
import { type CompiledProject, compileProject } from "../../compile/compile-project.ts";
import { findSnapshot, readSnapshot, snapshotName } from "../../project/agents-lock.ts";
import { type Files, configName } from "../../project/files.ts";
import { type ProjectPlace, openFiles } from "../../project/open-project.ts";
import { readRevision } from "../../project/revision.ts";
import type { MenuContent } from "../../schema/plan.ts";
import { compiledContent } from "./names.ts";
import { type Diagnostic, Diagnostics } from "../../diagnostics/diagnostic.ts";
import { groupBy } from "../../util/group-by.ts";

/** The menus of a revision. */
export interface PastMenus {
  readonly menus: readonly PastMenu[];
}

interface PastMenu {
  readonly key: string;
  readonly name: string;
  /** Null if the menu was invalid. */
  readonly content: MenuContent | null;
  readonly menu: ResolvedMenu;
}

interface Asked {
  readonly ref: string;
  readonly place: ProjectPlace;
  readonly environment: string;
  /** The current agent list. */
  readonly agents: Agents;
}

interface Request extends Asked {
  readonly files: Files;
  readonly compile: (agents: Agents) => CompiledProject;
}

/** The menus of a git revision; undefined if git cannot read it. */
export async function pastMenus(
  asked: Asked,
  diagnostics: Diagnostics,
): Promise<(PastMenus & { readonly commit: string }) | undefined> {
  const { ref, place, environment } = asked;
  const { root, host } = place;
  const read = await readRevision({ root, host, ref, environment }, diagnostics);
  if (read === undefined) return undefined;
  const { files, commit } = read;
  const project = openFiles(files, { environment, variables: host.env });
  // Rules apply to the current files only.
  const compile = (agents: Agents) => compileProject(project, { agents, lint: false });
  return { ...menusIn({ ...asked, files, compile }, diagnostics), commit };
}

const nothing: PastMenus = { menus: [] };

/**
 * The menus of a revision, as far as they can be read. Errors in old files are reported
 * as warnings.
 */
function menusIn(request: Request, diagnostics: Diagnostics): PastMenus {
  const { ref, agents, compile } = request;
  const project = compile(agents);
  const errors = project.diagnostics.sorted().filter(({ severity }) => severity === "error");
  if (project.environment === undefined && isNew(request, errors, diagnostics)) return nothing;
  const withOld =
    project.environment === undefined
      ? new Map<string, CompiledMenu>()
      : withOldAgents(request, project);
  const past = project.menus.map((menu) => {
    const compiled = project.compiled.get(menu) ?? withOld.get(idOf(menu));
    return {
      menu: compiled?.menu ?? menu,
      content: compiled === undefined ? null : compiledContent(compiled),
    };
  });
  const isReported = new Set(
    past.flatMap(({ menu, content }) =>
      withOld.has(idOf(menu)) && content !== null ? menu.source.file : [],
    ),
  );
  for (const [file, [first, ...more]] of groupBy(errors, ({ file }) => file)) {
    // Problems with the configuration are reported above, those with agents below.
    if (isReported.has(file) || project.environment === undefined) continue;
    const others = more.length === 0 ? "" : ` (and ${more.length} more)`;
    diagnostics.addAt(
      "IVR644",
      { file },
      `At ${ref}, this file was invalid (line ${first.line}): ${first.message}${others} Its menus cannot be compared.`,
    );
  }
  reportAgents(request, withOld, diagnostics);
  return {
    menus: past.flatMap(({ menu, content }) => {
      const { key, name } = menu;
      if (key === undefined) return [];
      return { key, name: content?.payload.name ?? name?.value ?? key, content, menu };
    }),
  };
}

/** Reports why no menu can be compiled. Returns true if there was no project, so every menu is new. */
function isNew(
  { ref, environment }: Request,
  errors: readonly Diagnostic[],
  diagnostics: Diagnostics,
): boolean {
  const report = (what: string) =>
    diagnostics.addAt("IVR644", { file: configName }, `At ${ref}, ${what}`);
  const first = errors.find(({ file }) => file === configName);
  if (first?.code === "IVR402") {
    report(`there was no environment \`${environment}\`. Every menu is new.`);
    return true;
  }
  if (first === undefined || first.code === "IVR126") {
    report(`there was no ${configName}. Every menu is new.`);
    return true;
  }
  report(
    `the configuration was invalid (line ${first.line}): ${first.message} Its menus cannot be compared.`,
  );
  return false;
}

/** The menus with agents who have left since, compiled with the agent list of the revision. */
function withOldAgents(
  { files, compile }: Request,
  project: CompiledProject,
): Map<string, CompiledMenu> {
  const broken = new Set(
    project.menus.filter((menu) => menu.key !== undefined && !project.compiled.has(menu)).map(idOf),
  );
  const agents =
    broken.size > 0 ? readSnapshot(files, project.environment?.name, new Diagnostics()) : undefined;
  const compiled = agents === undefined ? [] : compile(agents).compiled;
  return new Map(
    [...compiled].flatMap(([menu, own]) => (broken.has(idOf(menu)) ? [[idOf(menu), own]] : [])),
  );
}

function reportAgents(
  { ref, environment, files }: Request,
  menus: ReadonlyMap<string, CompiledMenu>,
  diagnostics: Diagnostics,
): void {
  if (menus.size === 0) return;
  const keys = [...menus.values()].map(({ key }) => `\`${key}\``).join(", ");
  diagnostics.addAt(
    "IVR644",
    { file: findSnapshot(files, environment) ?? snapshotName },
    `At ${ref}, these menus name agents who have left or are blocked now: ${keys}. They are shown with the agent list of that revision.`,
  );
}

/** Returns an id for a menu that does not depend on the agent list. */
function idOf({ key, source }: ResolvedMenu): string {
  return `${key ?? ""} ${source.file}`;
}
