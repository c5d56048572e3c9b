import type { Audience } from "./audience.ts";
import type { Diagnostic } from "../diagnostics/diagnostic.ts";
import { sayInWords } from "./diagnostics/index.ts";
import { plainDiagnostics } from "./diagnostics/json.ts";
import { tally } from "./diagnostics/text.ts";
import { formatVersion, toJson } from "./json.ts";
import { type Terminal, visible } from "./terminal.ts";

interface Written {
  /** Where the page is. */
  readonly file: string;
  readonly menus: number;
  readonly diagnostics: readonly Diagnostic[];
}

/** The page is on disk. */
export async function showWritten(
  { file, menus, diagnostics }: Written,
  { format, globals, terminal }: Audience,
): Promise<void> {
  await sayInWords(diagnostics, terminal);
  if (format === "json") {
    const shown = plainDiagnostics(diagnostics);
    terminal.out(toJson({ format_version: formatVersion, file, menus, diagnostics: shown }));
  }
  if (!globals.quiet) terminal.say(`Wrote ${visible(file)}: ${many(menus)}.\n`);
}

/** With a machine format stdout holds that format also when there is no page. */
export async function showNotWritten(
  diagnostics: readonly Diagnostic[],
  { format, terminal }: Audience,
): Promise<void> {
  await sayInWords(diagnostics, terminal);
  if (format !== "json") return;
  const shown = plainDiagnostics(diagnostics);
  terminal.out(toJson({ format_version: formatVersion, file: null, diagnostics: shown }));
}

/** The server listens. */
export function showServing(url: string, { format, globals, terminal }: Audience): void {
  // One line, so that a script can read it while the preview runs.
  if (format === "json") terminal.out(`${JSON.stringify({ url })}\n`);
  if (globals.quiet) return;
  terminal.say(
    `The preview is at ${terminal.style("bold", url)}\nIt follows the files. Ctrl-C ends it.\n`,
  );
}

/** After every reading of the files, in one line. */
export function sayLoaded(
  menus: number,
  diagnostics: readonly Diagnostic[],
  terminal: Terminal,
): void {
  const found = tally(diagnostics);
  const time = new Date().toTimeString().slice(0, 8);
  const words = found === "" ? "" : `, ${found}: see the page`;
  terminal.say(`${terminal.style("dim", time)}  ${many(menus)}${words}\n`);
}

export function sayNotServing(message: string, terminal: Terminal): void {
  terminal.say(`ivrctl: ${visible(message)}\n`);
}

export function sayEnded(terminal: Terminal): void {
  terminal.say("The preview has ended.\n");
}

function many(menus: number): string {
  return menus === 1 ? "1 menu" : `${menus} menus`;
}
