import type { Code } from "../../diagnostics/codes.ts";

/** A mistake and its correction. Lines and columns start at 0. */
export interface Mistake {
  /** If absent, IVR101, or IVR131 if YAML accepts the mistake. */
  readonly code?: Code | undefined;
  /** Where the mistake is. */
  readonly line: number;
  readonly from: number;
  readonly to: number;
  readonly message: string;
  /** What to do. The first corrected line follows. */
  readonly advice: string;
  /** The corrected lines by their numbers, in order. No line is added or removed. */
  readonly lines: ReadonlyMap<number, string>;
}

export class TextLines {
  readonly #lines: readonly string[];

  constructor(text: string) {
    this.#lines = text.split("\n");
  }

  /** A line without its line ending. */
  text(line: number): string {
    return (this.#lines[line] ?? "").replace(/\r$/, "");
  }

  /** The number of spaces at the start of a line. */
  indent(line: number): number {
    return /^ */.exec(this.text(line))?.[0].length ?? 0;
  }

  /** The next line, or with -1 the line before, that has more than a comment. */
  next(line: number, step: 1 | -1 = 1): number | undefined {
    let next = line + step;
    while (/^\s*(?:#.*)?$/.test(this.#lines[next] ?? "text")) next += step;
    return next in this.#lines ? next : undefined;
  }

  /** This line and those after it, until one that is indented less than `least`. */
  block(line: number, least = this.indent(line)): number[] {
    const block = [line];
    for (let next = this.next(line); next !== undefined; next = this.next(next)) {
      if (this.indent(next) < least || /^(?:---|\.\.\.)(?:\s|$)/.test(this.text(next))) break;
      block.push(next);
    }
    return block;
  }

  /** This line and those next to it, in both directions, as long as they match. */
  around(line: number, matches: (line: number) => boolean): number[] {
    const end = (step: 1 | -1) => {
      let last = line;
      while (last + step in this.#lines && matches(last + step)) last += step;
      return last;
    };
    const first = end(-1);
    return Array.from({ length: end(1) - first + 1 }, (_, at) => first + at);
  }

  /** The whole text with corrected lines. */
  with(corrected: ReadonlyMap<number, string>): string {
    const lines = this.#lines.map((line, at) => {
      const text = corrected.get(at);
      return text === undefined ? line : text + (line.endsWith("\r") ? "\r" : "");
    });
    return lines.join("\n");
  }
}
