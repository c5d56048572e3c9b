import type { Audience } from "../audience.ts";
import { prefixOf, sayInWords } from "../diagnostics/index.ts";
import type { Terminal } from "../terminal.ts";
import type { Report } from "./report.ts";

export async function showTested(report: Report, audience: Audience): Promise<void> {
  const { format, globals, terminal } = audience;
  await sayInWords(report.diagnostics, terminal);
  const { reportText, tallyText } = await import("./text.ts");
  switch (format) {
    case "json":
      terminal.out((await import("./json.ts")).reportJson(report));
      break;
    case "junit":
      terminal.out((await import("./junit.ts")).reportJunit(report, prefixOf(audience)));
      break;
    default:
      terminal.out(reportText(report, globals.verbose, terminal));
      if (!globals.quiet) terminal.out(tallyText(report));
      return;
  }
  if (!globals.quiet) terminal.say(tallyText(report));
}

/** Between two runs of `--watch`. */
export function sayWatching(terminal: Terminal): void {
  terminal.say(terminal.style("dim", "Waiting for a change; Ctrl-C ends it.\n\n"));
}
