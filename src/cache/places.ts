import * as z from "zod/mini";
import type { Source, Span } from "../diagnostics/source.ts";

/** From where to where, in the file itself; a third number says: in the configuration. */
export const At = z.array(z.int());
export type At = z.infer<typeof At>;

/** Places of a menu, which are in its own file or, with the defaults, in the configuration. */
export class Places {
  readonly #own: Source;
  readonly #config: Source;
  #strange = false;

  constructor(own: Source, config: Source) {
    this.#own = own;
    this.#config = config;
  }

  /** Whether a place was to be written that is in neither. */
  get hasStrange(): boolean {
    return this.#strange;
  }

  write({ source, start, end }: Span): At {
    if (source === this.#config) return [start, end, 1];
    if (source !== this.#own) this.#strange = true;
    return [start, end];
  }

  read([start = 0, end = start, inConfig]: At): Span {
    return (inConfig === undefined ? this.#own : this.#config).span(start, end);
  }

  /** Which of the two a finding stands in; undefined where it has no text. */
  nameOf(source: Source | undefined): "own" | "config" | undefined {
    if (source === undefined) return undefined;
    if (source !== this.#own && source !== this.#config) this.#strange = true;
    return source === this.#config ? "config" : "own";
  }

  named(name: "own" | "config" | undefined): Source | undefined {
    if (name === undefined) return undefined;
    return name === "config" ? this.#config : this.#own;
  }
}
