import type { Agent } from "../compile/agents.ts";
import type { Diagnostic } from "../diagnostics/diagnostic.ts";
import { showJson } from "./diagnostics/index.ts";
import { type Audience, type Terminal, visible } from "./terminal.ts";
import { many } from "../util/many.ts";
import { table, wrap } from "./text.ts";

interface About {
  readonly environment: string;
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

export interface SavedList {
  readonly environment: string;
  readonly count: number;
  readonly file: string;
  /** Whether the file was written. The embedded sandbox lists the agents in the file, so nothing is. */
  readonly isWritten: boolean;
}

export function sayPulled(
  { environment, count, file, isWritten }: SavedList,
  { globals, terminal }: Audience,
): void {
  if (globals.quiet) return;
  const words = count === 0 ? "an empty agent list" : many(count, "agent");
  const sentence = isWritten
    ? `Wrote ${words} for ${environment} to ${file}.`
    : `Nothing to pull: the embedded sandbox uses the agents in ${file}.`;
  terminal.say(`${wrap(sentence, "", terminal.wordWrap)}\n`);
}

export function sayNotPulled(terminal: Terminal): void {
  terminal.say("Nothing was written.\n");
}

const head = ["NAME", "TEAM", "DEPARTMENTS", "INTERCOM", "EID", ""];

function cells({ name, team, departments, intercom, eid, blocked }: Agent): string[] {
  const all = [name, team ?? "-", departments.join(", ") || "-", intercom ?? "-", eid ?? "-"];
  return [...all.map(visible), blocked ? "blocked" : ""];
}
