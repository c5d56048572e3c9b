import type { Agent } from "../compile/agents.ts";
import type { Diagnostic } from "../diagnostics/diagnostic.ts";
import { sayInWords } from "./diagnostics/index.ts";
import { plainDiagnostics } from "./diagnostics/json.ts";
import { formatVersion, toJson } from "./json.ts";
import { table } from "./table.ts";
import { type Terminal, visible } from "./terminal.ts";

interface About {
  readonly environment: string | null;
  /** How many there are before any filter. */
  readonly total: number;
  readonly diagnostics: readonly Diagnostic[];
  readonly format: string;
  readonly terminal: Terminal;
}

export async function showAgents(agents: readonly Agent[], about: About): Promise<void> {
  const { environment, total, format, terminal } = about;
  await sayInWords(about.diagnostics, terminal);
  if (format === "json") {
    const diagnostics = plainDiagnostics(about.diagnostics);
    terminal.out(toJson({ format_version: formatVersion, environment, agents, diagnostics }));
    return;
  }
  if (total === 0) terminal.say("The list is empty: there are no agents.\n");
  else if (agents.length === 0) terminal.say(`None of the ${total} agents fits.\n`);
  else terminal.out(await table(head, agents.map(cells), terminal.outColumns));
}

/** With a machine format stdout holds that format also when there is no list. */
export async function showNoAgents(
  diagnostics: readonly Diagnostic[],
  format: string,
  terminal: Terminal,
): Promise<void> {
  await sayInWords(diagnostics, terminal);
  if (format !== "json") return;
  const shown = plainDiagnostics(diagnostics);
  terminal.out(
    toJson({ format_version: formatVersion, environment: null, agents: [], diagnostics: shown }),
  );
}

export function sayPulled(count: number, format: string, quiet: boolean, terminal: Terminal): void {
  if (format === "json") terminal.out(toJson({ format_version: formatVersion, agents: count }));
  if (quiet) return;
  const words = count === 0 ? "The list is empty" : `${count} ${count === 1 ? "agent" : "agents"}`;
  terminal.say(`${words}, kept in agents.lock.json.\n`);
}

const head = ["NAME", "TEAM", "DEPARTMENTS", "INTERCOM", "EID", ""];

function cells({ name, team, departments, intercom, eid, blocked }: Agent): string[] {
  const all = [name, team ?? "-", departments.join(", ") || "-", intercom ?? "-", eid ?? "-"];
  return [...all.map(visible), blocked ? "blocked" : ""];
}
