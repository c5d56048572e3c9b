import type { Bucket } from "./bucket.ts";
import {
  type Head,
  type Where,
  behind,
  folderOf,
  logKey,
  logNumbers,
  newestHead,
} from "./names.ts";
import { damaged } from "./standing.ts";

/**
 * Reads the objects of an environment, each of them once: they do not change. What
 * was listed is listed again only for what was added to the log since, so that a
 * command that loads the state twice pays for one load.
 */
export class Reader {
  readonly where: Where;
  readonly bucket: Bucket;
  readonly #found = new Map<string, Buffer>();
  readonly #derived = new Map<string, readonly string[]>();
  #log: { readonly from: number; readonly numbers: readonly number[] } | undefined;
  #head: { readonly newest: Head | undefined } | undefined;

  constructor(bucket: Bucket, where: Where) {
    this.bucket = bucket;
    this.where = where;
  }

  /** The names of what was derived from the log behind this number, at the first look. */
  async derived(folder: "snapshots" | "history", after: number): Promise<readonly string[]> {
    const asked = `${folder} ${after}`;
    const from = after === 0 ? "" : behind(after);
    const names =
      this.#derived.get(asked) ?? (await this.bucket.list(folderOf(this.where, folder), from));
    this.#derived.set(asked, names);
    return names;
  }

  /** The numbers of the log from this one on. */
  async log(from: number): Promise<readonly number[]> {
    const known = this.#log !== undefined && this.#log.from <= from ? this.#log.numbers : [];
    const before = known.filter((number) => number >= from);
    const last = before.at(-1) ?? from - 1;
    const after = last === 0 ? "" : behind(last);
    const later = logNumbers(await this.bucket.list(folderOf(this.where, "log"), after));
    const numbers = [...before, ...later];
    this.#log = { from, numbers };
    return numbers;
  }

  /** The newest head at the first look; undefined if there is none. */
  async head(): Promise<Head | undefined> {
    // A few names, in case somebody put other objects there.
    const names = () => this.bucket.first(folderOf(this.where, "heads"), 10);
    this.#head ??= { newest: newestHead(await names()) };
    return this.#head.newest;
  }

  async get(key: string): Promise<Buffer | undefined> {
    const found = this.#found.get(key) ?? (await this.bucket.get(key));
    if (found !== undefined) this.#found.set(key, found);
    return found;
  }

  /** An object of the log that was listed. */
  async needed(number: number): Promise<Buffer> {
    const key = logKey(this.where, number);
    const found = await this.get(key);
    if (found !== undefined) return found;
    throw damaged(this.where, key, missing);
  }

  /** Many at once, for those who ask for them one by one. */
  async fetch(keys: readonly string[]): Promise<void> {
    const left = keys.values();
    const worker = async () => {
      for (const key of left) await this.get(key);
    };
    await Promise.all(Array.from({ length: Math.min(width, keys.length) }, worker));
  }
}

/** Objects asked for at once. */
const width = 16;

/**
 * Refuses a log that lacks one of these. The list decides, and no request for the
 * object: a store answers 403 for a missing object to whoever may not list its name.
 */
export function refuseGaps(
  where: Where,
  wanted: readonly number[],
  listed: readonly number[],
): void {
  const there = new Set(listed);
  const lacking = wanted.find((number) => !there.has(number));
  if (lacking !== undefined) throw damaged(where, logKey(where, lacking), missing);
}

const missing = "is missing, and there are others behind it";

/** From one number to another, both of them included. */
export function numbersFrom(from: number, to: number): readonly number[] {
  return Array.from({ length: Math.max(0, to - from + 1) }, (_, at) => from + at);
}
