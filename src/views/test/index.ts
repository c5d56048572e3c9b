import { prefixOf, printInWords } from "../diagnostics/index.ts";
import { type Audience, messageStream, resultStream } from "../terminal.ts";
import { reportJson } from "./json.ts";
import { reportJunit } from "./junit.ts";
import type { Report } from "./report.ts";
import { reportText, tallyText } from "./text.ts";

/** Prints the result of `test` in the format asked for. */
export async function showTested(report: Report, audience: Audience): Promise<void> {
  const { format, globals, terminal } = audience;
  // In text, the problems of menus and tests are part of the report.
  const stream = format === "text" ? resultStream(terminal) : messageStream(terminal);
  await printInWords(report.diagnostics, stream);
  if (format === "json") terminal.out(reportJson(report));
  else if (format === "junit") terminal.out(reportJunit(report, prefixOf(audience)));
  else terminal.out(reportText(report, globals.verbose, terminal));
  if (globals.quiet) return;
  stream.write(tallyText(report));
}
