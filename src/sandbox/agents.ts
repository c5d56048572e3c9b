import type { Agent } from "../compile/agents.ts";

type ServiceAgents = ReturnType<typeof toService>;

/** Example agents: two with the same name, one without a team, one blocked, one not in Latin script. */
export function exampleAgents(): ServiceAgents {
  return toService([
    example(101, "Asha Rao", "Sales", ["Sales"]),
    example(102, "Ravi Kumar", "Billing", ["Accounts", "Support"]),
    example(103, "Ravi Kumar", "Sales", ["Sales"]),
    example(104, "Front Desk", null, []),
    { ...example(105, "Meera Joshi", "Support", ["Support"]), blocked: true },
    example(106, "अनिल देशपांडे", "Support", ["Support", "Night shift"]),
  ]);
}

/** Converts agents to the service's format. Fields that an `Agent` does not have get placeholder values. */
export function toService(agents: readonly Agent[]) {
  const teams = numbering(agents.flatMap(({ team }) => team ?? []));
  const departments = numbering(agents.flatMap(({ departments }) => departments));
  return agents.map((agent, index) => ({
    id: idOf(agent),
    name: agent.name,
    // No phone number in India begins with a zero after +91.
    follow_me_number: `+910${String(index).padStart(9, "0")}`,
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

function example(
  id: number,
  name: string,
  team: string | null,
  departments: readonly string[],
): Agent {
  return {
    id: String(id),
    name,
    eid: `500${id}`,
    intercom: String(id + 900),
    team,
    departments,
    blocked: false,
  };
}

/** The id as a number, as in the service's sample, if no character is lost. */
function idOf({ id }: Agent): number | string {
  const number = Number(id);
  return id !== null && Number.isSafeInteger(number) && String(number) === id ? number : (id ?? "");
}

function numbering(names: readonly string[]): Map<string, number> {
  return new Map([...new Set(names)].map((name, index) => [name, index + 1]));
}
