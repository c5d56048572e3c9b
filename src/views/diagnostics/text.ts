import type { Diagnostic, Severity } from "../../diagnostics/diagnostic.ts";
import { type Terminal, visible } from "../terminal.ts";
import { wrap } from "../wrap.ts";

const styles = { error: "red", warning: "yellow", info: "cyan" } as const;

/** Each with its source line, and a caret under the very characters at fault. */
export async function sayDiagnostics(
  diagnostics: readonly Diagnostic[],
  terminal: Terminal,
): Promise<void> {
  const widthOf = diagnostics.some(needsWidths)
    ? await loadWidths()
    : (text: string) => text.length;
  for (const diagnostic of diagnostics) terminal.say(`${render(diagnostic, terminal, widthOf)}\n`);
}

/** "2 errors, 1 warning"; nothing where there is nothing. */
export function tally(diagnostics: readonly Diagnostic[]): string {
  const count = (severity: Severity, word: string) => {
    const number = diagnostics.filter((diagnostic) => diagnostic.severity === severity).length;
    return number === 0 ? [] : [`${number} ${word}${number === 1 ? "" : "s"}`];
  };
  return [
    ...count("error", "error"),
    ...count("warning", "warning"),
    ...count("info", "note"),
  ].join(", ");
}

type WidthOf = (text: string) => number;

function needsWidths(diagnostic: Diagnostic): boolean {
  return /[^\x20-\x7E\t]/.test(Object.values(windowOf(diagnostic)).join(""));
}

/** More of a line than any terminal shows is not looked at. */
const maxWindow = 1000;

/** What stands before, at and after the fault on its line. */
function windowOf({ source, line, column, endLine, endColumn }: Diagnostic) {
  if (source === undefined) return { before: "", marked: "", after: "" };
  const from = column - 1;
  const text = source.line(line, Math.max(from - maxWindow, 0), from + 2 * maxWindow);
  const start = Math.min(from, maxWindow);
  const length = endLine === line ? Math.max(endColumn - column, 0) : text.length;
  return {
    before: text.slice(0, start),
    marked: text.slice(start, start + length),
    after: text.slice(start + length),
  };
}

async function loadWidths(): Promise<WidthOf> {
  const { default: stringWidth } = await import("string-width");
  return (text) => stringWidth(text);
}

function render(diagnostic: Diagnostic, terminal: Terminal, widthOf: WidthOf): string {
  const { code, rule, severity, message, file, line, column, hint, source } = diagnostic;
  const style = styles[severity];
  const margin = " ".repeat(String(line).length);
  const dim = (text: string) => terminal.style("dim", text);
  const head = `${severity}[${rule === undefined ? code : `${code} ${visible(rule)}`}]: `;
  const words = wrap(visible(message), "", terminal.wordWrap, head.length);
  const rows = [
    `${terminal.style(["bold", style], head.trimEnd())} ${words}`,
    `${margin}${dim("-->")} ${visible(file)}:${line}:${column}`,
  ];
  if (source !== undefined && source.text !== "") {
    const frame = frameOf(diagnostic, widthOf, Math.max(terminal.columns - margin.length - 3, 20));
    rows.push(
      `${dim(`${line} |`)} ${frame.line}`,
      `${dim(`${margin} |`)} ${frame.indent}${terminal.style(style, frame.carets)}`,
    );
  }
  if (hint !== undefined) {
    const advice = wrap(visible(hint), `${margin}   `, terminal.wordWrap).trimStart();
    rows.push(`${margin} ${dim("=")} ${advice}`);
  }
  return `${rows.join("\n")}\n`;
}

const tab = "    ";

/** The source line as shown, cut to the window around the fault where it is long. */
function frameOf(diagnostic: Diagnostic, widthOf: WidthOf, room: number) {
  const text = windowOf(diagnostic);
  const show = (part: string) => visible(part.replaceAll("\t", tab));
  let before = show(text.before);
  let marked = show(text.marked);
  let after = show(text.after);
  if (before.length + marked.length + after.length > room / 2) {
    const half = Math.floor(room / 2);
    marked = clip(marked, half, widthOf);
    before = clipStart(
      before,
      room - widthOf(marked) - Math.min(10, widthOf(after.slice(0, 10))),
      widthOf,
    );
    after = clip(after, Math.max(room - widthOf(before) - widthOf(marked), 1), widthOf);
  }
  return {
    line: (before + marked + after).trimEnd(),
    indent: " ".repeat(widthOf(before)),
    carets: "^".repeat(Math.max(widthOf(marked), 1)),
  };
}

function clip(text: string, room: number, widthOf: WidthOf): string {
  if (text.length <= room * 2 && widthOf(text) <= room) return text;
  const kept = graphemes(text.slice(0, room * 2));
  while (kept.length > 0 && widthOf(kept.join("")) > room - 1) kept.pop();
  return `${kept.join("")}…`;
}

function clipStart(text: string, room: number, widthOf: WidthOf): string {
  if (text.length <= room * 2 && widthOf(text) <= room) return text;
  const kept = graphemes(text.slice(-room * 2));
  while (kept.length > 0 && widthOf(kept.join("")) > room - 1) kept.shift();
  return `…${kept.join("")}`;
}

function graphemes(text: string): string[] {
  return Array.from(new Intl.Segmenter().segment(text), ({ segment }) => segment);
}
