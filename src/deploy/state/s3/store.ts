import type { Linked } from "../chain.ts";
import { standardPatience, told } from "../connection-lost.ts";
import { describeLock } from "../describe-lock.ts";
import { Sequencer } from "../sequencer.ts";
import { WritingSession } from "../session.ts";
import type { Claim, Lock, Locked, Reading, StateStore } from "../store.ts";
import { whoami } from "../whoami.ts";
import { Bucket } from "./bucket.ts";
import type { Extent } from "./load.ts";
import { holderOf, refuseFilling, refuseMoved, take, unlock } from "./lock.ts";
import { Log } from "./log.ts";
import type { Where } from "./names.ts";
import { brief, persist } from "../persist.ts";
import { probe } from "./probe.ts";
import { Reader } from "./reader.ts";
import type { BucketSettings } from "./settings.ts";
import { Writer } from "./writer.ts";

export interface S3Place {
  /** The project, where the driver may be installed. */
  readonly root: string;
  readonly settings: BucketSettings;
  /** Milliseconds that a session misses a store that was lost. */
  readonly patience?: number;
}

/**
 * A state as the objects of a log (see `Log`), in any store that makes an object
 * only where there is none. What is derived from the log (see `Folding`) is for
 * speed, and believed only where it fits.
 */
export class S3Store implements StateStore {
  readonly place: string;
  readonly #from: S3Place;
  readonly #where: Where;
  readonly #now: () => Date;
  #reader: Reader | undefined;

  constructor(from: S3Place, environment: string, now: () => Date = () => new Date()) {
    this.place = from.settings.address;
    this.#from = from;
    this.#where = { environment, address: this.place };
    this.#now = now;
  }

  async read(): Promise<Reading> {
    return this.#looking("the state", async ({ log, notes }) => {
      refuseFilling(log);
      refuseMoved(log);
      return { state: log.standing.state, notes };
    });
  }

  async history(): Promise<readonly Linked[]> {
    return this.#looking("every entry", async ({ log, entries }) => {
      refuseFilling(log);
      return entries;
    });
  }

  async holder(): Promise<Lock | null> {
    return this.#looking("the state", async ({ log }) => holderOf(log.standing.held));
  }

  async unlock(id: string): Promise<Lock | null> {
    return this.#looking("the state", ({ log }) => unlock(log, id, whoami(), this.#now));
  }

  async lock(claim: Claim): Promise<Locked> {
    claim.signal?.throwIfAborted();
    return this.#asking(async (reader) => {
      const { bucket } = reader;
      const loading = Log.load(reader, "the state");
      const probing = persist(() => probe(bucket, this.#where), brief);
      const [{ log, notes }] = await Promise.all([loading, probing]);
      const taken = await take(log, claim, this.#now);
      if (taken.kind === "held") return taken;
      const { session, over } = taken;
      const { state } = log.standing;
      const { stop, watcher } = claim;
      const { patience = standardPatience } = this.#from;
      const place = { bucket, log, session, patience, stop, watcher, now: this.#now };
      const sequencer = new Sequencer(state, this.#where.environment, claim, this.#now);
      return {
        kind: "locked",
        session: new WritingSession(state, sequencer, new Writer(place)),
        notes: [...(over === undefined ? [] : [takenOver(over)]), ...notes],
      };
    });
  }

  async #looking<T>(
    what: Extent,
    act: (loaded: Awaited<ReturnType<typeof Log.load>>) => Promise<T>,
  ): Promise<T> {
    return this.#asking(async (reader) => act(await Log.load(reader, what)));
  }

  async #asking<T>(act: (reader: Reader) => Promise<T>): Promise<T> {
    const { root, settings } = this.#from;
    const reader = (this.#reader ??= new Reader(new Bucket(root, settings), this.#where));
    try {
      return await act(reader);
    } catch (error) {
      throw told(error);
    } finally {
      await reader.bucket.close();
    }
  }
}

function takenOver(lock: Lock): string {
  return `The lock of ${describeLock(lock)} was taken over: that process is dead.`;
}
