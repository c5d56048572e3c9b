import { type CodeAction, CodeActionKind, type CodeActionParams } from "vscode-languageserver";
import { type Diagnostic, diagnosticRange } from "../diagnostics/diagnostic.ts";
import type { Source, Span } from "../diagnostics/source.ts";
import { inline } from "../import/yaml-text.ts";
import { namesMeant } from "../util/nearest.ts";
import { hintText } from "../util/suggest.ts";
import { rangeIn, toProtocol } from "./convert.ts";
import { type OpenFile, locate } from "./place.ts";

/** The quick fixes for the lines of a range: what the hints of problems there offer. */
export function fixesFor(
  { source, project, uriOf }: OpenFile,
  { range, context, textDocument }: CodeActionParams,
): CodeAction[] {
  const { only } = context;
  if (only && !only.some((kind) => `${CodeActionKind.QuickFix}.`.startsWith(`${kind}.`))) return [];
  return project.diagnostics
    .filter(({ file, line }) => file === source.file && line !== undefined)
    .flatMap((problem) => offersOf(source, problem))
    .filter(({ at }) => {
      const { start, end } = rangeIn(at);
      return start.line >= range.start.line && end.line <= range.end.line;
    })
    .map(({ problem, at, after }) => ({
      title: `Replace ${source.text.slice(at.start, at.end).trim()} with ${after.trim()}`,
      kind: CodeActionKind.QuickFix,
      diagnostics: [toProtocol(problem, uriOf)],
      edit: { changes: { [textDocument.uri]: [{ range: rangeIn(at), newText: after }] } },
    }));
}

/** A correction that the hint of a problem offers. */
interface Offer {
  readonly problem: Diagnostic;
  readonly at: Span;
  readonly after: string;
}

/** The corrections that a hint offers: `Did you mean …?` and `Write …`. */
function offersOf(source: Source, problem: Diagnostic): Offer[] {
  const { line, column, endLine, endColumn } = diagnosticRange(problem);
  const at = source.span(source.offset(line, column), source.offset(endLine, endColumn));
  const hint = problem.hint === undefined ? "" : hintText(problem.hint);
  const isScalar = () =>
    locate(source, ({ start, end }) => start === at.start && end === at.end) !== undefined;
  const names = namesMeant(hint);
  if (names.length > 0) {
    // The name of a rule in a comment, or of a variable in a text, is not a scalar of its own.
    const isWord = /^[\w/-]+$/.test(source.text.slice(at.start, at.end));
    if (!isWord && !isScalar()) return [];
    return names.map((name) => ({ problem, at, after: inline(name) }));
  }
  if (problem.code === "IVR108") return [{ problem, at, after: '"*"' }];
  const written = /Write `(.+)`\.$/s.exec(hint)?.[1];
  if (written === undefined) return [];
  const [, value] = /^[\w-]+: (.+)$/.exec(written) ?? [];
  if (problem.code === "IVR203" && value !== undefined && isScalar()) {
    return [{ problem, at, after: value }];
  }
  // Only the spaces of the line are wrong: it is indented with a tab.
  const start = source.offset(line, 1);
  const [whole = ""] = source.text.slice(start).split(/\r?\n/, 1);
  if (whole.trim() !== written.trim()) return [];
  return [{ problem, at: source.span(start, start + whole.length), after: written }];
}
