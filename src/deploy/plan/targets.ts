import { globPattern } from "../../glob.ts";

/** Which keys a run is narrowed to: all, unless patterns are given. */
export class Targets {
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

  /** The patterns that none of the keys fits. */
  idle(keys: readonly string[]): string[] {
    return this.#patterns
      .filter(({ pattern }) => !keys.some((key) => pattern.test(key)))
      .map(({ text }) => text);
  }
}
