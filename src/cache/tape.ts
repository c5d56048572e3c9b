import * as z from "zod/mini";
import type { Source, Span } from "../diagnostics/source.ts";

/**
 * Words and numbers one behind the other, read in the order in which they were written:
 * a third of what the same is with names, and so is the time to read it.
 */
export const Tape = z.object({ words: z.array(z.string()), numbers: z.array(z.int()) });
export type Tape = z.infer<typeof Tape>;

/** What spans are in: a menu's own file or, with the defaults, the configuration. */
export interface Sources {
  readonly own: Source;
  readonly config: Source;
}

export class TapeWriter {
  readonly tape: Tape = { words: [], numbers: [] };
  /** Whether all of it will be understood again. */
  sound = true;
  readonly #sources: Sources;

  constructor(sources: Sources) {
    this.#sources = sources;
  }

  word(word: string): void {
    this.tape.words.push(word);
  }

  number(number: number): void {
    this.tape.numbers.push(number);
  }

  /** One in the configuration starts below 0. */
  span({ source, start, end }: Span): void {
    const { own, config } = this.#sources;
    if (source !== own && source !== config) this.sound = false;
    this.tape.numbers.push(source === config ? -1 - start : start, end);
  }

  list<T>(items: readonly T[], write: (item: T) => void): void {
    this.number(items.length);
    for (const item of items) write(item);
  }

  optional<T>(item: T | undefined, write: (item: T) => void): void {
    this.number(item === undefined ? 0 : 1);
    if (item !== undefined) write(item);
  }
}

export class TapeReader {
  /** Whether what was asked for was there so far. */
  sound = true;
  readonly #tape: Tape;
  readonly #sources: Sources;
  #word = 0;
  #number = 0;

  constructor(tape: Tape, sources: Sources) {
    this.#tape = tape;
    this.#sources = sources;
  }

  /** Whether it was understood as it was written, to its end. */
  get isDone(): boolean {
    const { words, numbers } = this.#tape;
    return this.sound && this.#word === words.length && this.#number === numbers.length;
  }

  word(): string {
    return this.#tape.words[this.#word++] ?? this.#torn("");
  }

  number(): number {
    return this.#tape.numbers[this.#number++] ?? this.#torn(0);
  }

  span(): Span {
    const [start, end] = [this.number(), this.number()];
    return start < 0
      ? this.#sources.config.span(-1 - start, end)
      : this.#sources.own.span(start, end);
  }

  list<T>(read: () => T): T[] {
    const items: T[] = [];
    for (let left = this.number(); left > 0 && this.sound; left -= 1) items.push(read());
    return items;
  }

  optional<T>(read: () => T): T | undefined {
    return this.list(read)[0];
  }

  #torn<T>(instead: T): T {
    this.sound = false;
    return instead;
  }
}
