import type { Diagnostic } from "../diagnostics/diagnostic.ts";
import { sayInWords } from "./diagnostics/index.ts";
import { toJson } from "./json.ts";
import type { Terminal } from "./terminal.ts";

/** The schema alone on stdout; warnings to the person. */
export async function showSchema(
  schema: object,
  diagnostics: readonly Diagnostic[],
  terminal: Terminal,
): Promise<void> {
  await sayInWords(diagnostics, terminal);
  terminal.out(toJson(schema));
}
