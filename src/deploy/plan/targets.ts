import { globPattern } from "../../util/glob.ts";

/** The keys that a run is about. */
export interface Targets {
  readonly narrow: boolean;
  has(key: string): boolean;
  /** The patterns that match none of the keys. */
  idle(keys: readonly string[]): string[];
}

/** Exactly these keys. It is not checked whether they exist. */
export function targetKeys(wanted: ReadonlySet<string>): Targets {
  return { narrow: true, has: (key) => wanted.has(key), idle: () => [] };
}

/** Keys that match one of the patterns; all keys if there is no pattern. */
export class Patterns implements Targets {
  readonly #patterns: readonly { readonly text: string; readonly pattern: RegExp }[];

  constructor(patterns: readonly string[]) {
    this.#patterns = patterns.map((text) => ({ text, pattern: globPattern(text) }));
  }

  get narrow(): boolean {
    return this.#patterns.length > 0;
  }

  has(key: string): boolean {
    return !this.narrow || this.#patterns.some(({ pattern }) => pattern.test(key));
  }

  idle(keys: readonly string[]): string[] {
    return this.#patterns
      .filter(({ pattern }) => !keys.some((key) => pattern.test(key)))
      .map(({ text }) => text);
  }
}
