import { Agents } from "../../project/agent-list.ts";
import { listAgents, listNames } from "../service/list-agents.ts";
import type { Diagnostics } from "../../diagnostics/diagnostic.ts";
import { type ProjectPlace, openConfiguration } from "../../workspace/open-project.ts";
import {
  type Connection,
  type Endpoint,
  type ServiceWatcher,
  chosenEndpoint,
  openEndpoint,
  requireOperation,
} from "../service/connect.ts";
import { readState } from "../state/access.ts";
import { isUnnamed, openStore } from "../state/open-store.ts";
import { State, type StateView } from "../state/state.ts";
/**
 * Connects to the service of the environment that the user chose, calls `act`, and closes the
 * connection. Reports a failure and returns undefined.
 */
export async function withService<T>(
  place: ProjectPlace,
  watcher: ServiceWatcher,
  diagnostics: Diagnostics,
  act: (connection: Connection) => Promise<T | undefined>,
  operation?: "numbers" | "list",
): Promise<T | undefined> {
  const { root, host } = place;
  const needs = { token: true, state: true };
  const endpoint = chosenEndpoint(openConfiguration(place), diagnostics, needs);
  if (endpoint === undefined) return undefined;
  if (operation && !requireOperation(endpoint, operation, diagnostics)) return undefined;
  const state = await readRecorded(place, endpoint, diagnostics);
  const connection = await openEndpoint(endpoint, { root, host, watcher, state }, diagnostics);
  if (connection === undefined) return undefined;
  try {
    return await act(connection);
  } finally {
    await connection.close();
  }
}

/** Reads the state for a command that needs only the address in it. */
async function readRecorded(
  place: Pick<ProjectPlace, "root" | "host">,
  { environment, address, settings, state }: Endpoint,
  diagnostics: Diagnostics,
): Promise<StateView | undefined> {
  if (settings.kind === "sandbox") return undefined;
  if (state && isUnnamed(state)) return new State();
  const store = await openStore(place, environment, state, diagnostics);
  const recorded = store && (await readState(store, diagnostics))?.state;
  if (recorded === undefined) {
    diagnostics.add(
      "IVR606",
      settings.place,
      `The token is not sent to ${address}, because the address in the state cannot be read.`,
      "Get access to the state of the environment.",
    );
  }
  return recorded;
}

export interface LiveAgents extends Pick<Endpoint, "environment" | "identity" | "settings"> {
  readonly agents: Agents;
  /** Whether the list may go away: the service has deprecated it, the embedded sandbox has not. */
  readonly isDeprecated: boolean;
}

/** The agent list of the service that the user asked for, with the names of what else it lists. */
export function listLive(
  place: ProjectPlace,
  watcher: ServiceWatcher,
  diagnostics: Diagnostics,
  withNames = false,
): Promise<LiveAgents | undefined> {
  return withService(place, watcher, diagnostics, async (connection) => {
    const listed = await listAgents(connection, diagnostics);
    const { settings, operations } = connection;
    const isDeprecated = settings.kind === "http" && !operations.has("users");
    const names = withNames && listed ? await listNames(connection, diagnostics) : {};
    const agents = listed && names && new Agents(listed.list, { ...listed.origin, ...names });
    return agents && { ...connection, agents, isDeprecated };
  });
}
