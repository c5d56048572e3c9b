import { join } from "node:path";
import type { Agent } from "../project/agent-list.ts";
import { Diagnostics } from "../diagnostics/diagnostic.ts";
import { readSnapshot } from "../project/agents-lock.ts";
import { DiskFiles } from "../project/files.ts";
import { packageRoot } from "../util/disk.ts";
import { numberOrText } from "../util/number-or-text.ts";

type ServiceAgents = ReturnType<typeof toService>;

/** The agents that `ivrctl init` writes: two with the same name, one without a team, one blocked, one not in Latin script. */
export function exampleAgents(): ServiceAgents {
  const folder = join(packageRoot(), "templates/project");
  const list = readSnapshot(new DiskFiles(folder), undefined, new Diagnostics())?.list ?? [];
  return toService(list.toSorted((a, b) => Number(a.id) - Number(b.id)));
}

/** Converts agents to the service's format. Fields that an `Agent` does not have get placeholder values. */
export function toService(agents: readonly Agent[]) {
  const teams = numbering(agents.flatMap(({ team }) => team ?? []));
  const departments = departmentIds(agents);
  return agents.map((agent, index) => ({
    id: numberOrText(agent.id ?? ""),
    name: agent.name,
    follow_me_number: agentPhone(index),
    eid: agent.eid ?? "",
    intercom: agent.intercom ?? "",
    calls_answered: 0,
    product_clicktocall: 0,
    team_id: agent.team === null ? null : (teams.get(agent.team) ?? null),
    team_name: agent.team,
    custom_status: agent.blocked ? 1 : 0,
    timegroup_name: null,
    timegroup_id: null,
    failover_destination: null,
    failover_destination_name: null,
    departments: agent.departments.map((name) => ({
      name,
      id: String(departments.get(name) ?? ""),
    })),
  }));
}

export function departmentIds(agents: readonly Agent[]): Map<string, number> {
  return numbering(agents.flatMap(({ departments }) => departments));
}

/** The phone of an agent. No phone number in India begins with a zero after +91. */
export function agentPhone(index: number): string {
  return `+910${String(index).padStart(9, "0")}`;
}

function numbering(names: readonly string[]): Map<string, number> {
  return new Map([...new Set(names)].map((name, index) => [name, index + 1]));
}
