import { Memo } from "../util/memo.ts";
import { Diagnostics } from "../diagnostics/diagnostic.ts";

/** Remembers what was read last for each key, and the problems found then. See `Memo`. */
export class Readings<K extends object, V> {
  readonly #memo = new Memo<K, { readonly value: V; readonly found: Diagnostics }>();

  of(
    key: K,
    inputs: readonly unknown[],
    diagnostics: Diagnostics,
    read: (found: Diagnostics) => V,
  ): V {
    const { value, found } = this.#memo.of(key, inputs, () => {
      const own = new Diagnostics();
      return { value: read(own), found: own };
    });
    diagnostics.addAll(found);
    return value;
  }
}
