import type { Diagnostic } from "../diagnostics/diagnostic.ts";
import { sayInWords } from "./diagnostics/index.ts";
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
  { file, menus, changed, diagnostics }: Written,
  { globals, terminal }: Audience,
): Promise<void> {
  await sayInWords(diagnostics, terminal);
  const counts = `${many(menus, "menu")}${changed === undefined ? "" : `, ${changed} changed`}`;
  if (!globals.quiet) terminal.say(`Wrote ${visible(terminal.path(file))}: ${counts}.\n`);
}

export function showServing(url: string, { globals, terminal }: Audience): void {
  terminal.out(`${url}\n`);
  if (globals.quiet) return;
  terminal.say(
    "The preview is running at this address. It updates when a file changes. Press Ctrl-C to stop it.\n",
  );
}

/** Prints a line each time the files have been read. */
export function sayLoaded(
  menus: number,
  diagnostics: readonly Diagnostic[],
  { host, terminal }: Audience,
): void {
  const found = tally(diagnostics);
  const time = clockTime(host.clock.now().toISOString());
  const words = found === "" ? "" : `, ${found}: see the page`;
  terminal.say(`${terminal.style("dim", time)}  ${many(menus, "menu")}${words}\n`);
}

export function sayNotServing(message: string, terminal: Terminal): void {
  terminal.say(`ivrctl: ${visible(message)}\n`);
}

export function sayEnded(terminal: Terminal): void {
  terminal.say("The preview has stopped.\n");
}
