import { secrets } from "../util/secrets.ts";

/** A place in a text, lines and columns from 1; a column counts UTF-16 units. */
export interface Position {
  readonly line: number;
  readonly column: number;
}

/** A stretch of a source: from `start` up to, not including, `end`. */
export interface Span {
  readonly source: Source;
  readonly start: number;
  readonly end: number;
}

interface Stretch {
  readonly start: number;
  readonly end: number;
}

/** Longer than any token. */
const maxSecret = 10_000;

/** The text of one file, and where its lines begin. */
export class Source {
  /** As shown to the user: relative to the project, with `/`. */
  readonly file: string;
  readonly text: string;
  readonly #secrets: Stretch[] = [];
  readonly #covered: Stretch[] = [];
  /** The only words that may be shown, of a file not yet known to be free of secrets. */
  #allowed: ReadonlySet<string> | undefined;
  #secretWords: RegExp | undefined;
  #lineStarts: readonly number[] | undefined;

  constructor(file: string, text: string) {
    this.file = file;
    this.text = text;
  }

  span(start: number, end: number): Span {
    return { source: this, start, end };
  }

  /** The first character, for what concerns the file as a whole. */
  top(): Span {
    return this.span(0, 0);
  }

  position(offset: number): Position {
    const starts = this.#starts();
    let low = 0;
    let high = starts.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if ((starts[middle] ?? 0) <= offset) low = middle;
      else high = middle - 1;
    }
    return { line: low + 1, column: offset - (starts[low] ?? 0) + 1 };
  }

  /** From now on no words are shown but these, until it is known where the secrets are. */
  guard(allowed: ReadonlySet<string>): void {
    this.#allowed = allowed;
  }

  /** What may be secret is hidden; everything else can be shown. */
  unguard(): void {
    this.#allowed = undefined;
  }

  /** Text that must never be shown, whichever fault its line is shown for. */
  hide(start: number, end: number): void {
    if (end > start) this.#secrets.push({ start, end });
    this.#secretWords = undefined;
  }

  /** Text of which no line shows more than where its words are, and that no message quotes. */
  cover(start: number, end: number): void {
    if (end > start) this.#covered.push({ start, end });
  }

  /** A line, or its characters from one to another, as it may be shown: no ending, secrets masked. */
  line(number: number, from = 0, to = Number.POSITIVE_INFINITY): string {
    const starts = this.#starts();
    const lineStart = starts[number - 1];
    if (lineStart === undefined) return "";
    const lineEnd = this.#endOfLine(lineStart, starts[number] ?? this.text.length);
    const start = Math.min(lineStart + from, lineEnd);
    // Searched beyond what is asked for: a secret must not be cut before it is found.
    const searchFrom = Math.max(start - maxSecret, lineStart);
    const end = Math.min(lineStart + to, lineEnd);
    let line = secrets
      .blot(this.text.slice(searchFrom, Math.min(end + maxSecret, lineEnd)))
      .slice(start - searchFrom, Math.max(end - searchFrom, 0));
    const mask = (hidden: Stretch, pattern: RegExp) => {
      const hideFrom = Math.max(hidden.start - start, 0);
      const hideTo = Math.min(hidden.end - start, line.length);
      if (hideFrom >= hideTo) return;
      const masked = line.slice(hideFrom, hideTo).replace(pattern, "*");
      line = line.slice(0, hideFrom) + masked + line.slice(hideTo);
    };
    for (const secret of this.#secrets) mask(secret, /[^]/g);
    for (const covered of this.#covered) mask(covered, /\S/g);
    const allowed = this.#allowed;
    return allowed === undefined
      ? line
      : line.replace(/[^\s{}[\]"':,#&*!|>%@-]+/g, (word) =>
          allowed.has(word) ? word : "*".repeat(word.length),
        );
  }

  #endOfLine(start: number, next: number): number {
    let end = next;
    if (end > start && this.text[end - 1] === "\n") end -= 1;
    if (end > start && this.text[end - 1] === "\r") end -= 1;
    return end;
  }

  /** A message about this text, which may quote it, without what the text hides. */
  redactMessage(message: string): string {
    const allowed = this.#allowed;
    return this.redact(
      allowed === undefined
        ? message
        : message.replace(/`([^`]*)`/g, (quoted, inner: string) =>
            allowed.has(inner) ? quoted : "`***`",
          ),
    );
  }

  /** Words without what this text hides. */
  redact(words: string): string {
    if (this.#secrets.length === 0) return words;
    return words.replace((this.#secretWords ??= this.#findSecretWords()), "***");
  }

  #findSecretWords(): RegExp {
    const words = this.#secrets.flatMap(({ start, end }) =>
      this.text
        .slice(start, end)
        .split(/[\s"',{}[\]]+/)
        .filter((word) => word.length > 2 && !/^\$\{\w*\}?$|^\w+\}$/.test(word)),
    );
    const escaped = [...new Set(words)].map((word) => word.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"));
    return escaped.length === 0
      ? /(?!)/
      : new RegExp(escaped.sort((a, b) => b.length - a.length).join("|"), "g");
  }

  #starts(): readonly number[] {
    if (this.#lineStarts !== undefined) return this.#lineStarts;
    const starts = [0];
    for (let at = this.text.indexOf("\n"); at !== -1; at = this.text.indexOf("\n", at + 1)) {
      starts.push(at + 1);
    }
    this.#lineStarts = starts;
    return starts;
  }
}
