import type { Agents } from "../compile/agents.ts";
import type { CompiledMenu } from "../compile/compile.ts";
import type { CompiledProject } from "../compile/project.ts";
import { readAgentList } from "../compile/read/agent-list.ts";
import { configName } from "../compile/read/files.ts";
import type { RevisionFiles } from "../compile/read/revision.ts";
import type { Past } from "../deploy/plan/compare.ts";
import { madeOf } from "../deploy/plan/made.ts";
import { type Diagnostic, Diagnostics } from "../diagnostics/diagnostic.ts";

interface Request {
  readonly ref: string;
  readonly environment: string;
  readonly files: RevisionFiles;
  /** The agent list of now. */
  readonly agents: Agents;
  readonly compile: (agents: Agents) => CompiledProject;
  /** What was found while the files were read. */
  readonly faults: Diagnostics;
}

interface PastMenus {
  readonly menus: readonly Past[];
  /** Files in which no key could be read. */
  readonly illegible: ReadonlySet<string>;
}

const nothing: PastMenus = { menus: [], illegible: new Set() };

/**
 * The menus of a revision, as far as it can be told what they were. Its faults are
 * not those of now: they are told as warnings, and keep nothing from being shown.
 */
export function pastMenus(request: Request, diagnostics: Diagnostics): PastMenus {
  const { ref, environment, files, agents, compile, faults } = request;
  const project = compile(agents);
  faults.addAll(project.diagnostics);
  const errors = faults.sorted().filter(({ severity }) => severity === "error");
  if (project.environment === undefined) {
    const lacksIt = errors.some(({ code }) => code === "IVR402");
    const missing = files.config === undefined && !files.configOutside;
    const first = errors.find(({ file }) => file === (files.config?.file ?? configName));
    const why = missing
      ? `there was no ${configName}, so that every menu is new`
      : lacksIt
        ? `there was no environment \`${environment}\`, so that every menu is new for it`
        : `the configuration was at fault${first === undefined ? "" : `, line ${first.line}: ${first.message}`}`;
    diagnostics.addFile(
      "IVR646",
      files.config?.file ?? configName,
      `At ${ref} ${why}`.replace(/\.?$/, "."),
    );
    if (missing || lacksIt) return nothing;
  }
  const byThen = project.environment === undefined ? [] : withAgentsOfThen(request, project);
  const past = project.menus.map((menu) => {
    const result = menu.result ?? byThen.find((other) => isSame(menu, other))?.result;
    return { menu, made: result === undefined ? null : madeOf(result) };
  });
  const illegible = new Set<string>();
  for (const [file, [first, ...more]] of byFile(errors)) {
    const own = past.filter(({ menu }) => menu.source.file === file);
    if (own.length === 0 || own.some(({ menu }) => menu.key === undefined)) illegible.add(file);
    // Told otherwise: of the configuration above, of agents below.
    const told = own.length > 0 && own.every(({ made }) => made !== null) && byThen.length > 0;
    if (told || project.environment === undefined) continue;
    const others = more.length === 0 ? "" : ` (and ${more.length} more)`;
    diagnostics.addFile(
      "IVR644",
      file,
      `At ${ref} this file was at fault, line ${first.line}: ${first.message}${others}`,
    );
  }
  tellOfAgents(ref, byThen, diagnostics);
  return {
    menus: past.flatMap(({ menu: { key, name }, made }) =>
      key === undefined ? [] : { key, name: made?.payload.name ?? name ?? key, made },
    ),
    illegible,
  };
}

/** Menus that lead to somebody who has left since: the snapshot of then still knows them. */
function withAgentsOfThen({ files, compile }: Request, project: CompiledProject): CompiledMenu[] {
  const broken = project.menus.filter(({ result }) => result === undefined);
  const agents =
    broken.length > 0 && files.agents ? readAgentList(files.agents, new Diagnostics()) : undefined;
  if (agents === undefined) return [];
  return compile(agents).menus.filter(
    (menu) => menu.result !== undefined && broken.some((other) => isSame(menu, other)),
  );
}

function tellOfAgents(ref: string, menus: readonly CompiledMenu[], diagnostics: Diagnostics): void {
  if (menus.length === 0) return;
  const keys = menus.map(({ key }) => `\`${key}\``).join(", ");
  diagnostics.addFile(
    "IVR645",
    "agents.lock.json",
    `At ${ref} these led to agents that the list of now does not have, or has blocked; they are shown with the list of then: ${keys}.`,
  );
}

function isSame(a: CompiledMenu, b: CompiledMenu): boolean {
  return a.key !== undefined && a.key === b.key && a.source.file === b.source.file;
}

function byFile(errors: readonly Diagnostic[]): Map<string, [Diagnostic, ...Diagnostic[]]> {
  const files = new Map<string, [Diagnostic, ...Diagnostic[]]>();
  for (const error of errors) {
    const own = files.get(error.file);
    if (own === undefined) files.set(error.file, [error]);
    else own.push(error);
  }
  return files;
}
