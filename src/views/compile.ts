import type { CompiledMenu } from "../compile/menu.ts";
import type { Diagnostic } from "../diagnostics/diagnostic.ts";
import { sayInWords } from "./diagnostics/index.ts";
import { diagnosticsJson, toJson } from "./json.ts";
import type { Terminal } from "./terminal.ts";

/** Prints `{ KEY: PAYLOAD, … }`. */
export async function showCompiled(
  menus: readonly CompiledMenu[],
  diagnostics: readonly Diagnostic[],
  terminal: Terminal,
): Promise<void> {
  await sayInWords(diagnostics, terminal);
  const payloads = menus.map(({ key, payload }) => [key, payload] as const);
  terminal.out(toJson(Object.fromEntries(payloads)));
}

/** Prints diagnostics instead of payloads, because some payloads without the others would mislead. */
export async function showFailed(
  diagnostics: readonly Diagnostic[],
  terminal: Terminal,
): Promise<void> {
  await sayInWords(diagnostics, terminal);
  terminal.out(diagnosticsJson(diagnostics));
}
