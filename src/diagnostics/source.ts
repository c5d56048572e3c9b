import { secrets } from "../util/secrets.ts";

/** A place in a text. Lines and columns start at 1, and columns count UTF-16 units. */
export interface Position {
  readonly line: number;
  readonly column: number;
}

/** A part of a source: from `start` up to, not including, `end`. */
export interface Span {
  readonly source: Source;
  readonly start: number;
  readonly end: number;
  /** The places that the value here comes from: its text, then the variables in it. */
  readonly via?: readonly Origin[];
}

/** A place that a value comes from. */
export interface Origin {
  /** The name of a variable. Undefined for the text itself. */
  readonly variable: string | undefined;
  readonly at: Span;
}

/** A value and its place in a file. */
export interface Placed<T> {
  readonly value: T;
  readonly at: Span;
}

/** The place for a message: `FILE:LINE`. */
export function lineOf({ source, start }: Span): string {
  return `${source.file}:${source.position(start).line}`;
}

interface Part {
  readonly start: number;
  readonly end: number;
}

/** The maximum length of a secret, in characters. */
const maxSecret = 10_000;

/** The text of one file. Translates offsets to lines and columns, and hides secrets. */
export class Source {
  /** The path as shown to the user: relative to the project, with `/`. */
  readonly file: string;
  readonly text: string;
  /** Whether the text may be read again, as in an editor. Then it is worth keeping what it contains. */
  readonly isReused: boolean;
  readonly #secrets: Part[] = [];
  readonly #covered: Part[] = [];
  /** Matches the words of all secrets. Undefined until it is needed. */
  #secretWords: RegExp | undefined;
  /** If set, only these words of the text may be shown. */
  #allowed: ReadonlySet<string> | undefined;
  #lineStarts: readonly number[] | undefined;

  constructor(file: string, text: string, use: "once" | "reused" = "once") {
    this.file = file;
    this.text = text;
    this.isReused = use === "reused";
  }

  span(start: number, end: number): Span {
    return { source: this, start, end };
  }

  /** The start of the file, for a problem with the file as a whole. */
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

  /** The offset of a position. A column after the end of its line is the end of the line. */
  offset(line: number, column: number): number {
    const starts = this.#starts();
    const start = starts[line - 1] ?? this.text.length;
    return Math.min(start + column - 1, this.#endOfLine(start, starts[line] ?? this.text.length));
  }

  /** Shows only these words until `unguard`, while the places of the secrets are unknown. */
  guard(allowed: ReadonlySet<string>): void {
    this.#allowed = allowed;
  }

  /** Shows the text again, except for parts that `hide` and `cover` were called with. */
  unguard(): void {
    this.#allowed = undefined;
  }

  /** Hides a part of the text that must never be shown: every character is masked. */
  hide(start: number, end: number): void {
    if (end <= start) return;
    this.#secrets.push({ start, end });
    this.#secretWords = undefined;
  }

  /** Masks the words in a part of the text. Only their place and length stay visible. */
  cover(start: number, end: number): void {
    if (end > start) this.#covered.push({ start, end });
  }

  /** A line or a part of it, without its line ending and with secrets masked. */
  line(number: number, from = 0, to = Number.POSITIVE_INFINITY): string {
    const starts = this.#starts();
    const lineStart = starts[number - 1];
    if (lineStart === undefined) return "";
    const lineEnd = this.#endOfLine(lineStart, starts[number] ?? this.text.length);
    const start = Math.min(lineStart + from, lineEnd);
    // Search beyond the requested part, to find a secret that is only partly inside it.
    const searchFrom = Math.max(start - maxSecret, lineStart);
    const end = Math.min(lineStart + to, lineEnd);
    let line = secrets
      .blot(this.text.slice(searchFrom, Math.min(end + maxSecret, lineEnd)))
      .slice(start - searchFrom, Math.max(end - searchFrom, 0));
    const mask = (hidden: Part, pattern: RegExp) => {
      const hideFrom = Math.max(hidden.start - start, 0);
      const hideTo = Math.min(hidden.end - start, line.length);
      if (hideFrom >= hideTo) return;
      const masked = line.slice(hideFrom, hideTo).replace(pattern, "*");
      line = line.slice(0, hideFrom) + masked + line.slice(hideTo);
    };
    for (const secret of this.#secrets) mask(secret, /[^]/g);
    for (const covered of this.#covered) mask(covered, /\S/g);
    return this.guarded(line);
  }

  /** A line, with every word masked that must not be shown. */
  guarded(line: string): string {
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

  /** Masks the hidden parts of this text in a message, and quoted text that must not be shown. */
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

  /** Masks the hidden parts of this text in another text. */
  redact(words: string): string {
    if (this.#secrets.length === 0) return words;
    this.#secretWords ??= this.#findSecretWords();
    return words.replace(this.#secretWords, "***");
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
