import { isAbout } from "./groups.ts";
import { type Code, type Severity, defaultSeverity } from "./codes.ts";
import { secrets } from "../util/secrets.ts";
import { listed, many } from "../util/many.ts";
import { type Source, type Span, fileAndLine } from "./source.ts";
import { type Hint, mapHint, withSentence } from "../util/suggest.ts";

export type { Severity } from "./codes.ts";

/** A file, or one of its lines. */
export interface FilePlace {
  readonly file: string;
  readonly line?: number;
}

/** A problem and its place. */
export interface Diagnostic extends Partial<Range> {
  readonly code: Code;
  readonly severity: Severity;
  readonly message: string;
  /**
   * A file, a folder, a database or a bucket. The diagnostic is about all of it if `line` is
   * absent, and about a whole line if only `column` is absent.
   */
  readonly file: string;
  readonly hint?: Hint;
  /** The text can be read, but a key or the kind of a value is wrong, which the code does not tell. */
  readonly kind?: "structure";
  /** The name of the rule that reported the problem. */
  readonly rule?: string;
  /** The text of the file, if it was read. */
  readonly source?: Source;
  /** The menus that a problem outside their files affects, if it is known. */
  readonly affects?: readonly AffectedMenu[];
  /** Other places that the problem is about. The message or the hint names them too. */
  readonly related?: readonly RelatedPlace[];
}

/** Another place that a problem is about. */
interface RelatedPlace {
  readonly message: string;
  readonly at: Span;
}

/** A menu by its key, or by its file if it has no key. */
export interface AffectedMenu {
  readonly name: string;
  readonly file: string;
}

/** A part of a file. Lines and columns start at 1. */
export interface Range {
  readonly line: number;
  readonly column: number;
  readonly endLine: number;
  readonly endColumn: number;
}

/** The range of a diagnostic, for formats that require one: 1:1 if it is about a whole file. */
export function diagnosticRange(diagnostic: Diagnostic): Range {
  const { line = 1, column = 1, endLine = line, endColumn = column } = diagnostic;
  return { line, column, endLine, endColumn };
}

/** The place as editors and terminals recognize it: `FILE`, `FILE:LINE` or `FILE:LINE:COLUMN`. */
export function diagnosticPlace({
  file,
  line,
  column,
}: Pick<Diagnostic, "file" | "line" | "column">): string {
  return [file, line, column].filter((part) => part !== undefined).join(":");
}

interface RuleFinding {
  readonly rule: string;
  readonly code: Code;
  readonly severity: Severity;
  readonly at: Span;
  readonly message: string;
  readonly hint: Hint | undefined;
}

/**
 * The list that every step adds its diagnostics to. It keeps only one diagnostic for each code
 * and place, because all menus that use a default report the same problem of that default.
 */
export class Diagnostics {
  readonly #found = new Map<string, Diagnostic>();
  /** The menus that use the place of a diagnostic, by name. */
  readonly #affected = new Map<string, Map<string, AffectedMenu>>();
  #errors = 0;

  add(
    code: Code,
    span: Span,
    message: string,
    hint?: Hint,
    severity: Severity = defaultSeverity(code),
  ): void {
    const distinction = isAbout({ code }, "several at a place") ? message : "";
    this.#add(distinction, span, { code, severity, message, ...hinted(hint) });
  }

  /** Adds an error about a key or the kind of a value, in a text that can be read. */
  addStructure(code: Code, span: Span, message: string, hint?: Hint): void {
    const [severity, kind] = [defaultSeverity(code), "structure"] as const;
    this.#add("", span, { code, severity, message, ...hinted(hint), kind });
  }

  /** Adds a problem with something that is in two places. The message names the other place. */
  addSecond(code: Code, span: Span, first: Span, message: string, hint: Hint): void {
    const related = [{ message: "The other place.", at: first }];
    this.#add("", span, { code, severity: defaultSeverity(code), message, hint, related });
  }

  /** Adds what a rule found. Custom rules share a code, so several can report the same place. */
  addFinding({ rule, code, severity, at, message, hint }: RuleFinding): void {
    this.#add(rule, at, { code, severity, message, ...hinted(hint), rule });
  }

  /** Adds a problem with a whole file, folder, database or bucket. */
  addFile(code: Code, file: string, message: string, hint?: Hint): void {
    this.addAt(code, { file }, message, hint);
  }

  /** Adds a problem with a whole file or one of its lines. */
  addAt(
    code: Code,
    { file, line }: FilePlace,
    message: string,
    hint?: Hint,
    severity: Severity = defaultSeverity(code),
  ): void {
    this.#keep(`${code} ${file} ${message}`, {
      code,
      severity,
      message,
      file,
      ...(line === undefined ? {} : { line, endLine: line }),
      ...hinted(hint),
    });
  }

  /** Adds the diagnostics of another list that match. */
  addAll(others: Diagnostics, matches: (diagnostic: Diagnostic) => boolean = () => true): void {
    for (const [id, diagnostic] of others.#found) {
      if (matches(diagnostic)) this.#keep(id, diagnostic);
    }
    for (const [id, menus] of others.#affected) this.#affect(id, menus.values());
  }

  /**
   * Records that the diagnostics of another list are about these menus, unless they are in the file
   * of the menu. With `onlyNew`, skips diagnostics whose menus are known.
   */
  affect(others: Diagnostics, menus: readonly AffectedMenu[], { onlyNew = false } = {}): void {
    for (const [id, { file }] of others.#found) {
      if (onlyNew && this.#affected.has(id)) continue;
      this.#affect(
        id,
        menus.filter((menu) => menu.file !== file),
      );
    }
  }

  get hasErrors(): boolean {
    return this.#errors > 0;
  }

  /** All diagnostics, sorted by file and place, with secrets masked. */
  sorted(): Diagnostic[] {
    return [...this.#found]
      .map(([id, diagnostic]) => redacted(withMenus(diagnostic, this.#affected.get(id))))
      .sort(
        (a, b) =>
          compare(a.file, b.file) ||
          (a.line ?? 0) - (b.line ?? 0) ||
          (a.column ?? 0) - (b.column ?? 0) ||
          compare(a.code, b.code) ||
          compare(a.message, b.message),
      );
  }

  #add(
    distinction: string,
    span: Span,
    finding: Pick<
      Diagnostic,
      "code" | "severity" | "message" | "hint" | "kind" | "rule" | "related"
    >,
  ): void {
    const { source, start, end } = span;
    const from = source.position(start);
    const to = source.position(Math.max(start, end));
    const origins = originsOf(span);
    const related = [...(finding.related ?? []), ...origins];
    this.#keep(idOf(finding.code, span, distinction), {
      ...finding,
      ...hinted(withOrigins(finding.hint, origins)),
      ...(related.length === 0 ? {} : { related }),
      file: source.file,
      line: from.line,
      column: from.column,
      endLine: to.line,
      endColumn: to.column,
      source,
    });
  }

  #affect(id: string, menus: Iterable<AffectedMenu>): void {
    const menusByName = this.#affected.get(id) ?? new Map<string, AffectedMenu>();
    for (const menu of menus) menusByName.set(menu.name, menu);
    if (menusByName.size > 0) this.#affected.set(id, menusByName);
  }

  #keep(id: string, diagnostic: Diagnostic): void {
    if (this.#found.has(id)) return;
    this.#found.set(id, diagnostic);
    if (diagnostic.severity === "error") this.#errors += 1;
  }
}

function idOf(code: Code, { source, start, end }: Span, distinction: string): string {
  return `${code} ${start} ${end} ${source.file} ${distinction}`;
}

/** Masks secrets. Call this at the end, when it is known which parts of the source are hidden. */
function redacted(diagnostic: Diagnostic): Diagnostic {
  const { message, hint } = diagnostic;
  const isHidden = isAbout(diagnostic, "text") && isHiddenPlace(diagnostic);
  const masked = (text: string) =>
    secrets.mask(isHidden ? text.replaceAll(/`[^`]*[\p{L}\p{N}][^`]*`/gu, "`…`") : text);
  return {
    ...diagnostic,
    message: masked(message),
    ...hinted(hint && mapHint(hint, masked)),
  };
}

function isHiddenPlace(diagnostic: Diagnostic): boolean {
  const { source } = diagnostic;
  if (source === undefined) return false;
  const { line, column, endLine, endColumn } = diagnosticRange(diagnostic);
  return source.hides(source.offset(line, column), source.offset(endLine, endColumn));
}

const maxNamed = 3;

/** Adds the menus that a diagnostic affects to it and to its hint. */
function withMenus(
  diagnostic: Diagnostic,
  menus: ReadonlyMap<string, AffectedMenu> | undefined,
): Diagnostic {
  if (menus === undefined) return diagnostic;
  const names = [...menus.keys()].sort();
  const sentence = `Affects ${many(names.length, "menu")}: ${listed(names, maxNamed)}.`;
  const hint = withSentence(sentence, diagnostic.hint);
  return { ...diagnostic, affects: [...menus.values()], hint };
}

/** The other places of a value. */
function originsOf({ source, start, via = [] }: Span): RelatedPlace[] {
  return via
    .filter(({ at }) => at.source !== source || at.start !== start)
    .map(({ variable, at }) => {
      const what = variable === undefined ? "The text is" : `\`{{${variable}}}\` is set`;
      return { message: `${what} at ${fileAndLine(at)}.`, at };
    });
}

/** The hint with the other places of a value before it. */
function withOrigins(hint: Hint | undefined, origins: readonly RelatedPlace[]): Hint | undefined {
  if (origins.length === 0) return hint;
  // A value with variables is not written at one place, where it could be replaced.
  const advice = typeof hint === "object" && "instead" in hint && !hint.at ? hint.words : hint;
  return withSentence(origins.map(({ message }) => message).join(" "), advice);
}

function hinted(hint: Hint | undefined): { readonly hint?: Hint } {
  return hint === undefined ? {} : { hint };
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
