import { type Diagnostic as Problem, DiagnosticSeverity, type Range } from "vscode-languageserver";
import { type Diagnostic, diagnosticRange } from "../diagnostics/diagnostic.ts";
import type { Span } from "../diagnostics/source.ts";
import { secrets } from "../util/secrets.ts";
import { hintText } from "../util/suggest.ts";

// Both sides count UTF-16 units. Lines and columns start at 0 in the protocol, and at 1 in a source.

/** Returns the address of a file of a project. */
export type FileUri = (file: string) => string;

export function rangeIn({ source, start, end }: Span): Range {
  const [from, to] = [source.position(start), source.position(Math.max(start, end))];
  return range(from.line, from.column, to.line, to.column);
}

export function toLocation(span: Span, uriOf: FileUri) {
  return { uri: uriOf(span.source.file), range: rangeIn(span) };
}

export function toProtocol(diagnostic: Diagnostic, uriOf: FileUri): Problem {
  const { code, severity, message, hint, rule, related = [], affects = [] } = diagnostic;
  const { line, column, endLine, endColumn } = diagnosticRange(diagnostic);
  return {
    range: range(line, column, endLine, endColumn),
    severity: severities[severity],
    code,
    source: rule === undefined ? "ivrctl" : `ivrctl ${rule}`,
    message: hint === undefined ? message : `${message}\n${hintText(hint)}`,
    relatedInformation: [
      ...related.map(({ message: about, at }) => ({
        location: toLocation(at, uriOf),
        message: secrets.mask(about),
      })),
      ...affects.slice(0, maxAffected).map(({ name, file }) => ({
        location: { uri: uriOf(file), range: range(1, 1, 1, 1) },
        message: `Affects the menu ${name}.`,
      })),
    ],
  };
}

const severities = {
  error: DiagnosticSeverity.Error,
  warning: DiagnosticSeverity.Warning,
  info: DiagnosticSeverity.Information,
} as const;

const maxAffected = 10;

function range(line: number, column: number, endLine: number, endColumn: number): Range {
  return {
    start: { line: line - 1, character: column - 1 },
    end: { line: endLine - 1, character: endColumn - 1 },
  };
}
