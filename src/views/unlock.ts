import { describeLock } from "../deploy/state/describe-lock.ts";
import type { Lock } from "../deploy/state/store.ts";
import type { Diagnostic } from "../diagnostics/diagnostic.ts";
import { sayInWords } from "./diagnostics/index.ts";
import { plainDiagnostics } from "./diagnostics/json.ts";
import { formatVersion, toJson } from "./json.ts";
import { type Terminal, visible } from "./terminal.ts";

interface Shown {
  readonly environment: string | null;
  readonly released: Lock | null;
}

export async function showUnlocked(
  { environment, released }: Shown,
  diagnostics: readonly Diagnostic[],
  {
    format,
    globals,
    terminal,
  }: {
    readonly format: string;
    readonly globals: { readonly quiet: boolean };
    readonly terminal: Terminal;
  },
): Promise<void> {
  await sayInWords(diagnostics, terminal);
  if (format === "json") {
    terminal.out(
      toJson({
        format_version: formatVersion,
        environment,
        released,
        diagnostics: plainDiagnostics(diagnostics),
      }),
    );
  } else if (globals.quiet) return;
  else if (released !== null)
    terminal.out(`Released the lock of ${visible(describeLock(released))}.\n`);
  else if (diagnostics.every(({ severity }) => severity !== "error"))
    terminal.say(`The state of ${environment} is not locked.\n`);
}
