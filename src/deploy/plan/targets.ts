import { globPattern } from "../../util/glob.ts";

/** The menu keys that `--target` selects. */
export interface Targets {
  /** Whether only some keys are targets. */
  readonly isNarrow: boolean;
  has(key: string): boolean;
  /** Whether the key was named, not only matched. */
  names(key: string): boolean;
  /** The patterns that match none of the keys. */
  unmatched(keys: readonly string[]): string[];
}

/** Selects exactly these keys, whether they exist or not. */
export function targetKeys(wanted: ReadonlySet<string>): Targets {
  return {
    isNarrow: true,
    has: (key) => wanted.has(key),
    names: (key) => wanted.has(key),
    unmatched: () => [],
  };
}

/**
 * Selects the keys that match one of the patterns; all keys if there is no pattern. `*` and `?`
 * match any characters, also `/`.
 */
export class Patterns implements Targets {
  readonly #patterns: readonly { readonly text: string; readonly pattern: RegExp }[];

  constructor(patterns: readonly string[]) {
    this.#patterns = patterns.map((text) => ({ text, pattern: globPattern(text) }));
  }

  get isNarrow(): boolean {
    return this.#patterns.length > 0;
  }

  has(key: string): boolean {
    return !this.isNarrow || this.#patterns.some(({ pattern }) => pattern.test(key));
  }

  names(key: string): boolean {
    return this.#patterns.some(({ text }) => text === key);
  }

  unmatched(keys: readonly string[]): string[] {
    return this.#patterns
      .filter(({ pattern }) => !keys.some((key) => pattern.test(key)))
      .map(({ text }) => text);
  }
}
