import { Agents } from "../compile/agents.ts";
import { compileConfigured } from "../compile/compile-project.ts";
import { type ResolvedDestination, destinationsOf } from "../compile/menu.ts";
import {
  type Endpoint,
  type ServiceWatcher,
  checkAddress,
  endpointAt,
  openEndpoint,
} from "../deploy/service/connect.ts";
import { Connections, type ExchangeResult } from "../deploy/service/exchange.ts";
import { HttpService } from "../deploy/service/http-service.ts";
import type {
  AgentDirectory,
  AgentListing,
  Listing,
  MoreOperations,
  Refusal,
  Trace,
} from "../deploy/service/service.ts";
import { listUserAgents } from "../deploy/service/user-agents.ts";
import { type Token, obtainToken } from "../deploy/service/token.ts";
import { readState, reporting } from "../deploy/state/access.ts";
import { openStore } from "../deploy/state/open-store.ts";
import type { StateView } from "../deploy/state/state.ts";
import type { StateStore } from "../deploy/state/store.ts";
import { Diagnostics } from "../diagnostics/diagnostic.ts";
import { findSnapshot, readAgents, snapshotName } from "../project/agents-lock.ts";
import { git } from "../project/git.ts";
import { type Project, type ProjectPlace, openProject } from "../project/open-project.ts";
import {
  type ServiceSettings,
  type TokenSource,
  readService,
  readToken,
} from "../project/service-settings.ts";
import { type StateSettings, readStateSettings } from "../project/state-settings.ts";
import type { Clock, Host } from "../util/host.ts";

/** Everything that the checks look at. A problem in one part does not hide the others. */
export type Examined = Awaited<ReturnType<typeof examine>>;

/** The operations that a request that only reads can test. */
export type Testable = "list" | "numbers" | "users";

/** What the service answered to each of these requests. */
export type Probes = ReadonlyMap<Testable, { readonly kind: "listed" } | Refusal>;

export type ExaminedToken =
  /** The address is not the one in the state, or the state cannot be read. */
  | { readonly kind: "withheld" }
  | { readonly kind: "none"; readonly isUnset: boolean }
  | (Token & { readonly source: TokenSource["kind"] });

/** Reads and contacts everything that plan and apply need. It changes nothing. */
export async function examine(place: ProjectPlace, watcher: ServiceWatcher) {
  const project = await openProject(place);
  const { config, environment, host } = project;
  /** Problems with the settings of the service and of the state. */
  const problems = { service: new Diagnostics(), state: new Diagnostics() };
  const name = environment?.name ?? "";
  const isChosen = config !== undefined && environment !== undefined;
  const settings = isChosen ? readService(config, name, host.env, problems.service) : undefined;
  const state = isChosen ? readStateSettings(config, name, host.env, problems.state) : undefined;
  const endpoint = environment && settings && endpointAt(environment, settings, state);
  const record = await examineRecord(project, state, problems.state);
  const service = await examineService(project, endpoint, record.state, watcher);
  /** The agents that the service listed, if it did. */
  const agents =
    service.listing?.kind === "listed"
      ? new Agents(service.listing.agents, { isFromUsers: endpoint?.operations.has("users") })
      : undefined;
  const snapshot = examineSnapshot(project);
  const menus = compileMenus(project, agents ?? snapshot.agents);
  return { project, problems, endpoint, service, agents, snapshot, menus, record };
}

/** Contacts the service. `listing` is undefined if the agent list could not be requested. */
async function examineService(
  project: Project,
  endpoint: Endpoint | undefined,
  state: StateView | undefined,
  watcher: ServiceWatcher,
) {
  if (endpoint === undefined) {
    return { kind: "unknown", listing: undefined, token: await examineToken(project) } as const;
  }
  const { settings, environment, address } = endpoint;
  if (settings.kind === "sandbox") {
    const found = new Diagnostics();
    const connection = await openEndpoint(endpoint, { ...project, watcher, state }, found);
    const listing = connection && (await agentListing(connection.service, endpoint));
    await connection?.close();
    return { kind: "sandbox", listing, problem: found.sorted()[0] } as const;
  }
  const isChecked = state !== undefined && checkAddress(endpoint, state, new Diagnostics());
  const token: ExaminedToken = isChecked ? await examineToken(project) : { kind: "withheld" };
  watcher.connected?.(environment, address);
  const { clock } = project.host;
  const askedAt = clock.now().getTime();
  const answer = await reach(settings, clock);
  const answeredAt = askedAt + (clock.now().getTime() - askedAt) / 2;
  const { listing, result, probes } =
    answer.phase === "answered" && token.kind === "token"
      ? await ask({ ...endpoint, settings }, token.token, watcher, clock)
      : {};
  return { kind: "http", address, token, answer, answeredAt, listing, result, probes } as const;
}

async function examineToken({ root, config, environment, host }: Project): Promise<ExaminedToken> {
  const found = new Diagnostics();
  const source = config && environment && readToken(config, environment.name, host.env, found);
  if (source === undefined) return { kind: "none", isUnset: found.hasErrors };
  return { ...(await obtainToken(source, root, host.env)), source: source.kind };
}

type HttpSettings = Extract<ServiceSettings, { kind: "http" }>;

/** Checks whether anything answers. Sends no token. */
async function reach({ baseUrl, timeout }: HttpSettings, clock: Clock): Promise<ExchangeResult> {
  const { origin, pathname } = new URL(baseUrl);
  const connections = new Connections(origin, timeout, clock);
  try {
    return await connections.exchange({
      method: "GET",
      path: pathname,
      headers: { accept: "application/json" },
      maxAnswer: 64 * 1024,
    });
  } finally {
    await connections.close();
  }
}

interface Asked {
  readonly listing?: AgentListing;
  readonly result?: Trace["result"] | undefined;
  /** Undefined if the service rejects the token. */
  readonly probes?: Probes | undefined;
}

async function ask(
  endpoint: Endpoint & { readonly settings: HttpSettings },
  token: string,
  watcher: ServiceWatcher,
  clock: Clock,
): Promise<Asked> {
  const { baseUrl, timeout, requestsPerSecond } = endpoint.settings;
  let result: Trace["result"] | undefined;
  const trace = (exchange: Trace) => {
    result ??= exchange.result;
    watcher.exchanged?.(exchange);
  };
  const options = { baseUrl, token, clock, timeout, requestsPerSecond, readAttempts: 1, trace };
  const service = new HttpService(options);
  const listing = await agentListing(service, endpoint);
  const isRejected = listing.kind === "refused" && listing.reason === "token";
  const probes = isRejected ? undefined : await probe(service);
  await service.close();
  return { listing, result, probes };
}

async function agentListing(
  service: AgentDirectory & MoreOperations,
  { operations }: Endpoint,
): Promise<AgentListing> {
  return operations.has("users") ? listUserAgents(service) : service.list();
}

/** Asks for each list once. Only these requests tell what the service offers and the token may do. */
async function probe(service: HttpService): Promise<Probes> {
  return new Map([
    ["list", understood(await service.listMenus())],
    ["numbers", understood(await service.listNumbers())],
    ["users", understood(await service.firstUsers())],
  ]);
}

/** An answer without any valid record is not the list that was asked for. */
function understood(listing: Listing<unknown>): Listing<unknown> {
  if (listing.kind === "refused" || listing.items.length > 0) return listing;
  const [first] = listing.unreadable;
  if (first === undefined) return listing;
  const problem = `its answer has no valid records: ${first.problem}`;
  return { kind: "refused", reason: "other", problem };
}

function examineSnapshot(project: Project) {
  const found = new Diagnostics();
  const options = { agentsRequired: false };
  const agents = readAgents(project, options, found);
  const file = findSnapshot(project.root, project.environment?.name) ?? snapshotName;
  return { agents, file, problem: found.sorted()[0] };
}

function compileMenus(project: Project, agents: Agents | undefined) {
  const diagnostics = new Diagnostics();
  if (project.config === undefined) return { count: 0, diagnostics, withTeams: [] };
  diagnostics.addAll(project.found.files);
  diagnostics.addAll(project.found.plugins);
  const rules = { plugins: project.plugins, notes: false, allMenus: false };
  const compiled = compileConfigured({ ...project, variables: project.host.env, agents, rules });
  diagnostics.addAll(compiled.diagnostics);
  const withTeams = compiled.menus.filter((menu) => destinationsOf(menu).some(namesTeam));
  return {
    count: compiled.menus.length,
    diagnostics,
    /** The menus that refer to an agent by team. */
    withTeams: withTeams.map(({ key, source }) => key ?? source.file),
  };
}

function namesTeam(destination: ResolvedDestination): boolean {
  return "reference" in destination && destination.reference.team !== undefined;
}

async function examineRecord(
  { root, environment, host }: Project,
  settings: StateSettings | undefined,
  problems: Diagnostics,
) {
  const found = new Diagnostics();
  found.addAll(problems);
  const inFiles = environment === undefined || settings?.kind === "file";
  const ignored = inFiles ? await checkIgnore(root, host) : undefined;
  const store = await openStore({ root, host }, environment?.name ?? "", settings, found);
  const state = store && (await readState(store, found));
  // A store that did not answer is not asked again.
  const isAsked = state !== undefined || inFiles;
  const lock = store && isAsked ? await examineLock(store) : undefined;
  return { store, state, problem: found.sorted()[0], lock, inFiles, ignored };
}

async function examineLock(store: StateStore) {
  const found = new Diagnostics();
  const locks = await reporting(store, found, async () => {
    const holder = await store.holder();
    return { holder, left: holder === null ? await store.leftLock() : null };
  });
  return { ...locks, problem: found.sorted()[0] };
}

/** The exit code of `git check-ignore` for the files of the state. */
function checkIgnore(folder: string, host: Host): Promise<number | "no git"> {
  const asked = git(["-C", folder, "check-ignore", "-q", ".ivrctl/state/x"], host);
  return asked.then(({ exit }) => exit ?? "no git").catch(() => "no git");
}
