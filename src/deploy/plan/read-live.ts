import type { Agents } from "../../compile/agents.ts";
import type { Diagnostics } from "../../diagnostics/diagnostic.ts";
import { readAgentsFile } from "../../project/agents-lock.ts";
import type { Environment } from "../../project/environment.ts";
import { suggest } from "../../util/suggest.ts";
import { currentAgents, listAgents } from "../service/agents.ts";
import {
  type Connection,
  type Endpoint,
  type ServiceWatcher,
  openEndpoint,
} from "../service/connect.ts";
import { readSettingsOf } from "../service/live-menu.ts";
import type { StateView } from "../state/state.ts";
import { LiveMenus } from "./live.ts";
import { LiveNumbers } from "./live-numbers.ts";
import type { Host } from "../../util/host.ts";

/** What the service has now. */
export interface Present {
  readonly agents: Agents;
  /** Undefined if the service cannot list menus. */
  readonly live: LiveMenus | undefined;
  /** The phone numbers. Undefined if the service cannot list them. */
  readonly numbers?: LiveNumbers | undefined;
}

interface Options {
  readonly root: string;
  readonly host: Host;
  readonly watcher: ServiceWatcher;
  readonly state: StateView | undefined;
  /** A file with agents that is used instead of the service's list. */
  readonly file?: string | undefined;
  readonly environment: Environment | undefined;
  /** Stops the requests. */
  readonly signal?: AbortSignal | undefined;
}

/** Reads the agent list and, if the service can list them, its menus and phone numbers. */
export async function readPresent(
  endpoint: Endpoint,
  { environment, ...options }: Options,
  diagnostics: Diagnostics,
): Promise<Present | undefined> {
  if (!endpoint.operations.has("list") || environment === undefined) {
    const agents = await currentAgents(endpoint, options, diagnostics);
    return agents && { agents, live: undefined };
  }
  const { root, host, watcher, state, file, signal } = options;
  const given =
    file === undefined ? undefined : readAgentsFile(root, file, endpoint.environment, diagnostics);
  if (file !== undefined && given === undefined) return undefined;
  const connection = await openEndpoint(
    endpoint,
    { root, host, watcher, state, signal },
    diagnostics,
  );
  if (connection === undefined) return undefined;
  try {
    const agents = given ?? (await listAgents(connection, diagnostics, signal));
    if (agents === undefined) return undefined;
    const live = await readLive(connection, environment, diagnostics, signal);
    if (live === undefined) return undefined;
    if (!endpoint.operations.has("numbers")) return { agents, live };
    const numbers = await readNumbers(connection, diagnostics, signal);
    return numbers && { agents, live, numbers };
  } finally {
    await connection.close();
  }
}

/** Reads the menus of a service that can list them. Reports a failure and returns undefined. */
export async function readLive(
  connection: Connection,
  environment: Environment,
  diagnostics: Diagnostics,
  signal?: AbortSignal,
): Promise<LiveMenus | undefined> {
  const read = await listMenus(connection, environment, signal);
  if (read instanceof LiveMenus) return read;
  const { place, environment: name } = connection;
  diagnostics.add("IVR503", place, read, {
    words: "To test the service, run:",
    argv: suggest("doctor", [], name),
  });
  return undefined;
}

/** Reads the phone numbers of the account. Reports a failure and returns undefined. */
export async function readNumbers(
  connection: Connection,
  diagnostics: Diagnostics,
  signal?: AbortSignal,
): Promise<LiveNumbers | undefined> {
  const read = await listNumbers(connection, signal);
  if (read instanceof LiveNumbers) return read;
  const { place, environment } = connection;
  diagnostics.add("IVR503", place, read, {
    words: "To test the service, run:",
    argv: suggest("doctor", [], environment),
  });
  return undefined;
}

/** Reads the phone numbers of a service. Returns a sentence if that fails. */
export async function listNumbers(
  { service, address, clock }: Pick<Connection, "service" | "address" | "clock">,
  signal?: AbortSignal,
): Promise<LiveNumbers | string> {
  const at = clock.now().toISOString();
  const listing = await service.listNumbers(signal);
  return listing.kind === "listed"
    ? new LiveNumbers(listing.items, listing.unreadable, at)
    : `The list of phone numbers of ${address} is not available: ${listing.problem}.`;
}

/** Reads the menus of a service. Returns a sentence if that fails. */
export async function listMenus(
  { service, address, clock }: Pick<Connection, "service" | "address" | "clock">,
  { wire }: Pick<Environment, "wire">,
  signal?: AbortSignal,
): Promise<LiveMenus | string> {
  const at = clock.now().toISOString();
  const listing = await service.listMenus(signal);
  return listing.kind === "listed"
    ? new LiveMenus(listing.items, listing.unreadable, readSettingsOf(wire), at)
    : `The list of the menus of ${address} is not available: ${listing.problem}.`;
}
