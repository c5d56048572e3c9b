import type { Diagnostic } from "../diagnostics/diagnostic.ts";
import type { Payload } from "../schema/wire.ts";
import { sayInWords } from "./diagnostics/index.ts";
import { diagnosticsJson } from "./diagnostics/json.ts";
import { toJson } from "./json.ts";
import type { Terminal } from "./terminal.ts";

interface Compiled {
  readonly key: string | undefined;
  readonly result: { readonly payload: Payload } | undefined;
}

/** `{ KEY: PAYLOAD, … }`; warnings to the person. */
export async function showCompiled(
  menus: readonly Compiled[],
  diagnostics: readonly Diagnostic[],
  terminal: Terminal,
): Promise<void> {
  await sayInWords(diagnostics, terminal);
  const payloads = menus.flatMap(({ key, result }) =>
    key === undefined || result === undefined ? [] : [[key, result.payload] as const],
  );
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
