import { prefixOf, sayInWords } from "../diagnostics/index.ts";
import type { Audience, Terminal } from "../terminal.ts";
import { reportJson } from "./json.ts";
import { reportJunit } from "./junit.ts";
import type { Report } from "./report.ts";
import { reportText, tallyText } from "./text.ts";

/** Prints the result of `test` in the format asked for. */
export async function showTested(report: Report, audience: Audience): Promise<void> {
  const { format, globals, terminal } = audience;
  await sayInWords(report.diagnostics, terminal);
  if (format === "json") terminal.out(reportJson(report));
  else if (format === "junit") terminal.out(reportJunit(report, prefixOf(audience)));
  else terminal.out(reportText(report, globals.verbose, terminal));
  if (globals.quiet) return;
  if (format === "text") terminal.out(tallyText(report));
  else terminal.say(tallyText(report));
}

/** Prints a line between two runs of `--watch`. */
export function sayWatching(terminal: Terminal): void {
  terminal.say(terminal.style("dim", "Waiting for changes. Press Ctrl-C to stop.\n\n"));
}
