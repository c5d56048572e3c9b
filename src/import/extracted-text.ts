import type { Source, Span } from "../diagnostics/source.ts";

/** Text from a source with quotes and escapes resolved, and the place of each character. */
export class ExtractedText {
  readonly source: Source;
  readonly text: string;
  readonly #end: number;
  /** Where each character is in the source; undefined if the text is the whole source. */
  readonly #offsets: readonly number[] | undefined;

  constructor(
    source: Source,
    text: string = source.text,
    end: number = source.text.length,
    offsets?: readonly number[],
  ) {
    this.source = source;
    this.text = text;
    this.#end = end;
    this.#offsets = offsets;
  }

  span(start: number, end: number): Span {
    const from = this.#at(start);
    return this.source.span(from, end > start ? Math.max(from, this.#at(end - 1) + 1) : from);
  }

  all(): Span {
    return this.source.span(this.#at(0), this.#end);
  }

  /** The text without its first characters. */
  from(index: number): ExtractedText {
    const offsets = this.#offsets?.slice(index);
    return new ExtractedText(this.source, this.text.slice(index), this.#end, offsets);
  }

  #at(index: number): number {
    if (this.#offsets === undefined) return index;
    return this.#offsets[index] ?? this.#end;
  }
}

/** A word of a command, as the program would receive it. */
export interface Word {
  readonly value: ExtractedText;
  /** Its place in the source, including quotes. */
  readonly start: number;
  readonly end: number;
  /** The place where a shell would insert a variable or the output of a command. */
  readonly expansion: number | undefined;
}

/** Collects the parts of a word, each with its place in the source. */
export class WordBuilder {
  expansion: number | undefined;
  readonly #source: Source;
  readonly #start: number;
  readonly #parts: string[] = [];
  readonly #offsets: number[] = [];

  constructor(source: Source, start: number) {
    this.#source = source;
    this.#start = start;
  }

  /** Adds a part of the source unchanged. */
  take(start: number, end: number): void {
    this.#parts.push(this.#source.text.slice(start, end));
    for (let at = start; at < end; at += 1) this.#offsets.push(at);
  }

  /** Adds the meaning of an escape at this place. */
  put(meaning: string, at: number): void {
    this.#parts.push(meaning);
    for (let unit = 0; unit < meaning.length; unit += 1) this.#offsets.push(at);
  }

  build(end: number): Word {
    const value = new ExtractedText(this.#source, this.#parts.join(""), end, this.#offsets);
    return { value, start: this.#start, end, expansion: this.expansion };
  }
}
