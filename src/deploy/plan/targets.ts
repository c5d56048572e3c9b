import { globPattern } from "../../util/glob.ts";

/** Which keys a run is narrowed to. */
export interface Targets {
  readonly narrow: boolean;
  has(key: string): boolean;
  /** What was asked for and fits none of the keys. */
  idle(keys: readonly string[]): string[];
}

/** These keys and no others; whether there are such is for somebody else to judge. */
export function targetKeys(wanted: ReadonlySet<string>): Targets {
  return { narrow: true, has: (key) => wanted.has(key), idle: () => [] };
}

/** Keys that fit one of the patterns; all, unless there are some. */
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
