import { type CodeAction, CodeActionKind, type CodeActionParams } from "vscode-languageserver";
import { type Diagnostic, diagnosticRange } from "../diagnostics/diagnostic.ts";
import type { Source, Span } from "../diagnostics/source.ts";
import { inline } from "../import/yaml-text.ts";
import { rangeIn, toProtocol } from "./convert.ts";
import type { OpenFile } from "./place.ts";

/** The quick fixes for the lines of a range: the corrections of problems there. */
export function fixesFor(
  { source, project, uriOf }: OpenFile,
  { range, context, textDocument }: CodeActionParams,
): CodeAction[] {
  const { only } = context;
  if (only && !only.some((kind) => `${CodeActionKind.QuickFix}.`.startsWith(`${kind}.`))) return [];
  return project.diagnostics
    .filter(
      ({ file, line = 0 }) =>
        file === source.file && line > range.start.line && line <= range.end.line + 1,
    )
    .flatMap((problem) =>
      correctionsOf(source, problem).map(({ at, text }) => ({
        title: titleOf(source.text.slice(at.start, at.end), text),
        kind: CodeActionKind.QuickFix,
        diagnostics: [toProtocol(problem, uriOf)],
        edit: { changes: { [textDocument.uri]: [{ range: rangeIn(at), newText: text }] } },
      })),
    );
}

function correctionsOf(
  source: Source,
  problem: Diagnostic,
): readonly { readonly at: Span; readonly text: string }[] {
  const { hint } = problem;
  if (typeof hint !== "object" || !("instead" in hint)) return [];
  const { at, instead } = hint;
  if (at !== undefined) return instead.map((text) => ({ at, text }));
  const { line, column, endLine, endColumn } = diagnosticRange(problem);
  const place = source.span(source.offset(line, column), source.offset(endLine, endColumn));
  return instead.map((value) => ({ at: place, text: inline(value) }));
}

function titleOf(before: string, after: string): string {
  return before.includes("\n")
    ? "Correct these lines"
    : `Replace ${before.trim()} with ${after.trim()}`;
}
