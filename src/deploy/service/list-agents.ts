import { Agents } from "../../project/agent-list.ts";
import { reportOtherService } from "../../project/agents-lock.ts";
import type { Diagnostics } from "../../diagnostics/diagnostic.ts";
import type { AgentListOrigin, ListedAgent, Named } from "../../schema/agent.ts";
import { type Hint, suggest } from "../../util/suggest.ts";
import type { Connection, Endpoint } from "./connect.ts";
import { type Listing, clean, listRefusal } from "./lists.ts";
import type { HttpService } from "./http-service.ts";

const replaceToken =
  "Replace the token if it is incomplete, has expired or belongs to a different account. To test it, run:";

/** How to fix an environment whose service has no list of users. */
const removeUsers =
  "Remove `users` from the environment's `operations:`. Agents then come from the agent list.";

/** How to fix an agent that the service lists with missing or invalid fields. */
const correctAgent =
  "Correct the agent on the console. If it is correct there, report the problem to the service's provider.";

/** The agent list that the service returns now. */
export async function listAgents(
  { service, operations, settings, place, address, environment }: Connection,
  diagnostics: Diagnostics,
  signal?: AbortSignal,
): Promise<Agents | undefined> {
  const isFromUsers = operations.has("users");
  const listing = await listedAgents(service, isFromUsers, signal);
  if (listing.kind === "listed")
    return new Agents(listing.items, isFromUsers ? { source: "users" } : {});
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

/** What else the service lists, as far as the environment has these operations. Reports a list that is not there. */
export async function listNames(
  { service, operations, place, address }: Connection,
  diagnostics: Diagnostics,
): Promise<Pick<AgentListOrigin, "recordings" | "departments"> | undefined> {
  const named = (listing: Listing<Named>) => {
    if (listing.kind === "listed") return listing.items.map(({ id, name }) => ({ id, name }));
    const message = `The names that ${address} lists are not available: ${listing.problem}.`;
    const help = "Remove `recordings` or `departments` from the environment's `operations:`.";
    diagnostics.add("IVR503", place, message, help);
    return [];
  };
  const names: Pick<AgentListOrigin, "recordings" | "departments"> = {};
  if (operations.has("recordings")) names.recordings = named(await service.list("recordings"));
  else if (operations.has("list")) {
    const listing = await service.list("recordings of menus");
    if (listing.kind === "listed") names.recordings = named(listing);
  }
  if (operations.has("departments") || operations.has("users")) {
    names.departments = named(await service.list("departments"));
  }
  return diagnostics.hasErrors ? undefined : names;
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
  const { pulled_at: at } = agents.origin;
  if (at === undefined) return;
  diagnostics.addAt(
    "IVR616",
    { file },
    `This agent list was pulled on ${at.slice(0, 10)} (UTC). The service may have other agents now.`,
    "Remove --agents to use the service's list.",
  );
}

/**
 * The agents, from the agent list or from the list of users, which has no teams and no intercoms. One that
 * is invalid makes the list invalid, because agents have no other source.
 */
export async function listedAgents(
  service: Pick<HttpService, "list">,
  isFromUsers: boolean,
  signal?: AbortSignal,
): Promise<Listing<ListedAgent>> {
  const listing = await (isFromUsers
    ? listUserAgents(service, signal)
    : service.list("agents", signal));
  if (listing.kind === "refused") return listing;
  const invalid = (name: string | null, problem: string) =>
    listRefusal("agent", `the agent list is invalid: ${name ?? "an agent"}: ${problem}`);
  const [first] = listing.unreadable;
  if (first !== undefined) return invalid(first.name, first.problem);
  const owners = new Map<string, string>();
  for (const { eid, name } of listing.items) {
    if (eid === null || eid === undefined) continue;
    const owner = owners.get(String(eid));
    if (owner !== undefined)
      return invalid(owner, clean(`${name} has the same extension id ${eid}`));
    owners.set(String(eid), clean(String(name)));
  }
  return listing;
}

async function listUserAgents(
  service: Pick<HttpService, "list">,
  signal?: AbortSignal,
): Promise<Listing<ListedAgent>> {
  const users = await service.list("users", signal);
  if (users.kind === "refused" || users.unreadable.length > 0) return users;
  const departments = await service.list("departments", signal);
  if (departments.kind === "refused") return departments;
  const inDepartments = (eid: string) =>
    departments.items.flatMap(({ name, eids }) => (eids.includes(eid) ? name : []));
  const items = users.items.flatMap(({ id, name, eid, blocked }) =>
    eid === null ? [] : { id, name, eid, blocked, departments: inDepartments(eid) },
  );
  return { ...users, items };
}
