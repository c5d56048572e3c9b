import { randomBytes } from "node:crypto";
import { rmSync, writeFileSync } from "node:fs";
import { failedWith } from "../../../util/disk.ts";

/** Each outcome can be a file of its own, of at least 4 KiB on most disks. Those of 64 requests in flight fit. */
const size = 256 * 1024;

/**
 * A file that is deleted when the disk is full, so that the outcomes of requests in flight can
 * still be written. No request starts without it. Its content is random, because some file
 * systems store zeros without using space.
 */
export class Ballast {
  readonly #path: string;
  #isThere = false;

  constructor(path: string) {
    this.#path = path;
  }

  /** Creates the file, unless it is there. Throws if the disk is full. */
  load(): void {
    if (this.#isThere) return;
    try {
      writeFileSync(this.#path, randomBytes(size));
      this.#isThere = true;
    } catch (error) {
      rmSync(this.#path, { force: true });
      // Any other problem shows when a block is written.
      if (isFull(error)) throw error;
    }
  }

  /** Deletes the file. Returns whether there was one. */
  drop(): boolean {
    if (!this.#isThere) return false;
    rmSync(this.#path, { force: true });
    this.#isThere = false;
    return true;
  }
}

export function isFull(error: unknown): boolean {
  return failedWith(error, "ENOSPC", "EDQUOT");
}
