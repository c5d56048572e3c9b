import type { Agent } from "../compile/agents.ts";
import type { Diagnostic } from "../diagnostics/diagnostic.ts";
import { sayInWords } from "./diagnostics/index.ts";
import { plainDiagnostics } from "./diagnostics/json.ts";
import { formatVersion, toJson } from "./json.ts";
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
  else terminal.out(await table(agents, terminal.outColumns));
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

const gap = 2;

/** As wide as the terminal at the most: the widest columns give way. */
async function table(agents: readonly Agent[], room: number): Promise<string> {
  const { default: widthOf } = await import("string-width");
  const rows = [["NAME", "TEAM", "DEPARTMENTS", "INTERCOM", "EID", ""], ...agents.map(cells)];
  const widest = (rows[0] ?? []).map((_, column) =>
    rows.reduce((width, row) => Math.max(width, widthOf(row[column] ?? "")), 0),
  );
  const widths = narrowed(widest, room - gap * (widest.length - 1));
  const line = (row: readonly string[]) =>
    row.map((cell, column) => fit(cell, widths[column] ?? 0, widthOf)).join(" ".repeat(gap));
  return rows.map((row) => `${line(row).trimEnd()}\n`).join("");
}

const narrowest = 8;

function narrowed(widest: readonly number[], room: number): number[] {
  const needed = widest.reduce((sum, width) => sum + width, 0);
  const limit = Math.max(...widest) - 1;
  if (needed <= room || limit < narrowest) return [...widest];
  return narrowed(
    widest.map((width) => Math.min(width, limit)),
    room,
  );
}

function fit(text: string, width: number, widthOf: (text: string) => number): string {
  if (widthOf(text) <= width) return text + " ".repeat(width - widthOf(text));
  let kept = "";
  for (const { segment } of new Intl.Segmenter().segment(text)) {
    if (widthOf(kept + segment) > width - 1) break;
    kept += segment;
  }
  return `${kept}…${" ".repeat(width - 1 - widthOf(kept))}`;
}

function cells({ name, team, departments, intercom, eid, blocked }: Agent): string[] {
  const all = [name, team ?? "-", departments.join(", ") || "-", intercom ?? "-", eid ?? "-"];
  return [...all.map(visible), blocked ? "blocked" : ""];
}
