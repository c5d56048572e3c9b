import { dirname } from "node:path";
import { type Invariant, readInvariants } from "../call/invariants.ts";
import { type CallFlow, callFlow } from "../call/callable-menu.ts";
import { type Suites, type TestInput, readSuites } from "../call/suites.ts";
import type { Agents } from "../project/agent-list.ts";
import type { ResolvedMenu } from "../compile/compiled-menu.ts";
import { type CompiledProject, compileProject } from "./compile-project.ts";
import { findSnapshot, readAgents, withSnapshot } from "../project/agents-lock.ts";
import { type Diagnostic, Diagnostics } from "../diagnostics/diagnostic.ts";
import { type Project, type ProjectPlace, openProject } from "./open-project.ts";
import { fileKind, keyFromPath } from "../project/files.ts";
import { selectFiles } from "./select-files.ts";

/** The project compiled for one environment, as far as its files allow. */
export interface LoadedProject extends Omit<CompiledProject, "diagnostics"> {
  /** The project before it was compiled. */
  readonly opened: Project;
  /** Whether agents were not checked, because there is no agent list. */
  readonly withoutList: boolean;
  /** The menus that the user named, or all menus. */
  readonly menus: readonly ResolvedMenu[];
  /** The problems of the named menus and of what they use, in the order in which they are shown. */
  readonly diagnostics: readonly Diagnostic[];
  readonly hasErrors: boolean;
  /** How calls continue from menu to menu, through all menus. */
  readonly flow: CallFlow;
  /** The tests of the menus; empty unless they were requested. */
  readonly tests: Tests;
}

/** The tests of menus, and the invariants. */
interface Tests extends Omit<Suites, "diagnostics"> {
  readonly invariants: readonly Invariant[];
}

export interface LoadOptions {
  /** The files and folders that the user named. Without any, all menus are meant. */
  readonly paths: readonly string[];
  /** An agent list to use instead of the snapshot. */
  readonly agentsFile?: string | undefined;
  /** Whether to report an error if there is no agent list. */
  readonly agentsRequired: boolean;
  /** Requests the agent list from the service, to use it instead of a file. */
  readonly listLive?: ((problems: Diagnostics) => Promise<Agents | undefined>) | undefined;
  /** Which problems from rules to report besides errors: none or all. By default, warnings. */
  readonly advice?: "none" | "all";
  readonly tests?: true;
}

/** Opens a project, compiles it and selects the menus that the user named. */
export async function loadProject(
  place: ProjectPlace,
  options: LoadOptions,
): Promise<LoadedProject> {
  const { root } = place;
  const problems = new Diagnostics();
  const project = await openProject(place, { tests: options.tests === true });
  const files = [...project.menus, ...project.folders, ...project.tests];
  // The defaults of a folder stand for all menus that they apply to.
  const paths = options.paths.flatMap((path) =>
    fileKind(path) === "defaults" ? [path, dirname(path)] : path,
  );
  const selection = selectFiles(root, paths, files, problems);
  // If there is no project, it does not matter that it has no agent list.
  const agentsRequired = options.agentsRequired && project.source !== undefined;
  const live = await options.listLive?.(problems);
  const list = options.listLive
    ? live && withSnapshot(live, project)
    : readAgents(project, { ...options, agentsRequired }, problems);
  const compiled = compileProject(project, {
    agents: list,
    notes: options.advice === "all",
    // If two menus clash, the later one is reported. So the menus that the user named come last.
    menus: [...project.menus].sort(
      (a, b) => Number(selection.has(a.file)) - Number(selection.has(b.file)),
    ),
  });
  problems.addAll(compiled.diagnostics);
  const named = compiled.menus.filter(({ source }) => selection.has(source.file));
  if (named.length === 0 && options.paths.length === 0 && !problems.hasErrors) {
    problems.addAt(
      "IVR125",
      { file: "ivrs" },
      "There are no menus under ivrs/.",
      "Add a menu file, for example ivrs/front-desk.yaml.",
    );
  }
  const read = new Set([...compiled.menus, ...compiled.absent].map(({ source }) => source.file));
  const unread = project.menus.filter(({ file }) => !read.has(file));
  const flow = callFlow(
    compiled.menus,
    unread.map(({ file }) => keyFromPath(file)),
    problems.sorted(),
  );
  const tests = options.tests
    ? loadTests(compiled, project, problems, {
        unread,
        callMenus: flow.menus,
        requested: selection.has,
      })
    : noTests;
  const concerning = problems
    .sorted()
    .filter(
      ({ file, affects = [] }) =>
        selection.has(file) ||
        tests.files.has(file) ||
        !file.startsWith("ivrs/") ||
        affects.some((menu) => selection.has(menu.file)),
    )
    .filter(
      ({ rule, severity }) =>
        options.advice !== "none" || rule === undefined || severity === "error",
    );
  return {
    ...compiled,
    opened: project,
    withoutList:
      project.source !== undefined &&
      options.agentsFile === undefined &&
      !options.listLive &&
      findSnapshot(project.files, compiled.environment?.name) === undefined,
    menus: named,
    diagnostics: concerning,
    hasErrors: concerning.some(({ severity }) => severity === "error"),
    flow,
    tests,
  };
}

const noTests: Tests = { suites: [], notRun: [], files: new Set(), invariants: [] };

function loadTests(
  compiled: CompiledProject,
  project: Project,
  problems: Diagnostics,
  more: Pick<TestInput, "unread" | "callMenus" | "requested">,
): Tests {
  const { config, environment, agents, menus, absent } = compiled;
  const testFiles = project.tests;
  const { diagnostics, ...suites } = readSuites({
    menus,
    absent,
    testFiles,
    environment,
    agents,
    ...more,
  });
  problems.addAll(diagnostics);
  const keys = menus.flatMap(({ key }) => key ?? []);
  const invariants =
    config && environment
      ? readInvariants({ config, environment, agents, keys, diagnostics: problems })
      : [];
  return { ...suites, invariants };
}
