import { randomUUID } from "node:crypto";
import { promisify } from "node:util";
import { gunzip, gzip } from "node:zlib";
import { type CommitLog, type KeptSnapshot, damaged, refuseGap } from "../log/commit-log.ts";
import { StateProblem } from "../lock.ts";
import type { Bucket } from "./bucket.ts";
import { unconditional } from "./bucket-problems.ts";

/*
 * The objects of a state, below the prefix:
 *
 *     ENV/ID/log/000000000017             block 17
 *     ENV/ID/snapshots/999999999982.gz    the state after block 17
 *     ENV/ID/probe                        see `probe`
 *
 * The numbers of snapshots descend, so that a list starts with the newest one.
 */
const largestNumber = 999_999_999_999;
const blockName = /^\d{12}$/;
const snapshotName = /^(\d{12})\.gz$/;

/** How many names to ask for to find the newest snapshot: the folder may have other objects. */
const fewNames = 10;

/** The number of objects to get at once. */
const width = 16;

/** The number of parallel requests of the probe. */
const probeCount = 8;

const zip = promisify(gzip);
const unzip = promisify(gunzip);

/** A log in an object store that can refuse to create an object that exists. */
export class ObjectLog implements CommitLog {
  readonly place: string;
  readonly keepsAll = true;
  readonly #bucket: Bucket;
  readonly #folder: string;
  readonly #above: string;

  constructor(bucket: Bucket, environment: string, id?: string) {
    this.place = bucket.address;
    this.#bucket = bucket;
    this.#above = encodeURIComponent(environment);
    this.#folder = id === undefined ? this.#above : `${this.#above}/${id}`;
  }

  get advice(): string | undefined {
    return this.#bucket.advice;
  }

  name(n: number): string {
    return `The object ${this.#key(n)} of ${this.place}`;
  }

  async restoreHint(): Promise<string> {
    return 'Restore it from a backup or from the versions in the bucket, as "Backup and restore" in `ivrctl explain state-s3` says. ivrctl never changes an object.';
  }

  async ids(): Promise<readonly string[]> {
    const ids: string[] = [];
    for (let after = ""; ;) {
      const [name] = await this.#bucket.list(`${this.#above}/`, after, 1);
      if (name === undefined) return ids;
      const [id = ""] = name.split("/");
      if (name.startsWith(`${id}/log/`)) ids.push(id);
      // After all names of this state.
      after = `${id}/~`;
    }
  }

  async numbers(from = 1): Promise<readonly number[]> {
    const names = await this.#bucket.list(`${this.#folder}/log/`, padded(from - 1));
    return names.filter((name) => blockName.test(name)).map(Number);
  }

  async read(after: number, limit?: number): Promise<readonly Buffer[]> {
    if (limit === 1) return [(await this.#bucket.get(this.#key(after + 1))) ?? []].flat();
    // The list decides what is missing: some stores answer 403 to a request for a missing object.
    const numbers = (await this.numbers(after + 1)).slice(0, limit);
    await refuseGap(this, after, numbers);
    const blocks: Buffer[] = [];
    const left = numbers.entries();
    const worker = async () => {
      for (const [at, n] of left) {
        const bytes = await this.#bucket.get(this.#key(n));
        if (bytes === undefined) throw await damaged(this, n, "is listed, but is missing");
        blocks[at] = bytes;
      }
    };
    await Promise.all(Array.from({ length: Math.min(width, numbers.length) }, worker));
    return blocks;
  }

  async append(n: number, bytes: Buffer): Promise<"added" | "taken"> {
    return (await this.#bucket.create(this.#key(n), bytes)) === "created" ? "added" : "taken";
  }

  async snapshot(): Promise<KeptSnapshot | undefined> {
    const folder = `${this.#folder}/snapshots/`;
    const names = await this.#bucket.list(folder, "", fewNames);
    const name = names.find((one) => snapshotName.test(one));
    if (name === undefined) return undefined;
    const packed = (await this.#bucket.get(folder + name)) ?? Buffer.alloc(0);
    const bytes = await unzip(packed).catch(() => Buffer.alloc(0));
    return { number: largestNumber - Number.parseInt(name, 10), bytes };
  }

  async keep(n: number, snapshot: Buffer): Promise<void> {
    const key = `${this.#folder}/snapshots/${padded(largestNumber - n)}.gz`;
    await this.#bucket.create(key, await zip(snapshot));
  }

  /**
   * Refuses a store that overwrites objects. Usually one request is enough: the probe of an
   * earlier run exists, so the store must refuse to create it again. In a new environment that
   * request succeeds and proves nothing. Then several requests create one other object at the
   * same time, and only one of them may succeed.
   */
  async probe(): Promise<void> {
    if ((await this.#bucket.create(`${this.#folder}/probe`, probeText)) === "taken") return;
    const key = `${this.#folder}/probes/${randomUUID()}`;
    const asked = await Promise.allSettled(
      Array.from({ length: probeCount }, () => this.#bucket.create(key, probeText)),
    );
    const made = asked.filter((one) => one.status === "fulfilled" && one.value === "created");
    if (made.length > 1) {
      throw new StateProblem(
        "IVR676",
        `${this.place} ignores If-None-Match: ${made.length} of ${probeCount} simultaneous requests created the same object.${unconditional}`,
        "Try a bucket without versioning: some stores ignore If-None-Match only in a bucket with versioning.",
      );
    }
    // One answer `taken` is enough. Requests that failed for another reason prove nothing.
    if (asked.some((one) => one.status === "fulfilled" && one.value === "taken")) return;
    for (const one of asked) if (one.status === "rejected") throw one.reason;
  }

  async close(): Promise<void> {
    await this.#bucket.close();
  }

  #key(n: number): string {
    return `${this.#folder}/log/${padded(n)}`;
  }
}

/** Returns the number with 12 digits, so that names sort by number. */
function padded(n: number): string {
  return String(n).padStart(12, "0");
}

const probeText = Buffer.from(
  "ivrctl created this object to check that the store honors If-None-Match.\n",
);
