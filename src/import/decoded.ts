import type { Source, Span } from "../diagnostics/source.ts";

/** A text taken out of another, quotes and escapes resolved, that knows where it stood. */
export class Decoded {
  readonly source: Source;
  readonly text: string;
  /** Where each of its characters stands; undefined where the text is the whole source. */
  readonly #offsets: readonly number[] | undefined;
  readonly #end: number;

  constructor(source: Source, text: string, offsets?: readonly number[], end?: number) {
    this.source = source;
    this.text = text;
    this.#offsets = offsets;
    this.#end = end ?? (offsets === undefined ? text.length : (offsets.at(-1) ?? -1) + 1);
  }

  static whole(source: Source): Decoded {
    return new Decoded(source, source.text);
  }

  span(start: number, end: number): Span {
    const from = this.#at(start);
    return this.source.span(from, end > start ? Math.max(from, this.#at(end - 1) + 1) : from);
  }

  all(): Span {
    return this.source.span(this.#at(0), this.#end);
  }

  #at(index: number): number {
    if (this.#offsets === undefined) return index;
    return this.#offsets[index] ?? this.#end;
  }
}

/** Several texts as one, each keeping its place. All are of one source. */
export class Collected {
  readonly #parts: string[] = [];
  readonly #offsets: number[] = [];

  get length(): number {
    return this.#offsets.length;
  }

  /** A stretch that means itself. */
  take(text: string, start: number, end: number): void {
    this.#parts.push(text.slice(start, end));
    for (let at = start; at < end; at += 1) this.#offsets.push(at);
  }

  /** What an escape at a place stands for. */
  put(meaning: string, at: number): void {
    this.#parts.push(meaning);
    for (let unit = 0; unit < meaning.length; unit += 1) this.#offsets.push(at);
  }

  text(): string {
    return this.#parts.join("");
  }

  offsets(): readonly number[] {
    return this.#offsets;
  }
}
