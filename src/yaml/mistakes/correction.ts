import type { Code } from "../../diagnostics/codes.ts";

/** A change of one line. Lines and columns start at 0. */
export interface Edit {
  readonly line: number;
  readonly from: number;
  readonly to: number;
  readonly text: string;
}

/** A mistake and its correction. */
export interface Correction {
  /** If absent, IVR101, or IVR131 if YAML accepts the mistake. */
  readonly code?: Code;
  /** Where the mistake is. */
  readonly line: number;
  readonly from: number;
  readonly to: number;
  readonly message: string;
  /** What to do. The corrected line follows. */
  readonly advice: string;
  /** These never add or remove a line. */
  readonly edits: readonly Edit[];
}

/** The lines of a text. */
export class Lines {
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

  /** The first line after this one that has more than a comment. */
  next(line: number): number | undefined {
    return this.#from(line, 1);
  }

  /** The last line before this one that has more than a comment. */
  previous(line: number): number | undefined {
    return this.#from(line, -1);
  }

  /** This line and those after it, until one that is indented less than `least`. */
  block(line: number, least = this.indent(line)): number[] {
    const block = [line];
    for (let next = this.next(line); next !== undefined; next = this.next(next)) {
      if (this.indent(next) < least || documentStart.test(this.text(next))) break;
      block.push(next);
    }
    return block;
  }

  /** This line and those next to it, in both directions, as long as they match. */
  around(line: number, matches: (line: number) => boolean): number[] {
    const found = [line];
    for (const step of [-1, 1]) {
      for (let next = line + step; next in this.#lines && matches(next); next += step) {
        found.push(next);
      }
    }
    return found;
  }

  #from(line: number, step: 1 | -1): number | undefined {
    let found = line + step;
    while (blank.test(this.#lines[found] ?? "text")) found += step;
    return found in this.#lines ? found : undefined;
  }

  /** The whole text after these edits. */
  with(edits: readonly Edit[]): string {
    const lines = [...this.#lines];
    for (const { line, from, to, text } of edits.toSorted((a, b) => b.from - a.from)) {
      const before = lines[line] ?? "";
      lines[line] = before.slice(0, from) + text + before.slice(to);
    }
    return lines.join("\n");
  }
}

const blank = /^\s*(?:#.*)?$/;
const documentStart = /^(?:---|\.\.\.)(?:\s|$)/;
