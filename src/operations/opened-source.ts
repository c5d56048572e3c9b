import { type Reach, followAll } from "../call/dead-ends.ts";
import { type Listed, type LiveFlow, liveFlow } from "../live/live-flow.ts";
import type { MenuSource, SourceMenu } from "../call/menu-source.ts";
import type { Agents } from "../project/agent-list.ts";
import type { ResolvedMenu } from "../compile/compiled-menu.ts";
import { type LoadOptions, type LoadedProject, loadProject } from "../workspace/load-project.ts";
import { readAccount } from "../deploy/listed/read-account.ts";
import { type Endpoint, chosenEndpoint, requireOperation } from "../deploy/service/connect.ts";
import { readState } from "../deploy/state/access.ts";
import { isUnnamed, openStore } from "../deploy/state/open-store.ts";
import { State, type StateView } from "../deploy/state/state.ts";
import { Diagnostics } from "../diagnostics/diagnostic.ts";
import type { Span } from "../diagnostics/source.ts";
import type { Environment } from "../project/environment.ts";
import { readSnapshot } from "../project/agents-lock.ts";
import type { Files } from "../project/files.ts";
import { openConfiguration } from "../workspace/open-project.ts";
import { readRevision } from "../project/revision.ts";
import { listed } from "../util/many.ts";
import { withProgress } from "../views/progress.ts";
import { serviceWatcher } from "../views/service.ts";
import type { Caller } from "./caller.ts";

/** Menus, the tests that run on them and, of the service, where calls end nowhere. */
export interface OpenedSource extends MenuSource, Pick<LoadedProject, "tests"> {
  /** Only of the service. */
  readonly reach?: Reach;
  /** Where the problems of the service are reported. */
  readonly place?: Span;
}

interface AskedSource extends Pick<LoadOptions, "paths" | "agentsFile" | "tests"> {
  /** `live` or a git revision. Default: the files. */
  readonly from: string | undefined;
}

/** Opens the menus of the files, of a revision or of the service: no command needs to know which. */
export async function openSource(
  context: Caller,
  { from, ...options }: AskedSource,
): Promise<OpenedSource> {
  const asked = { ...options, agentsRequired: true, advice: "none" as const };
  if (from === "live") return openLive(context, asked);
  if (from === undefined) return sourceOf(await loadProject(context, asked));
  const problems = new Diagnostics();
  const files = await revisionFiles(context, from, problems);
  if (files === undefined) return { ...nothing, diagnostics: problems.sorted() };
  return { ...sourceOf(await loadProject({ ...context, files }, asked)), environment: undefined };
}

/** The files of a git revision, with their tests. */
export async function revisionFiles(
  { root, host, globals, ...place }: Caller,
  ref: string,
  diagnostics: Diagnostics,
): Promise<Files | undefined> {
  const { environment } = openConfiguration({ root, host, globals, ...place });
  const name = environment?.name ?? globals.env ?? "";
  return (await readRevision({ root, host, ref, environment: name, tests: true }, diagnostics))
    ?.files;
}

const nothing: OpenedSource = {
  menus: [],
  flow: {
    menus: new Map(),
    links: new Map(),
    entries: new Set(),
    order: [],
    faulty: new Set(),
    isBack: () => false,
  },
  environment: undefined,
  isRead: false,
  diagnostics: [],
  tests: { suites: [], notRun: [], files: new Set(), invariants: [] },
};

function sourceOf(project: LoadedProject): OpenedSource {
  const { flow, diagnostics, tests } = project;
  const menus = project.menus.map(sourceMenu);
  return { menus, flow, diagnostics, tests, isRead: true, environment: project.environment?.name };
}

function sourceMenu({ key, name, source, numbers, call }: ResolvedMenu): SourceMenu {
  const named = numbers.map(({ value }) => value);
  return { key, name: name?.value, file: source.file, numbers: named, call };
}

export interface Live extends LiveFlow {
  readonly endpoint: Endpoint;
  readonly environment: Environment;
  readonly agents: Agents;
  readonly lists: Listed["lists"];
  readonly state: StateView;
  /** Where problems of the service are reported. */
  readonly place: Span;
  /** The project, compiled with the agents that the service lists. */
  readonly project: LoadedProject;
}

/** Reads what the service has. Undefined, with diagnostics, if it cannot list its menus. */
export async function readLive(
  context: Caller,
  options: LoadOptions,
  diagnostics: Diagnostics,
): Promise<Live | undefined> {
  const configuration = openConfiguration(context);
  const { environment } = configuration;
  const endpoint = chosenEndpoint(configuration, diagnostics, { token: true, state: true });
  if (endpoint === undefined || environment === undefined) return undefined;
  if (!requireOperation(endpoint, "list", diagnostics)) return undefined;
  const state = await readRecorded(context, endpoint, diagnostics);
  if (state === undefined) return undefined;
  const { root, host } = context;
  const asked = { root, host, watcher: serviceWatcher(context), state, environment };
  const reading = readAccount(endpoint, { ...asked, file: options.agentsFile }, diagnostics);
  const present = await withProgress(context, () => "Waiting for the list", reading);
  const { menus: live, numbers } = present?.lists ?? {};
  if (present === undefined || live === undefined) return undefined;
  const { agents } = present;
  const lists = { menus: live, numbers };
  const project = await loadProject(context, { ...options, listLive: async () => agents });
  const { menus, flow } = liveFlow({
    lists,
    environment: project.environment ?? environment,
    agents,
    former: readSnapshot(project.opened.files, environment.name, new Diagnostics()),
    state,
    files: project.menus.map(sourceMenu),
  });
  const { place } = endpoint.settings;
  for (const { id, name, problem } of menus) {
    if (problem === undefined) continue;
    const words = `Menu ${id ?? "without an id"}${name === undefined ? "" : ` “${name}”`} of the service cannot be read: ${problem}`;
    diagnostics.add("IVR664", place, words, undefined, "warning");
  }
  if (menus.length === 0) {
    diagnostics.add("IVR125", place, "The service has no menus.", undefined, "error");
  }
  return { menus, flow, endpoint, environment, agents, lists, state, place, project };
}

/** What the service has. Undefined if it cannot list its menus. Reports no problems. */
export async function readQuietly(context: Caller): Promise<Live | undefined> {
  const { environment } = openConfiguration(context);
  if (environment?.operations.has("list") !== true) return undefined;
  const quiet = { ...context, terminal: { ...context.terminal, note: () => {} } };
  const asked = { paths: [], agentsRequired: false, advice: "none" } as const;
  return readLive(quiet, asked, new Diagnostics());
}

/** The menus that the service lists, with the tests of the files. */
async function openLive(context: Caller, options: LoadOptions): Promise<OpenedSource> {
  const problems = new Diagnostics();
  const live = await readLive(context, options, problems);
  if (live === undefined) return { ...nothing, diagnostics: problems.sorted() };
  const { menus, flow, project, place } = live;
  // Errors in menu files say nothing about the menus of the service.
  const menuFiles = new Set(project.opened.menus.map((source) => source.file));
  const others = project.diagnostics.filter((problem) => !menuFiles.has(problem.file));
  const named = new Set(project.tests.suites.map(({ menu }) => menu.key));
  const isMeant = ({ key = "" }: SourceMenu) => options.paths.length === 0 || named.has(key);
  const suites = menus.filter(isMeant).flatMap(({ key, call }) => {
    if (call === undefined) return [];
    const tests = project.tests.suites.find(({ menu }) => menu.key === key)?.tests ?? [];
    return { menu: call, tests };
  });
  const notRun = project.tests.suites.flatMap(({ menu, tests }) =>
    tests.length === 0 || flow.menus.get(menu.key) ? [] : menu.key,
  );
  for (const key of notRun) {
    const file = project.menus.find((menu) => menu.key === key)?.source.file ?? `ivrs/${key}.yaml`;
    problems.addAt(
      "IVR313",
      { file },
      `\`${key}\` has tests, but is not on the service.`,
      undefined,
      "error",
    );
  }
  return {
    menus,
    flow,
    environment: undefined,
    isRead: true,
    keyHelp: `The service has ${listed(menus.map((menu) => menu.key ?? ""))}.`,
    diagnostics: [...others, ...problems.sorted()],
    tests: { ...project.tests, suites, notRun: [...project.tests.notRun, ...notRun] },
    reach: followAll(menus, flow),
    place,
  };
}

/** The state of the chosen environment. Undefined, with diagnostics, if it cannot be read. */
export async function readChosenState(
  context: Caller,
  diagnostics: Diagnostics,
): Promise<StateView | undefined> {
  const endpoint = chosenEndpoint(openConfiguration(context), diagnostics, {
    token: false,
    state: true,
  });
  return endpoint && readRecorded(context, endpoint, diagnostics);
}

/** The state, which knows the keys of the menus. Nothing is recorded before the first apply. */
async function readRecorded(
  context: Caller,
  { environment, state }: Endpoint,
  diagnostics: Diagnostics,
): Promise<StateView | undefined> {
  if (state && isUnnamed(state)) return new State();
  const store = await openStore(context, environment, state, diagnostics);
  return store && (await readState(store, diagnostics))?.state;
}
