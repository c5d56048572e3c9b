import type { Diagnostic } from "../diagnostics/diagnostic.ts";
import { sayInWords } from "./diagnostics/index.ts";
import { diagnosticsJson } from "./json.ts";
import { type Audience, visible } from "./terminal.ts";

interface New {
  readonly key: string;
  /** The path of the file; null if it was not written. */
  readonly file: string | null;
}

/** Prints the path of a new menu, and what to do next. */
export async function showNew(
  { key, file }: New,
  diagnostics: readonly Diagnostic[],
  { format, globals, terminal }: Audience,
): Promise<void> {
  if (format === "json") {
    terminal.out(diagnosticsJson(diagnostics, { key, file }));
    return;
  }
  await sayInWords(diagnostics, terminal);
  if (file === null) return;
  terminal.out(`${visible(terminal.path(file))}\n`);
  if (globals.quiet) return;
  terminal.say(`Edit the file. Then check it:\n  ivrctl validate ${visible(key)}\n`);
}
