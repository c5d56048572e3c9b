import type { Diagnostic } from "../diagnostics/diagnostic.ts";
import { sayInWords } from "./diagnostics/index.ts";
import { toJson } from "./json.ts";
import type { Terminal } from "./terminal.ts";

/** Prints the schema to stdout and problems to stderr. */
export async function showSchema(
  schema: object,
  diagnostics: readonly Diagnostic[],
  terminal: Terminal,
): Promise<void> {
  await sayInWords(diagnostics, terminal);
  terminal.out(toJson(schema));
}
