import type { Severity } from "./code-text.ts";
import { type Code, codes } from "./codes.ts";
import { secrets } from "../util/secrets.ts";
import type { Source, Span } from "./source.ts";

export type { Severity } from "./code-text.ts";

/** A place in a file that is no source of a menu: the line where it is known, never a column. */
export interface FilePlace {
  readonly file: string;
  readonly line?: number;
}

/** A problem at the very token at fault. */
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
  /** The rule that found it, where one did. */
  readonly rule?: string;
  /** The text it stands in; absent where there is no such text, a missing file say. */
  readonly source?: Source;
  /** How much of the place is known; absent where all of it is. */
  readonly precision?: "file" | "line";
}

/** What a rule found. */
export interface RuleFinding {
  readonly rule: string;
  readonly code: Code;
  readonly severity: Severity;
  readonly at: Span;
  readonly message: string;
  readonly hint: string | undefined;
}

/**
 * What every step appends its findings to. The same finding about the same
 * token is kept once: a fault in a default or behind an anchor is met by every
 * menu that uses it. Only of what is missing there can be several at one token.
 */
export class Diagnostics {
  readonly #found = new Map<string, Diagnostic>();
  #errors = 0;

  add(code: Code, span: Span, message: string, hint?: string, severity?: Severity): void {
    this.#add(code === "IVR202" ? message : "", span, {
      code,
      severity: severity ?? codes[code].severity,
      message,
      ...(hint === undefined ? {} : { hint }),
    });
  }

  /** Rules that share a code may each find something at one token. */
  addFinding({ rule, code, severity, at, message, hint }: RuleFinding): void {
    this.#add(rule, at, {
      code,
      severity,
      message,
      ...(hint === undefined ? {} : { hint }),
      rule,
    });
  }

  /** A problem with a file whose text is not to be had. */
  addFile(code: Code, file: string, message: string, hint?: string): void {
    const { precision, ...rest } = placed(code, { file }, message, hint);
    this.#keep(`${code} ${file} ${message}`, rest);
  }

  /** A problem with a file as a whole, or with one of its lines. */
  addAt(code: Code, at: FilePlace, message: string, hint?: string, severity?: Severity): void {
    this.#keep(`${code} ${at.file} ${message}`, placed(code, at, message, hint, severity));
  }

  /** Takes over what another collector found, or those of it that are wanted. */
  addAll(others: Diagnostics, isWanted: (diagnostic: Diagnostic) => boolean = () => true): void {
    for (const [id, diagnostic] of others.#found) {
      if (isWanted(diagnostic)) this.#keep(id, diagnostic);
    }
  }

  get hasErrors(): boolean {
    return this.#errors > 0;
  }

  /** In the order a reader wants them: by file, then by place. */
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
    const id = `${about.code} ${start} ${end} ${source.file} ${distinction}`;
    if (this.#found.has(id)) return;
    const from = source.position(start);
    const to = source.position(Math.max(start, end));
    this.#keep(id, {
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
  severity: Severity = codes[code].severity,
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
    ...(hint === undefined ? {} : { hint }),
    precision: line === undefined ? "file" : "line",
  };
}

/** Only now is it known what a source hides, and which secrets are in use. */
function redacted(diagnostic: Diagnostic): Diagnostic {
  const { source, message, hint } = diagnostic;
  return {
    ...diagnostic,
    message: secrets.mask(source?.redactMessage(message) ?? message),
    ...(hint === undefined ? {} : { hint: secrets.mask(source?.redact(hint) ?? hint) }),
  };
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
