import { Batches } from "../batches.ts";
import type { Linked } from "../chain.ts";
import { ConnectionLost, tooLong } from "../connection-lost.ts";
import { type Moment, moment } from "../moment.ts";
import type { SessionWriter } from "../session.ts";
import type { Filling, StoreWatcher } from "../store.ts";
import type { Bucket } from "./bucket.ts";
import { load } from "./load.ts";
import { lostBy } from "./lock.ts";
import type { Log } from "./log.ts";
import type { Deed } from "./log-object.ts";
import { persist } from "../persist.ts";
import { Reader } from "./reader.ts";

export interface WriterPlace {
  readonly bucket: Bucket;
  readonly log: Log;
  /** Of the lock. */
  readonly session: string;
  /** Milliseconds that a store that was lost is missed. */
  readonly patience: number;
  /** Ends that waiting. */
  readonly stop: AbortSignal | undefined;
  readonly watcher: StoreWatcher | undefined;
  readonly now: () => Date;
}

/**
 * Adds to the log under a lock, one object at a time.
 *
 * What was sent for a number is sent for it again, the same bytes, until it is known
 * what became of it: so nothing is added twice, and nothing is left out. After too
 * long it is given up, and may still arrive. That does no harm. It arrives before
 * anything else has that number, or not at all; who reads it later finds an intent
 * whose create was never sent, which is unknown until the rescue file or a person
 * says so, or an outcome, which is true. The next lock has a number behind it, or
 * that very number, and then it was never added.
 */
export class Writer implements SessionWriter {
  readonly place: string;
  readonly #place: WriterPlace;
  readonly #batches = new Batches((linked) => this.#add({ kind: "entries", linked }));
  #confirmed: Moment | undefined;

  constructor(place: WriterPlace) {
    this.place = place.bucket.address;
    this.#place = place;
  }

  get failure(): { readonly error: unknown } | undefined {
    return this.#batches.failure;
  }

  get confirmed(): Moment | undefined {
    return this.#confirmed;
  }

  append(linked: readonly Linked[]): Promise<void> {
    return this.#batches.append(linked);
  }

  confirm(): Promise<void> {
    return this.#batches.act(() => this.#persist(() => this.#look()));
  }

  get movedTo(): string | null {
    return this.#place.log.standing.movedTo;
  }

  get filling(): Filling | null {
    return this.#place.log.standing.filling;
  }

  fill(filling: Filling): Promise<void> {
    return this.#act({ kind: "filling", filling });
  }

  stage(linked: readonly Linked[]): Promise<void> {
    return this.#act({ kind: "staged", linked });
  }

  async staged(): Promise<readonly Linked[]> {
    const { bucket, log, session } = this.#place;
    let staged: readonly Linked[] = [];
    await this.#batches.act(() =>
      this.#persist(async () => {
        const { standing } = await load(new Reader(bucket, log.standing.where), "the state");
        if (standing.held?.session !== session) throw lostBy(standing);
        ({ staged } = standing);
      }),
    );
    return staged;
  }

  seal(filling: Filling): Promise<void> {
    return this.#act({ kind: "sealed", filling });
  }

  open(): Promise<void> {
    return this.#act({ kind: "filled" });
  }

  discard(): Promise<void> {
    return this.#act({ kind: "discarded" });
  }

  relocate(to: string): Promise<void> {
    return this.#act({ kind: "moved", to });
  }

  /** Ends the lock, where that can be done soon, and leaves what helps the next to read. */
  async close(): Promise<void> {
    await this.#batches.settled();
    const { bucket, log, session, now } = this.#place;
    const released: Deed = { kind: "released", by: null };
    const release = async () => {
      // What was given up may have arrived meanwhile.
      while (log.standing.held?.session === session) {
        if (await log.add(log.next(released, session, now()))) return;
        await log.catchUp();
      }
    };
    const isLost = this.failure !== undefined;
    try {
      await persist(release, { patience: isLost ? 0 : patienceAtEnd });
    } catch {
      // Of this machine the next run knows that it is dead; elsewhere, a person says so.
    }
    if (!isLost) await log.fold();
    await bucket.close();
  }

  #act(deed: Deed): Promise<void> {
    return this.#batches.act(() => this.#add(deed));
  }

  async #add(deed: Deed): Promise<void> {
    const { log, session, now } = this.#place;
    const next = log.next(deed, session, now());
    const asked = moment();
    let attempts = 0;
    await this.#persist(async () => {
      attempts += 1;
      if (await log.add(next)) return;
      await log.catchUp();
      throw lostBy(log.standing);
    });
    // What an earlier attempt made may have been there for long, and the lock have ended since.
    this.#confirmed = attempts === 1 ? asked : undefined;
    await this.#persist(() => log.witness());
    log.foldLater();
  }

  /** What the log has behind that which this session added. */
  async #look(): Promise<void> {
    const { log, session } = this.#place;
    const asked = moment();
    await log.catchUp();
    if (log.standing.held?.session !== session) throw lostBy(log.standing);
    this.#confirmed = asked;
  }

  async #persist(act: () => Promise<void>): Promise<void> {
    try {
      await persist(act, this.#place);
    } catch (error) {
      throw error instanceof ConnectionLost ? tooLong(error) : error;
    }
  }
}

const patienceAtEnd = 5000;
