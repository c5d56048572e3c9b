import type { Agents } from "../../compile/agents.ts";
import type { Diagnostics } from "../../diagnostics/diagnostic.ts";
import { readAgentsFile } from "../../project/agents-lock.ts";
import type { Environment } from "../../project/environment.ts";
import { suggest } from "../../util/suggest.ts";
import { listAgents } from "../service/agents.ts";
import {
  type Connection,
  type Endpoint,
  type ServiceWatcher,
  openEndpoint,
} from "../service/connect.ts";
import { liveSettings } from "../service/live-menu.ts";
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
  /** Ends the reading. */
  readonly signal?: AbortSignal;
}

/** Connects to the service, and reads what it has. A file with agents needs no connection by itself. */
export async function lookAt(
  endpoint: Endpoint,
  { environment, file, ...options }: Options,
  diagnostics: Diagnostics,
): Promise<Present | undefined> {
  const given =
    file === undefined
      ? undefined
      : readAgentsFile(options.root, file, endpoint.environment, diagnostics);
  if (file !== undefined && given === undefined) return undefined;
  const lists = endpoint.operations.has("list") ? environment : undefined;
  if (given && lists === undefined) return { agents: given, live: undefined };
  const connection = await openEndpoint(endpoint, options, diagnostics);
  if (connection === undefined) return undefined;
  try {
    return await readPresent(connection, environment, given, diagnostics, options.signal);
  } finally {
    await connection.close();
  }
}

/**
 * Reads the agent list, unless it is given, and the menus and phone numbers, if the service can list
 * them. Reports a failure and returns undefined.
 */
export async function readPresent(
  connection: Connection,
  environment: Environment | undefined,
  given: Agents | undefined,
  diagnostics: Diagnostics,
  signal?: AbortSignal,
): Promise<Present | undefined> {
  const { operations, place } = connection;
  const agents = given ?? (await listAgents(connection, diagnostics, signal));
  if (agents === undefined) return undefined;
  if (!operations.has("list") || environment === undefined) return { agents, live: undefined };
  const live = await listMenus(connection, environment, signal);
  const numbers =
    typeof live === "string" || !operations.has("numbers")
      ? undefined
      : await listNumbers(connection, signal);
  const problem = [live, numbers].find((read) => typeof read === "string");
  if (typeof live !== "string" && typeof numbers !== "string") return { agents, live, numbers };
  diagnostics.add("IVR503", place, problem ?? "", {
    words: "To test the service, run:",
    argv: suggest("doctor", [], connection.environment),
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
    ? new LiveMenus(listing.items, listing.unreadable, liveSettings(wire), at)
    : `The list of the menus of ${address} is not available: ${listing.problem}.`;
}
