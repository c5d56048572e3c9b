import type { Linked } from "../chain.ts";
import type { Bucket } from "./bucket.ts";
import { sealHistory, sealSnapshot } from "./derived.ts";
import type { Loaded } from "./load.ts";
import { historyKey, snapshotKey } from "./names.ts";
import { packed } from "./sealed.ts";
import type { Standing } from "./standing.ts";

/**
 * Keeps readers from having to ask for every object of the log. Whoever holds the
 * lock leaves, every so often, one object with all events since the last snapshot;
 * and a new snapshot once the log has grown by a quarter of the last one, or by
 * very many objects. So the one never costs much more than the other.
 *
 * All of it is derived, and may fail: then the next one makes up for it.
 */
export class Folding {
  readonly #bucket: Bucket;
  #snapshot: Loaded["snapshot"];
  /** Up to this number it was done, or tried. */
  #folded: number;
  /** Since the snapshot. */
  #entries: Linked[];
  #bytes: number;
  #working: Promise<void> | undefined;

  constructor(bucket: Bucket, { snapshot, folded, entries, bytes }: Loaded) {
    this.#bucket = bucket;
    this.#snapshot = snapshot;
    this.#folded = folded;
    this.#entries = [...entries];
    this.#bytes = bytes;
  }

  /** The log has one object more. */
  grow(linked: readonly Linked[], bytes: number): void {
    for (const one of linked) this.#entries.push(one);
    this.#bytes += bytes;
  }

  /** Only if the log has grown by at least so many objects, nothing is being made, and no fill is open. */
  begin(standing: Standing, least: number): void {
    if (this.#working !== undefined || standing.number - this.#folded < least) return;
    if (standing.filling !== null) return;
    this.#working = this.#fold(standing).finally(() => {
      this.#working = undefined;
    });
  }

  /** Waits until it is made. Never rejects. */
  async finish(standing: Standing, least: number): Promise<void> {
    await this.#working;
    this.begin(standing, least);
    await this.#working;
  }

  async #fold(standing: Standing): Promise<void> {
    const { number: to, where } = standing;
    const from = this.#snapshot.number + 1;
    const isDue = 4 * this.#bytes >= this.#snapshot.size || to - from >= most;
    // All of this moment, before anything is waited for.
    const [count, bytes] = [this.#entries.length, this.#bytes];
    const history = sealHistory(standing, this.#entries);
    const snapshot = isDue ? sealSnapshot(standing) : undefined;
    this.#folded = to;
    try {
      await this.#bucket.create(historyKey(where, { from, to }), await packed(history));
      if (snapshot === undefined) return;
      await this.#bucket.create(snapshotKey(where, to), await packed(snapshot));
      this.#snapshot = { number: to, size: snapshot.bytes.length };
      this.#entries = this.#entries.slice(count);
      this.#bytes -= bytes;
    } catch {
      // The log holds everything.
    }
  }
}

/** Objects of the log behind a snapshot. */
const most = 512;
