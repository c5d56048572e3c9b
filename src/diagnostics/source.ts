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
  readonly via?: readonly ValueOrigin[];
}

/** A place that a value comes from. */
export interface ValueOrigin {
  /** The name of a variable. Undefined for the text itself. */
  readonly variable: string | undefined;
  readonly at: Span;
  /** The text there, without quotes. */
  readonly text: string;
}

/** A value and its place in a file. */
export interface Placed<T> {
  readonly value: T;
  readonly at: Span;
}

/** The place for a message: `FILE:LINE`. */
export function fileAndLine({ source, start }: Span): string {
  return `${source.file}:${source.position(start).line}`;
}

/** Offsets in a text. */
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
  /** Parts that may contain secrets. Their lines are not shown. */
  #hidden: readonly Part[] = [];
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

  /** Hides the whole text, because a secret may be anywhere in it. */
  hideAll(): void {
    this.#hidden = [{ start: 0, end: this.text.length }];
  }

  /** Hides only these parts. */
  showExcept(hidden: readonly Part[]): void {
    this.#hidden = hidden;
  }

  /** Whether a part of the text is hidden. Messages must not quote it. */
  hides(start: number, end: number): boolean {
    return this.#hidden.some((part) => part.start <= end && start <= part.end);
  }

  /** A line or a part of it, without its line ending and with secrets masked. Undefined if it is hidden. */
  line(number: number, from = 0, to = Number.POSITIVE_INFINITY): string | undefined {
    const starts = this.#starts();
    const lineStart = starts[number - 1];
    if (lineStart === undefined) return "";
    const lineEnd = this.#endOfLine(lineStart, starts[number] ?? this.text.length);
    if (this.hides(lineStart, lineEnd)) return undefined;
    const start = Math.min(lineStart + from, lineEnd);
    // Search beyond the requested part, to find a secret that is only partly inside it.
    const searchFrom = Math.max(start - maxSecret, lineStart);
    const end = Math.min(lineStart + to, lineEnd);
    return secrets
      .mask(this.text.slice(searchFrom, Math.min(end + maxSecret, lineEnd)), stars)
      .slice(start - searchFrom, Math.max(end - searchFrom, 0));
  }

  #endOfLine(start: number, next: number): number {
    let end = next;
    if (end > start && this.text[end - 1] === "\n") end -= 1;
    if (end > start && this.text[end - 1] === "\r") end -= 1;
    return end;
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

/** As many stars as the text has characters. */
function stars(text: string): string {
  return "*".repeat(text.length);
}
