import { type Diagnostic, rangeOf } from "../diagnostics/diagnostic.ts";
import type { Source } from "../diagnostics/source.ts";
import { scalar } from "../import/yaml-text.ts";
import { namesMeant } from "../util/nearest.ts";
import { hintText } from "../util/suggest.ts";
import type { Fix } from "./fixes.ts";
import { locate } from "./place.ts";

/** A correction that the hint of a problem offers. */
export interface Offer extends Fix {
  readonly problem: Diagnostic;
}

/** The corrections that the hints of problems in a file offer: `Did you mean …?` and `Write …`. */
export function offersIn(source: Source, problems: readonly Diagnostic[]): Offer[] {
  return problems
    .filter(({ file, line }) => file === source.file && line !== undefined)
    .flatMap((problem) => offersOf(source, problem));
}

function offersOf(source: Source, problem: Diagnostic): Offer[] {
  const { line, column, endLine, endColumn } = rangeOf(problem);
  const at = source.span(source.offset(line, column), source.offset(endLine, endColumn));
  const before = source.text.slice(at.start, at.end);
  const hint = problem.hint === undefined ? "" : hintText(problem.hint);
  const isScalar = () =>
    locate(source, ({ start, end }) => start === at.start && end === at.end) !== undefined;
  const names = namesMeant(hint);
  if (names.length > 0) {
    // The name of a rule in a comment, or of a variable in a text, is not a scalar of its own.
    const isWord = /^[\w/-]+$/.test(before);
    if (!isWord && !isScalar()) return [];
    return names.map((name) => ({ problem, at, before, after: scalar(name, { flow: true }) }));
  }
  const written = /Write `(.+)`\.$/s.exec(hint)?.[1];
  if (written === undefined) return [];
  const [, value] = /^[\w-]+: (.+)$/.exec(written) ?? [];
  if (problem.code === "IVR203" && value !== undefined && isScalar()) {
    return [{ problem, at, before, after: value }];
  }
  // Only the spaces of the line are wrong: it is indented with a tab.
  const start = source.offset(line, 1);
  const [whole = ""] = source.text.slice(start).split(/\r?\n/, 1);
  if (whole.trim() !== written.trim()) return [];
  return [{ problem, at: source.span(start, start + whole.length), before: whole, after: written }];
}
