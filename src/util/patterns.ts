import { globPattern } from "./glob.ts";

/**
 * The menu keys that `--target` selects: those that match one of the patterns, and all keys if there is
 * no pattern. `*` and `?` match any characters, also `/`.
 */
export class Patterns {
  /** Whether only some keys are targets. */
  readonly isNarrow: boolean;
  readonly #names: ReadonlySet<string>;
  readonly #globs: readonly RegExp[];

  constructor(patterns: readonly string[], isNarrow = patterns.length > 0) {
    this.isNarrow = isNarrow;
    this.#names = new Set(patterns);
    this.#globs = patterns.filter((text) => /[*?]/.test(text)).map(globPattern);
  }

  has(key: string): boolean {
    return !this.isNarrow || this.names(key) || this.#globs.some((glob) => glob.test(key));
  }

  /** Whether the key was named, not only matched. */
  names(key: string): boolean {
    return this.#names.has(key);
  }

  /** The patterns that match none of the keys. */
  unmatched(keys: readonly string[]): string[] {
    return [...this.#names].filter((text) => !keys.some((key) => globPattern(text).test(key)));
  }
}
