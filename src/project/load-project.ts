import { isAbsolute, resolve } from "node:path";
import { type Invariant, readInvariants } from "../call/invariants.ts";
import { type Suites, readSuites } from "../call/suites.ts";
import type { Agents } from "../compile/agents.ts";
import type { ResolvedMenu } from "../compile/menu.ts";
import {
  type Compilation,
  type CompiledProject,
  compileMenus,
} from "../compile/compile-project.ts";
import {
  configName,
  hasSnapshot,
  isFolder,
  isTestFile,
  readProjectFile,
  readNamed,
  readSnapshot,
  shownPath,
} from "./files.ts";
import { type Diagnostic, Diagnostics } from "../diagnostics/diagnostic.ts";
import type { Source } from "../diagnostics/source.ts";
import { type Project, type ProjectPlace, compileOpened, openProject } from "./open-project.ts";

/** The project compiled for one environment, as far as its files allow. */
interface LoadedProject {
  readonly environment: CompiledProject["environment"];
  readonly agents: CompiledProject["agents"];
  /** No agent list was given, so that agents are not checked. */
  readonly withoutList: boolean;
  /** The menus asked for. */
  readonly menus: readonly ResolvedMenu[];
  /** Those of all menus with nothing wrong. */
  readonly compiled: Compilation["compiled"];
  /** About those menus and what they rest on, in the order to be shown. */
  readonly diagnostics: readonly Diagnostic[];
  readonly hasErrors: boolean;
  /** Those of the menus, where they were asked for. */
  readonly tests: Tests;
}

/** The tests of menus, and what must hold on every path through them. */
interface Tests extends Omit<Suites, "diagnostics"> {
  readonly invariants: readonly Invariant[];
}

interface Needs {
  /** Only menus in these files and folders are asked for; all if there are none. */
  readonly paths: readonly string[];
  /** An agent list to use instead of the snapshot. */
  readonly agentsFile: string | undefined;
  /** Whether to go without an agent list is a fault. */
  readonly agentsRequired: boolean;
  /** Asks the service for the list. */
  readonly listLive?: ((found: Diagnostics) => Promise<Agents | undefined>) | undefined;
  /** Which findings of rules are wanted besides errors; warnings unless given. */
  readonly advice?: "none" | "all";
  /** Whether the menus' tests are wanted. */
  readonly tests?: true;
}

/** Opens a project and compiles its menus: what every command does that is about menus alone. */
export async function loadProject(place: ProjectPlace, needs: Needs): Promise<LoadedProject> {
  const { root } = place;
  const found = new Diagnostics();
  const project = await openProject(place, { tests: needs.tests === true });
  const selection = select(root, needs.paths, [...project.menus, ...project.tests], found);
  // If there is no project, it does not matter that it has no agent list.
  const agentsRequired = needs.agentsRequired && project.source !== undefined;
  const list = needs.listLive
    ? await needs.listLive(found)
    : readList(root, { ...needs, agentsRequired }, found);
  const compiled = compileOpened(project, {
    agents: list,
    notes: needs.advice === "all",
    // Of two menus that clash, the later one is reported: the one that was asked for.
    menus: [...project.menus].sort(
      (a, b) => Number(selection.has(a.file)) - Number(selection.has(b.file)),
    ),
  });
  const { environment, agents, menus, linter } = compiled;
  found.addAll(compiled.diagnostics);
  const chosen = menus.filter(({ source }) => selection.has(source.file));
  const outside = compileMenus({ sources: selection.outside, environment, agents, linter });
  found.addAll(outside.diagnostics);
  linter.ignoreComments(selection.outside, undefined, found);
  refuseSameKeys(chosen, outside.menus, found);
  chosen.push(...outside.menus);
  if (chosen.length === 0 && needs.paths.length === 0 && !found.hasErrors) {
    found.addFile("IVR125", "ivrs", "There are no menus under ivrs/.");
  }
  const tests = needs.tests
    ? loadTests({ compiled, outside: outside.menus, project, selection }, found)
    : noTests;
  const concerning = found
    .sorted()
    .filter(({ file }) => selection.has(file) || tests.files.has(file) || !file.startsWith("ivrs/"))
    .filter(
      ({ rule, severity }) => needs.advice !== "none" || rule === undefined || severity === "error",
    );
  return {
    environment,
    agents,
    withoutList: needs.agentsFile === undefined && !needs.listLive && !hasSnapshot(root),
    menus: chosen,
    compiled: new Map([...compiled.compiled, ...outside.compiled]),
    diagnostics: concerning,
    hasErrors: concerning.some(({ severity }) => severity === "error"),
    tests,
  };
}

interface Loaded {
  readonly compiled: CompiledProject;
  readonly outside: readonly ResolvedMenu[];
  readonly project: Project;
  readonly selection: Selection;
}

const noTests: Tests = { suites: [], notRun: [], files: new Set(), invariants: [] };

function loadTests({ compiled, outside, project, selection }: Loaded, found: Diagnostics): Tests {
  const { config, environment, agents, menus } = compiled;
  const read = new Set(menus.map(({ source }) => source.file));
  const { diagnostics, ...suites } = readSuites({
    menus: [...menus, ...outside],
    unread: project.menus.filter(({ file }) => !read.has(file)),
    testFiles: [...project.tests, ...selection.tests],
    asked: (file) => selection.has(file),
    environment,
    agents,
  });
  found.addAll(diagnostics);
  const keys = menus.flatMap(({ key }) => key ?? []);
  const invariants =
    config && environment
      ? readInvariants({ config, environment, agents, keys, diagnostics: found })
      : [];
  return { ...suites, invariants };
}

/** A file outside the project may have a menu's key, but not beside that menu. */
function refuseSameKeys(
  own: readonly ResolvedMenu[],
  outside: readonly ResolvedMenu[],
  found: Diagnostics,
): void {
  const keys = new Map(own.map(({ key, source }) => [key?.toLowerCase(), source.file]));
  for (const { key, top } of outside) {
    const other = key === undefined ? undefined : keys.get(key.toLowerCase());
    if (other !== undefined) {
      found.add("IVR213", top, `The key \`${key}\` belongs to ${other} already.`);
    }
  }
}

/** The file named, else the snapshot. */
export function readList(
  root: string,
  { agentsFile, agentsRequired }: Pick<Needs, "agentsFile" | "agentsRequired">,
  found: Diagnostics,
): Source | undefined {
  if (agentsFile !== undefined) return readNamed(root, agentsFile, "agentList", found);
  const snapshot = readSnapshot(root, found);
  // A snapshot that cannot be read has been reported.
  if (agentsRequired && !hasSnapshot(root)) {
    found.addFile(
      "IVR311",
      "agents.lock.json",
      "There is no agent list, so no name can be turned into an extension id.",
      "Give one with --agents FILE, or keep a snapshot in agents.lock.json.",
    );
  }
  return snapshot;
}

interface Selection {
  has(file: string): boolean;
  /** Menus named that are not the project's own, and tests. */
  readonly outside: readonly Source[];
  readonly tests: readonly Source[];
}

/** The files that paths on the command line mean. */
export function select(
  root: string,
  paths: readonly string[],
  files: readonly Source[],
  found: Diagnostics,
): Selection {
  if (paths.length === 0) return { has: () => true, outside: [], tests: [] };
  const own = new Set(files.map(({ file }) => file));
  const chosen = new Set<string>();
  const folders: string[] = [];
  const others = new Map<string, Source>();
  for (const path of paths) {
    const absolute = resolve(root, path);
    const file = shownPath(root, absolute);
    if (isFolder(absolute)) {
      folders.push(file === "" ? "." : file);
      continue;
    }
    chosen.add(file);
    if (own.has(file) || others.has(file)) continue;
    const source = isAbsolute(file)
      ? readNamed(root, path, "yamlFile", found)
      : readProjectFile(root, file, "yamlFile", found);
    if (source !== undefined && !isNoMenu(file)) others.set(file, source);
  }
  const within = (folder: string) => (file: string) =>
    folder === "." || file.startsWith(`${folder}/`);
  for (const folder of folders) {
    if (files.some(({ file }) => within(folder)(file))) continue;
    found.addFile("IVR129", folder, `No menu of this project is in ${folder}.`);
  }
  return {
    has: (file) =>
      chosen.has(file) || folders.some((folder) => folder === file || within(folder)(file)),
    outside: [...others.values()].filter(({ file }) => !isTestFile(file)),
    tests: [...others.values()].filter(({ file }) => isTestFile(file)),
  };
}

/** Files of the project that are no menus, though a commit hook may name them. */
function isNoMenu(file: string): boolean {
  return file === configName || /^ivrs\/.*\.(?!yaml$)\w+$/i.test(file);
}
