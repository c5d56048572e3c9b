import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import {
  type CodeDescription,
  type Diagnostic as Problem,
  DiagnosticSeverity,
  type Range,
} from "vscode-languageserver";
import { TextDocument } from "vscode-languageserver-textdocument";
import { type Diagnostic, rangeOf } from "../diagnostics/diagnostic.ts";
import type { Source, Span } from "../diagnostics/source.ts";
import { entryOf } from "../diagnostics/texts.ts";
import { ruleNamed } from "../rules/built-in/index.ts";
import { pathExists } from "../util/disk.ts";
import { Memo } from "../util/memo.ts";
import { packageRoot } from "../util/package-root.ts";
import { secrets } from "../util/secrets.ts";

/** Returns the address of a file of a project. */
export type UriOf = (file: string) => string;

/** The text of a source as the protocol sees it: lines and UTF-16 units that start at 0. */
export function documentOf(source: Source): TextDocument {
  return documents.of(source, [], () => TextDocument.create(source.file, "yaml", 0, source.text));
}

const documents = new Memo<Source, TextDocument>();

export function rangeIn({ source, start, end }: Span): Range {
  const document = documentOf(source);
  return { start: document.positionAt(start), end: document.positionAt(Math.max(start, end)) };
}

export function locationOf(span: Span, uriOf: UriOf) {
  return { uri: uriOf(span.source.file), range: rangeIn(span) };
}

/** A diagnostic as the protocol writes it. */
export function problemOf(diagnostic: Diagnostic, uriOf: UriOf): Problem {
  const { code, severity, message, hint, rule, related = [], affects = [] } = diagnostic;
  const href = pageAbout(diagnostic);
  return {
    range: rangeOfDiagnostic(diagnostic),
    severity: severities[severity],
    code,
    ...(href && { codeDescription: { href } satisfies CodeDescription }),
    source: rule === undefined ? "ivrctl" : `ivrctl ${rule}`,
    message: hint === undefined ? message : `${message}\n${hint}`,
    relatedInformation: [
      ...related.map(({ message: about, at }) => ({
        location: locationOf(at, uriOf),
        message: secrets.mask(about),
      })),
      ...affects.slice(0, maxAffected).map(({ name, file }) => ({
        location: { uri: uriOf(file), range: nowhere },
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
const nowhere: Range = { start: { line: 0, character: 0 }, end: { line: 0, character: 0 } };

function rangeOfDiagnostic(diagnostic: Diagnostic): Range {
  const { line, column, endLine, endColumn } = rangeOf(diagnostic);
  const { source } = diagnostic;
  if (source !== undefined) {
    return rangeIn(source.span(source.offset(line, column), source.offset(endLine, endColumn)));
  }
  return {
    start: { line: line - 1, character: column - 1 },
    end: { line: endLine - 1, character: endColumn - 1 },
  };
}

/** The page of this package about a rule or a code. */
function pageAbout({ code, rule = "" }: Diagnostic): string | undefined {
  const isBuiltIn = ruleNamed.has(rule);
  const page = resolve(packageRoot(), "docs", isBuiltIn ? `rules/${rule}.md` : "diagnostics.md");
  if (!pathExists(page)) return undefined;
  const heading = `${code}: ${entryOf(code).title}`.toLowerCase();
  const anchor = heading.replaceAll(/[^\w -]/g, "").replaceAll(" ", "-");
  return `${pathToFileURL(page).href}${isBuiltIn ? "" : `#${anchor}`}`;
}
