import type { Diagnostic } from "../diagnostics/diagnostic.ts";
import { sayInWords } from "./diagnostics/index.ts";
import { type Audience, visible } from "./terminal.ts";
import { many } from "../util/many.ts";

interface Formatted {
  /** The files that were not in the right format before. */
  readonly changed: readonly string[];
  /** The number of files that were already formatted. */
  readonly unchanged: number;
  readonly diagnostics: readonly Diagnostic[];
  /** Whether the files were only checked. */
  readonly check: boolean;
}

export async function showFormatted(formatted: Formatted, audience: Audience): Promise<void> {
  const { changed, diagnostics } = formatted;
  const { terminal, globals } = audience;
  await sayInWords(diagnostics, terminal);
  terminal.out(changed.map((path) => `${visible(terminal.path(path))}\n`).join(""));
  if (!globals.quiet) terminal.say(summary(formatted));
}

function summary({ changed, unchanged, check }: Formatted): string {
  const already = unchanged === 0 ? "" : `Already formatted: ${many(unchanged, "file")}.\n`;
  if (changed.length === 0) return already;
  return check
    ? `Not formatted: ${many(changed.length, "file")}. To format ${changed.length === 1 ? "it" : "them"}, run:\n  ivrctl fmt\n`
    : `Formatted: ${many(changed.length, "file")}.\n${already}`;
}
