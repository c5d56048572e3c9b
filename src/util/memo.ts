/**
 * Remembers the last value that was made for each key, and makes it again only if an input is not the
 * same object any more. An editor checks the same project after every keystroke, so nearly all inputs
 * stay the same. Values must depend on nothing else and must not be changed.
 */
export class Memo<K extends object, V> {
  readonly #kept = new WeakMap<K, { readonly inputs: readonly unknown[]; readonly value: V }>();

  of(key: K, inputs: readonly unknown[], make: () => V): V {
    const kept = this.#kept.get(key);
    const isSame =
      kept?.inputs.length === inputs.length &&
      inputs.every((input, at) => input === kept.inputs[at]);
    if (isSame) return kept.value;
    const value = make();
    this.#kept.set(key, { inputs, value });
    return value;
  }
}
