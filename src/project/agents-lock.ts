import type { Agent } from "../compile/agents.ts";

interface About {
  /** When the list was read, as an ISO time. */
  readonly pulledAt: string;
  /** The host it came from. */
  readonly service: string;
}

/**
 * The text of agents.lock.json: what menus need and nothing else (no phone
 * numbers, no counters), sorted, one agent a line, so that a change of the list
 * is a change of as many lines.
 */
export function snapshotText(agents: readonly Agent[], { pulledAt, service }: About): string {
  const lines = [...agents].sort(byName).map((agent) => `    ${line(agent)}`);
  return `{
  "format_version": "1.0",
  "pulled_at": ${JSON.stringify(pulledAt)},
  "service": ${JSON.stringify(service)},
  "agents": [
${lines.join(",\n")}
  ]
}
`;
}

function line({ id, name, eid, intercom, team, departments, blocked }: Agent): string {
  const fields = { id, name, eid, intercom, team, departments: [...departments], blocked };
  const parts = Object.entries(fields).map(([key, value]) => `"${key}": ${json(value)}`);
  return `{ ${parts.join(", ")} }`;
}

function json(value: unknown): string {
  return Array.isArray(value)
    ? `[${value.map((item) => JSON.stringify(item)).join(", ")}]`
    : JSON.stringify(value);
}

function byName(a: Agent, b: Agent): number {
  return (
    compare(a.name, b.name) || compare(a.eid ?? "", b.eid ?? "") || compare(a.id ?? "", b.id ?? "")
  );
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
