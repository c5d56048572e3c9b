import type { Agent } from "../compile/agents.ts";
import type { Diagnostics } from "../diagnostics/diagnostic.ts";
import type { Source } from "../diagnostics/source.ts";
import { hasSnapshot, readNamed, readSnapshot } from "./files.ts";

interface AgentOptions {
  /** A file to read instead of agents.lock.json. */
  readonly agentsFile: string | undefined;
  /** Whether to report an error if there is no list. */
  readonly agentsRequired: boolean;
}

/** Reads the agent list in the file that the user named, or else agents.lock.json. */
export function readAgentSource(
  root: string,
  { agentsFile, agentsRequired }: AgentOptions,
  diagnostics: Diagnostics,
): Source | undefined {
  if (agentsFile !== undefined) return readNamed(root, agentsFile, "agentList", diagnostics);
  const snapshot = readSnapshot(root, diagnostics);
  // If the snapshot exists but cannot be read, that has been reported already.
  if (agentsRequired && !hasSnapshot(root)) {
    diagnostics.addFile(
      "IVR311",
      "agents.lock.json",
      "There is no agent list, so ivrctl cannot find the agents.",
      "Name a list with --agents FILE, or create agents.lock.json: ivrctl agents pull",
    );
  }
  return snapshot;
}

interface About {
  /** When the list was read, as an ISO time. */
  readonly pulledAt: string;
  /** The host of the service. */
  readonly service: string;
}

/**
 * The text of agents.lock.json. It has only the fields that menus need, without phone
 * numbers and counters. It is sorted and has one agent per line, so that a diff shows one
 * line for each changed agent.
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
