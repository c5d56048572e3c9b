import { type Code, type Severity, severityOf } from "./codes.ts";
import { secrets } from "../util/secrets.ts";
import type { Source, Span } from "./source.ts";

export type { Severity } from "./codes.ts";

/** A file whose text is not at hand, with a line if it is known. */
export interface FilePlace {
  readonly file: string;
  readonly line?: number;
}

/** A problem and its place. */
export interface Diagnostic {
  readonly code: Code;
  readonly severity: Severity;
  readonly message: string;
  readonly file: string;
  readonly line: number;
  readonly column: number;
  readonly endLine: number;
  readonly endColumn: number;
  readonly hint?: string;
  /** The name of the rule that found it. */
  readonly rule?: string;
  /** The text that the place is in; absent if there is none, as for a missing file. */
  readonly source?: Source;
  /** How much of the place is known; absent if all of it is. */
  readonly precision?: "file" | "line";
}

interface RuleFinding {
  readonly rule: string;
  readonly code: Code;
  readonly severity: Severity;
  readonly at: Span;
  readonly message: string;
  readonly hint: string | undefined;
}

/**
 * The list that every step adds its diagnostics to. A diagnostic with the same code and place is
 * kept once, because every menu that uses a default or an anchor finds the same problem in it.
 */
export class Diagnostics {
  readonly #found = new Map<string, Diagnostic>();
  #errors = 0;

  add(
    code: Code,
    span: Span,
    message: string,
    hint?: string,
    severity: Severity = severityOf(code),
  ): void {
    // Several fields can be missing at one place.
    const distinction = code === "IVR202" ? message : "";
    this.#add(distinction, span, { code, severity, message, ...hinted(hint) });
  }

  /** Adds what a rule found. Several rules with one code may find something at one place. */
  addFinding({ rule, code, severity, at, message, hint }: RuleFinding): void {
    this.#add(rule, at, { code, severity, message, ...hinted(hint), rule });
  }

  /** Adds a problem with a file whose text is not at hand. It is shown at line 1, column 1. */
  addFile(code: Code, file: string, message: string, hint?: string): void {
    const { precision, ...rest } = placed(code, { file }, message, hint);
    this.#keep(`${code} ${file} ${message}`, rest);
  }

  /** Adds a problem with a whole file or one of its lines. It is shown without a column. */
  addAt(code: Code, at: FilePlace, message: string, hint?: string, severity?: Severity): void {
    this.#keep(`${code} ${at.file} ${message}`, placed(code, at, message, hint, severity));
  }

  /** Adds the diagnostics of another list, or those of them that are wanted. */
  addAll(others: Diagnostics, isWanted: (diagnostic: Diagnostic) => boolean = () => true): void {
    for (const [id, diagnostic] of others.#found) {
      if (isWanted(diagnostic)) this.#keep(id, diagnostic);
    }
  }

  get hasErrors(): boolean {
    return this.#errors > 0;
  }

  /** All diagnostics by file and place, with secrets masked. */
  sorted(): Diagnostic[] {
    return [...this.#found.values()]
      .map(redacted)
      .sort(
        (a, b) =>
          compare(a.file, b.file) ||
          a.line - b.line ||
          a.column - b.column ||
          compare(a.code, b.code) ||
          compare(a.message, b.message),
      );
  }

  #add(
    distinction: string,
    { source, start, end }: Span,
    about: Pick<Diagnostic, "code" | "severity" | "message" | "hint" | "rule">,
  ): void {
    const from = source.position(start);
    const to = source.position(Math.max(start, end));
    this.#keep(`${about.code} ${start} ${end} ${source.file} ${distinction}`, {
      ...about,
      file: source.file,
      line: from.line,
      column: from.column,
      endLine: to.line,
      endColumn: to.column,
      source,
    });
  }

  #keep(id: string, diagnostic: Diagnostic): void {
    if (this.#found.has(id)) return;
    this.#found.set(id, diagnostic);
    if (diagnostic.severity === "error") this.#errors += 1;
  }
}

function placed(
  code: Code,
  { file, line }: FilePlace,
  message: string,
  hint: string | undefined,
  severity: Severity = severityOf(code),
): Diagnostic {
  return {
    code,
    severity,
    message,
    file,
    line: line ?? 1,
    column: 1,
    endLine: line ?? 1,
    endColumn: 1,
    ...hinted(hint),
    precision: line === undefined ? "file" : "line",
  };
}

/** Which secrets a source hides is known only when all of it has been read. */
function redacted(diagnostic: Diagnostic): Diagnostic {
  const { source, message, hint } = diagnostic;
  return {
    ...diagnostic,
    message: secrets.mask(source?.redactMessage(message) ?? message),
    ...(hint === undefined ? {} : { hint: secrets.mask(source?.redact(hint) ?? hint) }),
  };
}

function hinted(hint: string | undefined): { readonly hint?: string } {
  return hint === undefined ? {} : { hint };
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
