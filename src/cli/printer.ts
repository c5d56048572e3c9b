import { diagnosticsWithTotal } from "../views/diagnostics/diagnostics-text.ts";
import { diagnosticsJson } from "../views/json.ts";
import type { Audience, Page } from "../views/terminal.ts";
import { wrap } from "../views/text.ts";
import type { ExitCode, Result, View } from "../views/result.ts";

/**
 * Prints the result of a command: what was asked for, what needs a person, problems, and last what to
 * do next. The result goes to stdout in the format that was asked for, everything else to stderr.
 */
export async function print(result: Result, audience: Audience): Promise<ExitCode> {
  const { format, globals, terminal } = audience;
  const { quiet } = globals;
  const { diagnostics = [] } = result;
  const isText = format === "text";
  const say = (view: View | undefined) => terminal.say(prose(render(view, terminal), terminal));
  const show = (view: View | undefined) => render(view, terminal.result);
  if (isText) terminal.data(result.data ?? "");
  const words = diagnosticsWithTotal(diagnostics, terminal);
  const isFirst = isText && result.diagnosticsFirst === true && words !== "";
  const output = isText
    ? [
        result.diagnosticsAreText ? diagnosticsWithTotal(diagnostics, terminal.result) : "",
        show(quiet ? (result.brief ?? result.text) : result.text),
        ...(quiet ? [] : [prose(show(result.summary), terminal.result), show(result.matters)]),
      ].join("")
    : await other(result, format);
  if (isFirst) terminal.say(output === "" ? words : `${words}\n`);
  terminal.out(output);
  const left = render(result.matters, terminal);
  if (!isText || quiet) say(left);
  say(result.urgent);
  if (isFirst) {
    // They are shown.
  } else if (isText ? !result.diagnosticsAreText : !result.formatsHaveDiagnostics) {
    // A blank line separates the problems from the text above them.
    const isAbove = isText && output !== "" && !output.endsWith("\n\n");
    terminal.say(isAbove && words !== "" ? `\n${words}` : words);
    if (!quiet && result.diagnosticsAreText) say(result.summary);
  }
  if (!quiet) {
    if (isText) terminal.out(show(result.closing));
    say(result.notes);
  }
  // How to go on belongs to what is left.
  if (!quiet || left !== "") say(result.next);
  const failed = diagnostics.some(({ severity }) => severity === "error");
  return result.exit ?? (failed ? 1 : 0);
}

/** The result in a format for other programs. The type of a command makes sure that it has one. */
async function other({ formats, diagnostics = [] }: Result, format: string): Promise<string> {
  const made = await formats?.[format]?.();
  if (made === undefined) throw new Error(`the result has no format ${format}`);
  return typeof made === "string" ? made : diagnosticsJson(diagnostics, made);
}

function render(view: View = "", page: Page): string {
  return typeof view === "string" ? view : view(page);
}

/** Breaks the lines of a text at the width of the page. Indented ones, such as commands, stay whole. */
function prose(text: string, { wordWrap }: Page): string {
  return text.replace(/^\S.*$/gm, (line) => wrap(line, "", wordWrap));
}
