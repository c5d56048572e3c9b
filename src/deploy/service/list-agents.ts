import { Agents } from "../../compile/agents.ts";
import { reportOtherService } from "../../project/agents-lock.ts";
import type { ProjectPlace } from "../../project/open-project.ts";
import type { Diagnostics } from "../../diagnostics/diagnostic.ts";
import type { ListedAgent } from "../../schema/agent.ts";
import { secrets } from "../../util/secrets.ts";
import { type Hint, suggest } from "../../util/suggest.ts";
import { type Connection, type Endpoint, type ServiceWatcher, withService } from "./connect.ts";
import { invalidAgent, uniqueAgents } from "./lists.ts";
import type { HttpService } from "./http-service.ts";
import type { AgentListing, Department, User } from "./service.ts";

const replaceToken =
  "Replace the token if it is incomplete, has expired or belongs to a different account. To test it, run:";

/** How to fix an environment whose service has no list of users. */
const removeUsers =
  "Remove `users` from `operations:` of the environment. Agents then come from the agent list.";

/** How to fix an agent that the service lists with missing or invalid fields. */
const correctAgent =
  "Correct the agent on the console. If it is correct there, report the problem to the provider of the service.";

/** The agent list that the service returns now. */
export async function listAgents(
  { service, operations, settings, place, address, environment }: Connection,
  diagnostics: Diagnostics,
  signal?: AbortSignal,
): Promise<Agents | undefined> {
  const isFromUsers = operations.has("users");
  const listing = isFromUsers ? await listUserAgents(service, signal) : await service.list(signal);
  if (listing.kind === "listed") return new Agents(listing.agents, { isFromUsers });
  const message = `The agent list of ${address} is not available: ${listing.problem}.`;
  const isToken =
    (listing.reason === "token" || listing.reason === "scope") && settings.kind === "http";
  const argv = suggest("doctor", [], environment);
  const hint: Hint = isToken
    ? { words: replaceToken, argv }
    : isFromUsers && listing.reason === "not-offered"
      ? removeUsers
      : listing.reason === "agent"
        ? correctAgent
        : { words: "Check the address, the token and the network. To test them, run:", argv };
  diagnostics.add("IVR503", isToken ? settings.tokenPlace : place, message, hint);
  return undefined;
}

/** Warns that an agent list from a file may be out of date, or that it is from a different service. */
export function reportOrigin(
  agents: Agents,
  file: string | undefined,
  { environment, identity, settings }: Endpoint,
  diagnostics: Diagnostics,
): void {
  if (file === undefined) return;
  if (settings.kind === "http") {
    reportOtherService(agents, file, { environment, identity }, diagnostics);
  }
  const { pulledAt } = agents.origin;
  if (pulledAt === undefined) return;
  diagnostics.addAt(
    "IVR616",
    { file },
    `This agent list was pulled on ${pulledAt.toISOString().slice(0, 10)} (UTC). The service may have other agents now.`,
    "Remove --agents to use the list of the service.",
  );
}

export interface LiveAgents extends Pick<Endpoint, "environment" | "identity" | "settings"> {
  readonly agents: Agents;
  /** Whether the list may go away: the service has deprecated it, the embedded sandbox has not. */
  readonly isDeprecated: boolean;
}

/** The agent list of the service that the user asked for. */
export function listLive(
  place: ProjectPlace,
  watcher: ServiceWatcher,
  diagnostics: Diagnostics,
): Promise<LiveAgents | undefined> {
  return withService(place, watcher, diagnostics, async (connection) => {
    const agents = await listAgents(connection, diagnostics);
    const { settings, operations } = connection;
    const isDeprecated = settings.kind === "http" && !operations.has("users");
    return agents && { ...connection, agents, isDeprecated };
  });
}

/** The agents from the list of users, which has no teams and no intercoms. */
async function listUserAgents(
  service: Pick<HttpService, "listUsers" | "listDepartments">,
  signal?: AbortSignal,
): Promise<AgentListing> {
  const users = await service.listUsers(signal);
  if (users.kind === "refused") return users;
  const [invalid] = users.unreadable;
  if (invalid !== undefined) return invalidAgent(invalid.name ?? invalid.id, invalid.problem);
  const departments = await service.listDepartments(signal);
  if (departments.kind === "refused") return departments;
  return uniqueAgents(toAgents(users.items, departments.items), (text) => secrets.mask(text));
}

const blockedStatuses: ReadonlySet<number> = new Set([1, 2]);

function toAgents(users: readonly User[], departments: readonly Department[]): ListedAgent[] {
  const names = new Map<string, string[]>();
  for (const { name, eids } of departments) {
    for (const eid of eids) names.set(eid, [...(names.get(eid) ?? []), name]);
  }
  return users.flatMap(({ id, agent }) => {
    if (agent === null) return [];
    const { eid, name, status } = agent;
    return {
      id,
      name,
      eid,
      intercom: null,
      team: null,
      departments: names.get(eid) ?? [],
      blocked: blockedStatuses.has(status),
    };
  });
}
