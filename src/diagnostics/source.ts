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

/** The text of one file, and where its lines begin. */
export class Source {
  /** As shown to the user: relative to the project, with `/`. */
  readonly file: string;
  readonly text: string;
  readonly #secrets: { start: number; end: number }[] = [];
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

  /** Text that must never be shown, whichever fault its line is shown for. */
  hide(start: number, end: number): void {
    if (end > start) this.#secrets.push({ start, end });
  }

  /** A line as it may be shown: without its ending, secrets masked. */
  line(number: number): string {
    const starts = this.#starts();
    const start = starts[number - 1];
    if (start === undefined) return "";
    const end = starts[number] ?? this.text.length;
    let line = this.text.slice(start, end).replace(/\r?\n$|\r$/, "");
    for (const secret of this.#secrets) {
      const from = Math.max(secret.start - start, 0);
      const to = Math.min(secret.end - start, line.length);
      if (from < to) line = line.slice(0, from) + "*".repeat(to - from) + line.slice(to);
    }
    return line;
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
