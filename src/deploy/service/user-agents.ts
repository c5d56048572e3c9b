import { compileConfigured } from "../../compile/compile-project.ts";
import { type Agent, type AgentReference, Agents } from "../../compile/agents.ts";
import type { Project } from "../../project/open-project.ts";
import type { StateView } from "../state/state.ts";
import type { AgentListing, Department, MoreOperations, Refusal, User } from "./service.ts";
import { refused, sharedEid } from "./lists.ts";

/** Returns the references to agents by intercom. The agents have no intercoms yet. */
export type WantedIntercoms = (agents: Agents) => readonly AgentReference[];

/**
 * The agents from the list of users. It has no teams and no intercoms; ivrctl asks for the intercoms
 * of the users that a reference may mean.
 */
export async function listUserAgents(
  service: MoreOperations,
  wanted: WantedIntercoms,
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
  if (twice !== undefined) return refused("agent", twice);
  const list = new Agents(agents);
  const intercoms = await findIntercoms(service, list, wanted(list), signal);
  if (!(intercoms instanceof Map)) return intercoms;
  return {
    kind: "listed",
    agents: agents.map(({ id, name, eid, team, blocked, departments: own }) => {
      const intercom = intercoms.get(id ?? "") ?? null;
      return { id, name, eid, intercom, team, blocked, departments: [...own] };
    }),
  };
}

/** The references by intercom in the menus of a project and in those on record. */
export function wantedIntercoms(
  project: Project | undefined,
  state: StateView | undefined,
): WantedIntercoms {
  return (agents) => [
    ...(project === undefined ? [] : intercomsInProject(project, agents)),
    ...(state === undefined ? [] : intercomsInState(state)),
  ];
}

function intercomsInProject(project: Project, { list }: Agents): readonly AgentReference[] {
  const agents = new NotingAgents(list);
  compileConfigured({ ...project, agents, rules: undefined });
  return agents.wanted;
}

function intercomsInState({ keys }: StateView): AgentReference[] {
  return [...keys.values()].flatMap(({ current }) =>
    (current?.naming.agents ?? []).flatMap(({ reference }) =>
      reference.intercom === undefined ? [] : [reference],
    ),
  );
}

/** Notes the references by intercom that a compilation looks up. */
class NotingAgents extends Agents {
  readonly wanted: AgentReference[] = [];

  override find(wanted: AgentReference): readonly Agent[] {
    if (wanted.intercom !== undefined) this.wanted.push(wanted);
    return super.find(wanted);
  }
}

const blockedStatuses: ReadonlySet<number> = new Set([1, 2]);

function toAgents(users: readonly User[], departments: readonly Department[]): Agent[] {
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

/** The most users whose intercoms are requested, one by one. */
const maxIntercoms = 200;

/** The intercoms of the users that these references may mean, by the id of the user. */
async function findIntercoms(
  service: MoreOperations,
  agents: Agents,
  wanted: readonly AgentReference[],
  signal: AbortSignal | undefined,
): Promise<Map<string, string | null> | Refusal> {
  const intercoms = new Map<string, string | null>();
  for (const { intercom, team: _, ...rest } of wanted) {
    const isNamed = Object.keys(rest).length > 0;
    for (const { id } of isNamed ? agents.find(rest) : agents.list) {
      // Intercoms are unique, so the first user with it is the one.
      if (!isNamed && [...intercoms.values()].includes(intercom ?? null)) break;
      if (id === null || intercoms.has(id)) continue;
      if (intercoms.size >= maxIntercoms) return intercoms;
      const found = await service.findIntercom(id, signal);
      if (found.kind === "refused") return found;
      intercoms.set(id, found.value);
    }
  }
  return intercoms;
}
