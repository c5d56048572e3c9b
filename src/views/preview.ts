import type { Diagnostic } from "../diagnostics/diagnostic.ts";
import { showJson } from "./diagnostics/index.ts";
import { tally } from "./diagnostics/text.ts";
import { type Audience, type Terminal, visible } from "./terminal.ts";
import { clockTime } from "../util/time.ts";
import { many } from "../util/many.ts";

interface Written {
  readonly file: string;
  readonly menus: number;
  /** Absent unless the menus are compared with a revision. */
  readonly changed?: number;
  readonly diagnostics: readonly Diagnostic[];
}

export async function showWritten(
  { diagnostics, ...written }: Written,
  audience: Audience,
): Promise<void> {
  const { globals, terminal } = audience;
  await showJson(written, diagnostics, audience);
  const { file, menus, changed } = written;
  const counts = `${many(menus, "menu")}${changed === undefined ? "" : `, ${changed} changed`}`;
  if (!globals.quiet) terminal.say(`Wrote ${visible(terminal.path(file))}: ${counts}.\n`);
}

/** Prints diagnostics instead of a result, in the format that was asked for. */
export async function showNotWritten(
  diagnostics: readonly Diagnostic[],
  audience: Audience,
): Promise<void> {
  await showJson({ file: null }, diagnostics, audience);
}

export function showServing(url: string, { format, globals, terminal }: Audience): void {
  // One line, so that a script can read it while the preview runs.
  if (format === "json") terminal.out(`${JSON.stringify({ url })}\n`);
  if (globals.quiet) return;
  terminal.say(
    `The preview is running at ${terminal.style("bold", url)}\nIt updates when a file changes. Press Ctrl-C to stop it.\n`,
  );
}

/** Prints a line each time the files have been read. */
export function sayLoaded(
  menus: number,
  diagnostics: readonly Diagnostic[],
  terminal: Terminal,
): void {
  const found = tally(diagnostics);
  const time = clockTime(new Date().toISOString());
  const words = found === "" ? "" : `, ${found}: see the page`;
  terminal.say(`${terminal.style("dim", time)}  ${many(menus, "menu")}${words}\n`);
}

export function sayNotServing(message: string, terminal: Terminal): void {
  terminal.say(`ivrctl: ${visible(message)}\n`);
}

export function sayEnded(terminal: Terminal): void {
  terminal.say("The preview has stopped.\n");
}
