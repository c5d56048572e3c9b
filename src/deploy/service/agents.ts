import { Agents } from "../../compile/agents.ts";
import { readAgentList } from "../../compile/agent-list.ts";
import { readNamed } from "../../project/files.ts";
import { type ProjectPlace, openConfiguration } from "../../project/open-project.ts";
import { ageOf } from "../../util/age.ts";
import type { Diagnostics } from "../../diagnostics/diagnostic.ts";
import { type Connection, type ServiceWatcher, endpointOf, openEndpoint } from "./connect.ts";

/** The agent list in a file. */
export function readAgentsFile(
  root: string,
  file: string,
  diagnostics: Diagnostics,
): Agents | undefined {
  const source = readNamed(root, file, "agentList", diagnostics);
  return source && readAgentList(source, diagnostics);
}

/** The agent list that the service returns now. */
export async function listAgents(
  { service, place, address }: Connection,
  diagnostics: Diagnostics,
  signal?: AbortSignal,
): Promise<Agents | undefined> {
  const listing = await service.list(signal);
  if (listing.kind === "listed") return new Agents(listing.agents);
  diagnostics.add("IVR503", place, `${address}: ${listing.problem}.`);
  return undefined;
}

/** Warns that the service may have other agents than a file by now. */
export function reportAge(
  agents: Agents,
  file: string | undefined,
  diagnostics: Diagnostics,
): void {
  if (file === undefined || agents.pulledAt === undefined) return;
  diagnostics.addFile(
    "IVR616",
    file,
    `The agents are those ${ageOf(agents.pulledAt)}; the service's own may differ by now.`,
  );
}

export interface LiveAgents {
  readonly environment: string;
  /** The host that returned the list. */
  readonly host: string;
  readonly agents: Agents;
}

/** Connects to the service of the environment and returns its agent list. */
export async function listLive(
  place: ProjectPlace,
  watcher: ServiceWatcher,
  diagnostics: Diagnostics,
): Promise<LiveAgents | undefined> {
  const needs = { token: true, state: false };
  const endpoint = endpointOf(openConfiguration(place), diagnostics, needs);
  const options = { root: place.root, watcher };
  const connection = endpoint && (await openEndpoint(endpoint, options, diagnostics));
  if (connection === undefined) return undefined;
  const { environment, address } = connection;
  try {
    const agents = await listAgents(connection, diagnostics);
    return agents && { environment, host: hostOf(address), agents };
  } finally {
    await connection.close();
  }
}

function hostOf(address: string): string {
  return URL.canParse(address) ? new URL(address).host : "sandbox";
}
