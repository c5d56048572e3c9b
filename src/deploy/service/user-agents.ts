import type { ListedAgent } from "../../schema/agent.ts";
import type { AgentListing, Department, MoreOperations, User } from "./service.ts";
import { refused, sharedEid } from "./lists.ts";

/** The agents from the list of users, which has no teams and no intercoms. */
export async function listUserAgents(
  service: MoreOperations,
  signal?: AbortSignal,
): Promise<AgentListing> {
  const users = await service.listUsers(signal);
  if (users.kind === "refused") return users;
  const [invalid] = users.unreadable;
  if (invalid !== undefined) {
    const who = invalid.name ?? invalid.id ?? "one of them";
    return refused("agent", `the list of users is invalid: ${who}: ${invalid.problem}`);
  }
  const departments = await service.listDepartments(signal);
  if (departments.kind === "refused") return departments;
  const agents = toAgents(users.items, departments.items);
  const twice = sharedEid(agents);
  return twice === undefined ? { kind: "listed", agents } : refused("agent", twice);
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
