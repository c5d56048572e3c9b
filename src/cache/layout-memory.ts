import type { Source } from "../diagnostics/source.ts";
import { textName } from "./basis.ts";
import type { Pack } from "./pack.ts";

const nothing = Buffer.alloc(0);

/** The texts that are known to be in the canonical layout already. */
export class LayoutMemory {
  readonly #pieces: Pack["pieces"];
  readonly #met = new Map<string, Buffer>();
  #hasNews = false;

  constructor(pieces: Pack["pieces"]) {
    this.#pieces = pieces;
  }

  has(source: Source): boolean {
    const name = textName(source);
    if (!this.#pieces.has(name)) return false;
    this.#met.set(name, nothing);
    return true;
  }

  add(source: Source): void {
    const name = textName(source);
    if (this.#met.has(name)) return;
    this.#met.set(name, nothing);
    this.#hasNews = true;
  }

  /** The texts met in this run, if any of them is new. */
  news(): Pack["pieces"] | undefined {
    return this.#hasNews ? this.#met : undefined;
  }
}
