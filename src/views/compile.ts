import type { CompiledMenu } from "../compile/menu.ts";
import type { Diagnostic } from "../diagnostics/diagnostic.ts";
import { sayInWords } from "./diagnostics/index.ts";
import { diagnosticsJson, toJson } from "./json.ts";
import type { Terminal } from "./terminal.ts";

/** `{ KEY: PAYLOAD, … }`; warnings to the person. */
export async function showCompiled(
  menus: readonly CompiledMenu[],
  diagnostics: readonly Diagnostic[],
  terminal: Terminal,
): Promise<void> {
  await sayInWords(diagnostics, terminal);
  const payloads = menus.map(({ key, payload }) => [key, payload] as const);
  terminal.out(toJson(Object.fromEntries(payloads)));
}

/** No payload at all while anything is wrong: half a project is not what was asked for. */
export async function showFailed(
  diagnostics: readonly Diagnostic[],
  terminal: Terminal,
): Promise<void> {
  await sayInWords(diagnostics, terminal);
  terminal.out(diagnosticsJson(diagnostics));
}

/** The schema alone on stdout; warnings to the person. */
export async function showSchema(
  schema: object,
  diagnostics: readonly Diagnostic[],
  terminal: Terminal,
): Promise<void> {
  await sayInWords(diagnostics, terminal);
  terminal.out(toJson(schema));
}
