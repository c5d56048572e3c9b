import type { Diagnostic } from "../diagnostics/diagnostic.ts";
import { sayInWords } from "./diagnostics/index.ts";
import { diagnosticsJson } from "./json.ts";
import { type Audience, visible } from "./terminal.ts";

interface Formatted {
  /** The files that were not formatted. */
  readonly changed: readonly string[];
  /** The number of files that were. */
  readonly unchanged: number;
  readonly diagnostics: readonly Diagnostic[];
  /** Whether the files were only checked. */
  readonly check: boolean;
}

export async function showFormatted(formatted: Formatted, audience: Audience): Promise<void> {
  const { changed, diagnostics } = formatted;
  const { terminal, format, globals } = audience;
  if (format === "json") {
    terminal.out(diagnosticsJson(diagnostics, { changed }));
    return;
  }
  await sayInWords(diagnostics, terminal);
  terminal.out(changed.map((path) => `${visible(path)}\n`).join(""));
  if (!globals.quiet) terminal.say(summary(formatted));
}

function summary({ changed, unchanged, check }: Formatted): string {
  const already = unchanged === 0 ? "" : `${files(unchanged)} formatted already.\n`;
  if (changed.length === 0) return already;
  return check
    ? `${files(changed.length)} not formatted; \`ivrctl fmt\` without --check mends that.\n`
    : `${files(changed.length)} formatted now.\n${already}`;
}

/** "1 file is", "3 files are". */
function files(count: number): string {
  return count === 1 ? "1 file is" : `${count} files are`;
}
