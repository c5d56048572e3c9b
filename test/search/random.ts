/** A small random generator (mulberry32). The same seed gives the same numbers on every machine. */
export class Random {
  #state: number;

  constructor(seed: number) {
    this.#state = seed >>> 0;
  }

  /** Returns a number from 0 up to 1. */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let mixed = this.#state;
    mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }

  /** Returns a whole number, both ends included. */
  between(from: number, to: number): number {
    return from + Math.floor(this.next() * (to - from + 1));
  }

  chance(of: number): boolean {
    return this.next() < of;
  }

  pick<T>(of: readonly [T, ...T[]]): T;
  pick<T>(of: readonly T[]): T | undefined;
  pick<T>(of: readonly T[]): T | undefined {
    return of[this.between(0, of.length - 1)];
  }

  /** Returns one of the names, by weight. */
  choose<T extends string>(weights: Readonly<Record<T, number>>): T {
    const entries = Object.entries(weights) as [T, number][];
    let left = this.next() * entries.reduce((sum, [, weight]) => sum + weight, 0);
    for (const [name, weight] of entries) {
      left -= weight;
      if (left < 0) return name;
    }
    return (entries[0] as [T, number])[0];
  }

  shuffle<T>(of: readonly T[]): T[] {
    const list = [...of];
    for (let at = list.length - 1; at > 0; at -= 1) {
      const other = this.between(0, at);
      [list[at], list[other]] = [list[other] as T, list[at] as T];
    }
    return list;
  }
}

/** Returns the seed of a round of a search. */
export function seedOf(seed: number, round: number): number {
  return Math.imul(seed ^ 0x9e3779b9, 2654435761) ^ Math.imul(round + 1, 40503);
}
