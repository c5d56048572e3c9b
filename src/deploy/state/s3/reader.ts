import type { Bucket } from "./bucket.ts";
import { type Where, folderOf } from "./names.ts";
import { damaged } from "./standing.ts";

/** Reads the objects of an environment, each of them once: they do not change. */
export class Reader {
  readonly where: Where;
  readonly bucket: Bucket;
  readonly #found = new Map<string, Buffer>();

  constructor(bucket: Bucket, where: Where) {
    this.bucket = bucket;
    this.where = where;
  }

  list(folder: "log" | "snapshots" | "history", after: string): Promise<string[]> {
    return this.bucket.list(folderOf(this.where, folder), after);
  }

  async get(key: string): Promise<Buffer | undefined> {
    const found = this.#found.get(key) ?? (await this.bucket.get(key));
    if (found !== undefined) this.#found.set(key, found);
    return found;
  }

  async needed(key: string): Promise<Buffer> {
    const found = await this.get(key);
    if (found !== undefined) return found;
    throw damaged(this.where, key, "is missing, and there are others behind it");
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
