import { randomUUID } from "node:crypto";
import { join } from "node:path";
import type { Agent } from "../../project/agent-list.ts";
import type { Environment } from "../../project/environment.ts";
import { readSnapshot } from "../../project/agents-lock.ts";
import { DiskFiles } from "../../project/files.ts";
import {
  type ServiceSettings,
  readService,
  readToken,
  serviceIdentity,
} from "../../project/service-settings.ts";
import { type StateSettings, readStateSettings } from "../../project/state-settings.ts";
import type { HttpService, Trace } from "./http-service.ts";
import type { StateOrigin } from "../../schema/state.ts";
import type { Diagnostics } from "../../diagnostics/diagnostic.ts";
import type { Span } from "../../diagnostics/source.ts";
import { isLoopback } from "../../util/address.ts";
import type { OperationName, Permission } from "../../schema/operations.ts";
import { suggest } from "../../util/suggest.ts";
import type { Sandbox } from "../../sandbox/sandbox.ts";
import type { ProjectPlace } from "../../workspace/open-project.ts";
import type { Configuration } from "../../project/configuration.ts";
import type { Clock, Host } from "../../util/host.ts";

/** The service of an environment, before any request is sent to it. */
export interface Endpoint {
  readonly environment: string;
  readonly settings: ServiceSettings;
  readonly address: string;
  /** The address that the state records. */
  readonly identity: string;
  readonly local: boolean;
  readonly limits: Limits;
  readonly maxCreates: Environment["maxCreates"];
  /** What the service can do besides creating menus and listing agents. */
  readonly operations: ReadonlySet<OperationName>;
  /** What plans may do without `--allow`. */
  readonly allowed: ReadonlySet<Permission>;
  /** Undefined if the command does not need the state, or if its settings are invalid. */
  readonly state: StateSettings | undefined;
}

interface Limits {
  /** Creates in flight at the same time. */
  readonly concurrency: number;
  /** Null for no limit. */
  readonly requestsPerSecond: number | null;
  /** Seconds for one request. */
  readonly timeout: number;
}

/** A service that a command can send requests to. */
export interface Connection extends Endpoint {
  readonly service: HttpService;
  /** Where problems with the service are reported. */
  readonly place: Span;
  readonly clock: Clock;
  close(): Promise<void>;
}

/** Callbacks for requests to the service. */
export interface ServiceWatcher {
  /** Requests will be sent to this service. */
  readonly connected?: (environment: string, address: string) => void;
  readonly exchanged?: (trace: Trace) => void;
}

interface EndpointNeeds {
  /** Whether the command needs the token, or the state. */
  readonly token: boolean;
  readonly state: boolean;
}

/**
 * The service of the chosen environment. If its settings are invalid, problems with the
 * token and the state are reported too, so that the user can fix everything at once.
 */
export function chosenEndpoint(
  { source, config, environment: chosen, host, found: problems }: Configuration,
  diagnostics: Diagnostics,
  needs: EndpointNeeds,
): Endpoint | undefined {
  if (source === undefined) diagnostics.addAll(problems.files);
  diagnostics.addAll(problems.config);
  diagnostics.addAll(problems.environment);
  if (config === undefined || chosen === undefined) return undefined;
  const settings = readService(config, chosen.name, host.env, diagnostics);
  const usable = diagnostics.hasErrors ? undefined : settings;
  if (usable === undefined && needs.token) {
    readToken(config, chosen.name, host.env, diagnostics);
  }
  const state = needs.state
    ? readStateSettings(config, chosen.name, host.env, diagnostics)
    : undefined;
  if (usable === undefined) return undefined;
  const isSandbox = usable.kind === "sandbox";
  return {
    environment: chosen.name,
    settings: usable,
    address: isSandbox ? "the embedded sandbox" : usable.baseUrl,
    identity: serviceIdentity(usable),
    local: isSandbox || isLoopback(new URL(usable.baseUrl).hostname),
    limits: isSandbox ? sandboxLimits : usable,
    maxCreates: chosen.maxCreates,
    operations: chosen.operations,
    allowed: chosen.allowed,
    state,
  };
}

/** The service with the token that can only read. Undefined if there is none, or if no token may be used. */
export function readOnly(
  endpoint: Endpoint,
  reads: "review" | "check" | "offline",
): Endpoint | undefined {
  const { settings } = endpoint;
  if (settings.kind === "sandbox") return endpoint;
  if (reads === "offline") return undefined;
  return settings.readOnly && { ...endpoint, settings: { ...settings, ...settings.readOnly } };
}

/** Reports a missing token. For a command that stops before it reads the token. */
export function reportToken({ settings }: Endpoint): void {
  if (settings.kind === "http") settings.token();
}

const sandboxLimits: Limits = { concurrency: 4, requestsPerSecond: null, timeout: 30 };

/** The name of the chosen environment, even if the files are invalid. */
export function environmentName(
  { environment }: Configuration,
  { globals, host }: ProjectPlace,
): string | undefined {
  return environment?.name ?? globals.env ?? (host.env["IVRCTL_ENV"] || undefined);
}

/** Reports that the environment lacks an operation that a command needs, and returns false. */
export function requireOperation(
  { operations, environment, settings }: Endpoint,
  needed: "list" | "numbers",
  diagnostics: Diagnostics,
): boolean {
  if (operations.has(needed)) return true;
  const words = `Add \`operations: [${needed === "list" ? "list" : "list, numbers"}]\` to the environment`;
  diagnostics.add(
    "IVR424",
    settings.place,
    `The environment \`${environment}\` does not have the operation \`${needed}\`.`,
    settings.kind === "sandbox"
      ? `${words}. The embedded sandbox can do this.`
      : {
          words: `${words}, if the service can do this. To find out, run:`,
          argv: suggest("doctor", [], environment),
        },
  );
  return false;
}

/** What a state says about the service that it belongs to. */
interface Recorded {
  readonly origin: StateOrigin | null;
  readonly serial: number;
}

/**
 * Checks that the state belongs to this address. Reports a different address and returns false. Before the
 * first apply the state belongs to no address, because nobody knows yet whether it is the right one.
 */
export function checkAddress(
  { environment, identity, settings }: Endpoint,
  { origin, serial }: Recorded,
  diagnostics: Diagnostics,
): boolean {
  if (origin === null || origin.address === identity) return true;
  if (serial === 1 && origin.recovered === undefined) return true;
  diagnostics.add(
    "IVR606",
    settings.place,
    `The state belongs to ${origin.address}, but this environment uses ${identity}.`,
    {
      words: `Correct the address. If the same account has a new address, run:`,
      argv: ["state", "rebind", "--to", "URL", "--evidence", "TEXT", "--env", environment],
    },
  );
  return false;
}

interface ConnectOptions {
  readonly root: string;
  readonly host: Host;
  readonly watcher: ServiceWatcher;
  /** The address in it is checked before the token is read. Undefined if it could not be read. */
  readonly state: Recorded | undefined;
  /** The agents that the embedded sandbox has; by default those of the snapshot. */
  readonly agents?: readonly Agent[] | undefined;
  /** Stops waiting for a token. */
  readonly signal?: AbortSignal | undefined;
  /** How often a request that reads is sent. */
  readonly readAttempts?: number | undefined;
}

/**
 * Checks the address, gets the token and connects to the service. Reports a failure and returns
 * undefined. Nothing else may send the token, because only this compares the address with the state.
 */
export async function openEndpoint(
  endpoint: Endpoint,
  options: ConnectOptions,
  diagnostics: Diagnostics,
): Promise<Connection | undefined> {
  const { settings, limits } = endpoint;
  const { root, host, watcher, state } = options;
  const http = await import("./http-service.ts");
  const { clock } = host;
  const to = { clock, timeout: limits.timeout, trace: watcher.exchanged };
  const connected = (service: HttpService, close: () => Promise<void>): Connection => {
    watcher.connected?.(endpoint.environment, endpoint.address);
    return { ...endpoint, service, close, place: settings.place, clock };
  };
  if (settings.kind === "sandbox") {
    const sandbox = await startEmbedded({ root, clock }, endpoint, diagnostics, options.agents);
    if (sandbox === undefined) return undefined;
    const service = new http.HttpService({ ...to, baseUrl: sandbox.url, token: randomUUID() });
    return connected(service, async () => {
      await service.close();
      await sandbox.close();
    });
  }
  if (state && !checkAddress(endpoint, state, diagnostics)) return undefined;
  const source = settings.token();
  if (source === undefined || state === undefined) return undefined;
  const { obtainToken } = await import("./token.ts");
  const obtained = await obtainToken(source, root, host.env, options.signal);
  if (obtained.kind === "problem") {
    diagnostics.add(
      "IVR407",
      settings.tokenPlace,
      obtained.problem,
      source.kind === "text"
        ? "Set the variable to the token alone, without quotes, spaces or a line break."
        : "Run the command by hand, and check its output and exit code.",
    );
    return undefined;
  }
  const { baseUrl, requestsPerSecond } = settings;
  const { readAttempts } = options;
  const { token } = obtained;
  const service = new http.HttpService({ ...to, baseUrl, token, requestsPerSecond, readAttempts });
  return connected(service, () => service.close());
}

/** Starts the sandbox with the agents of the environment's snapshot, so that the menus of the project work. */
async function startEmbedded(
  { root, clock }: { readonly root: string; readonly clock: Clock },
  { environment, operations, settings }: Endpoint,
  diagnostics: Diagnostics,
  sandboxAgents: readonly Agent[] | undefined,
): Promise<Sandbox | undefined> {
  const { startSandbox } = await import("../../sandbox/sandbox.ts");
  const { toService } = await import("../../sandbox/example-agents.ts");
  const agents = sandboxAgents ?? readSnapshot(new DiskFiles(root), environment, diagnostics)?.list;
  if (diagnostics.hasErrors) return undefined;
  try {
    return await startSandbox({
      clock,
      dataFile: sandboxData(root),
      operations,
      ...(settings.kind === "sandbox" && { quirks: settings.quirks }),
      ...(agents === undefined ? {} : { agents: toService(agents) }),
    });
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    diagnostics.add("IVR503", settings.place, `The embedded sandbox did not start: ${why}`);
    return undefined;
  }
}

/** The file with the menus that the sandbox of a project has created. */
export function sandboxData(root: string): string {
  return join(root, ".ivrctl/sandbox/records.jsonl");
}
