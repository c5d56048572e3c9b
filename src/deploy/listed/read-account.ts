import type { Agents } from "../../project/agent-list.ts";
import type { Diagnostics } from "../../diagnostics/diagnostic.ts";
import { readAgentsFile } from "../../project/agents-lock.ts";
import type { Environment } from "../../project/environment.ts";
import type { Host } from "../../util/host.ts";
import { suggest } from "../../util/suggest.ts";
import {
  type Connection,
  type Endpoint,
  type ServiceWatcher,
  openEndpoint,
} from "../service/connect.ts";
import { listAgents } from "../service/list-agents.ts";
import { liveSettings } from "../service/live-menu.ts";
import type { StateView } from "../state/state.ts";
import { LiveMenus } from "./live-menus.ts";
import type { LiveRecordings } from "./live-recordings.ts";
import { LiveNumbers } from "./live-numbers.ts";

/** What the service lists. Without menus, it cannot list them. */
export interface Lists {
  readonly menus?: LiveMenus | undefined;
  readonly numbers?: LiveNumbers | undefined;
  /** Only if ivrctl makes recordings. */
  readonly recordings?: LiveRecordings | undefined;
}

export interface Present {
  readonly agents: Agents;
  readonly lists: Lists;
}

interface AccountRequest {
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
export async function readAccount(
  endpoint: Endpoint,
  { environment, file, ...options }: AccountRequest,
  diagnostics: Diagnostics,
): Promise<Present | undefined> {
  const fileAgents =
    file === undefined
      ? undefined
      : readAgentsFile(options.root, file, endpoint.environment, diagnostics);
  if (file !== undefined && fileAgents === undefined) return undefined;
  const lists = endpoint.operations.has("list") ? environment : undefined;
  if (fileAgents && lists === undefined) return { agents: fileAgents, lists: {} };
  const connection = await openEndpoint(endpoint, options, diagnostics);
  if (connection === undefined) return undefined;
  try {
    return await readPresent(connection, environment, fileAgents, diagnostics, options.signal);
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
  fileAgents: Agents | undefined,
  diagnostics: Diagnostics,
  signal?: AbortSignal,
): Promise<Present | undefined> {
  const { operations, place } = connection;
  const agents = fileAgents ?? (await listAgents(connection, diagnostics, signal));
  if (agents === undefined) return undefined;
  if (!operations.has("list") || environment === undefined) return { agents, lists: {} };
  const lists = await readLists(connection, environment, signal);
  if (typeof lists !== "string") return { agents, lists };
  diagnostics.add("IVR503", place, lists, {
    words: "To test the service, run:",
    argv: suggest("doctor", [], connection.environment),
  });
  return undefined;
}

/** Reads the menus of a service, and its phone numbers and recordings if it has them. Returns a sentence if that fails. */
export async function readLists(
  connection: Omit<Connection, "close">,
  { wire }: Pick<Environment, "wire">,
  signal?: AbortSignal,
  withNumbers = true,
): Promise<Lists | string> {
  const { service, operations, address, clock } = connection;
  const now = () => clock.now().toISOString();
  const menusAt = now();
  const listed = await service.list("menus", signal);
  if (listed.kind !== "listed") {
    return `The menu list of ${address} is not available: ${listed.problem}.`;
  }
  const { items, unreadable } = listed;
  const menus = new LiveMenus(items, unreadable, liveSettings(wire), menusAt);
  const recordings = operations.has("record") ? await readRecordings(connection, signal) : {};
  if (typeof recordings === "string") return recordings;
  if (!withNumbers || !operations.has("numbers")) return { menus, ...recordings };
  const numbersAt = now();
  const numbers = await service.list("numbers", signal);
  return numbers.kind === "listed"
    ? {
        menus,
        ...recordings,
        numbers: new LiveNumbers(numbers.items, numbers.unreadable, numbersAt),
      }
    : `The phone number list of ${address} is not available: ${numbers.problem}.`;
}

/** The recordings that the service lists, in their own list or beside the menus. */
async function readRecordings(
  { service, operations, address, clock }: Omit<Connection, "close">,
  signal: AbortSignal | undefined,
): Promise<Pick<Lists, "recordings"> | string> {
  const at = clock.now().toISOString();
  const isOwn = operations.has("recordings");
  const listed = await service.list(isOwn ? "recordings" : "recordings of menus", signal);
  if (listed.kind === "listed") return { recordings: { items: listed.items, at } };
  return isOwn ? `The recording list of ${address} is not available: ${listed.problem}.` : {};
}
