import type { Agent } from "../compile/agents.ts";
import type { Diagnostic } from "../diagnostics/diagnostic.ts";
import { showJson } from "./diagnostics/index.ts";
import { formatVersion, toJson } from "./json.ts";
import { type Terminal, visible } from "./terminal.ts";
import { many } from "../util/many.ts";
import { table } from "./text.ts";

interface About {
  readonly environment: string | null;
  /** The number of agents before any filter. */
  readonly total: number;
  readonly diagnostics: readonly Diagnostic[];
  readonly format: string;
  readonly terminal: Terminal;
}

export async function showAgents(agents: readonly Agent[], about: About): Promise<void> {
  const { environment, total, terminal } = about;
  if (await showJson({ environment, agents }, about.diagnostics, about)) return;
  if (total === 0) terminal.say("The agent list is empty.\n");
  else if (agents.length === 0) terminal.say(`No match among ${many(total, "agent")}.\n`);
  else terminal.out(table(head, agents.map(cells), terminal.outColumns));
}

/** Prints diagnostics instead of the list, in the format that was asked for. */
export async function showNoAgents(
  diagnostics: readonly Diagnostic[],
  format: string,
  terminal: Terminal,
): Promise<void> {
  await showJson({ environment: null, agents: [] }, diagnostics, { format, terminal });
}

export function sayPulled(count: number, format: string, quiet: boolean, terminal: Terminal): void {
  if (format === "json") terminal.out(toJson({ format_version: formatVersion, agents: count }));
  if (quiet) return;
  const words = count === 0 ? "an empty agent list" : many(count, "agent");
  terminal.say(`Wrote ${words} to agents.lock.json.\n`);
}

const head = ["NAME", "TEAM", "DEPARTMENTS", "INTERCOM", "EID", ""];

function cells({ name, team, departments, intercom, eid, blocked }: Agent): string[] {
  const all = [name, team ?? "-", departments.join(", ") || "-", intercom ?? "-", eid ?? "-"];
  return [...all.map(visible), blocked ? "blocked" : ""];
}
