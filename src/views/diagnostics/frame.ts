import type { Diagnostic } from "../../diagnostics/diagnostic.ts";
import { visible } from "../terminal.ts";

/** A source line, and what stands under it. */
interface Frame {
  readonly line: string;
  readonly indent: string;
  readonly carets: string;
}

/** The line at fault in so many columns; undefined where there is no text to show. */
export type Framer = (diagnostic: Diagnostic, room: number) => Frame | undefined;

/** Widths are measured only where some character may not be of width 1. */
export async function loadFramer(diagnostics: readonly Diagnostic[]): Promise<Framer> {
  const widthOf = diagnostics.some(needsWidths)
    ? await loadWidths()
    : (text: string) => text.length;
  return (diagnostic, room) =>
    diagnostic.source === undefined || diagnostic.source.text === ""
      ? undefined
      : frameOf(diagnostic, widthOf, room);
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

const tab = "    ";

/** The source line as shown, cut to the window around the fault where it is long. */
function frameOf(diagnostic: Diagnostic, widthOf: WidthOf, room: number): Frame {
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

/** Most lines are, and what tells other letters apart takes long to load. */
const isPlain = /^[\x20-\x7e]*$/;

function graphemes(text: string): string[] {
  if (isPlain.test(text)) return text.split("");
  return Array.from(new Intl.Segmenter().segment(text), ({ segment }) => segment);
}
