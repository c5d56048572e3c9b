import { Batches } from "../batches.ts";
import type { Linked } from "../chain.ts";
import { ConnectionLost, standardPatience, told, tooLong } from "../connection-lost.ts";
import { describeLock } from "../describe-lock.ts";
import { type Moment, moment } from "../moment.ts";
import { brief, persist } from "../persist.ts";
import { Sequencer } from "../sequencer.ts";
import { type SessionWriter, WritingSession } from "../session.ts";
import type { Claim, Filling, Lock, Locked, Reading, StateStore, StoreWatcher } from "../store.ts";
import { whoami } from "../whoami.ts";
import { Bucket } from "./bucket.ts";
import { type Extent, Reader } from "./load.ts";
import { holderOf, lostBy, probe, refuseFilling, refuseMoved, take, unlock } from "./lock.ts";
import { Log } from "./log.ts";
import type { Deed, Where } from "./objects.ts";
import type { BucketSettings } from "./settings.ts";

export interface S3Place {
  /** The project's folder, where the driver may be installed. */
  readonly root: string;
  readonly settings: BucketSettings;
  /** Milliseconds that a session waits for a store that fails. */
  readonly patience?: number;
}

/**
 * Keeps a state as the objects of a log (see `Log`), in any object store that can create
 * an object only if there is none of that name.
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

interface WriterPlace {
  readonly bucket: Bucket;
  readonly log: Log;
  /** The session of the lock. */
  readonly session: string;
  /** Milliseconds to wait for a store that fails. */
  readonly patience: number;
  /** Ends the waiting. */
  readonly stop: AbortSignal | undefined;
  readonly watcher: StoreWatcher | undefined;
  readonly now: () => Date;
}

/**
 * Adds to the log under a lock, one object at a time.
 *
 * An object is sent again, with the same number and the same bytes, until the store has
 * answered. So nothing is added twice, and nothing is left out. After `patience` the
 * writer gives up, and the last request may still arrive. That does no harm: it succeeds
 * only if its number is still free. Then the log has an outcome, which is true, or an
 * intent whose create was never sent, which stays unknown until the rescue file or a
 * person resolves it.
 */
class Writer implements SessionWriter {
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
        const reader = new Reader(bucket, log.standing.where);
        const { standing } = (await Log.load(reader, "the state")).log;
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

  /** Releases the lock if the store answers soon, and writes a snapshot if one is due. */
  async close(): Promise<void> {
    await this.#batches.settled();
    const { bucket, log, session, now } = this.#place;
    const released: Deed = { kind: "released", by: null };
    const release = async () => {
      // A request that was given up may have arrived since.
      while (log.standing.held?.session === session) {
        if (await log.add(log.next(released, session, now()))) return;
        await log.catchUp();
      }
    };
    const isLost = this.failure !== undefined;
    try {
      await persist(release, { patience: isLost ? 0 : patienceAtEnd });
    } catch {
      // The next run on this machine sees that the holder is dead. On another machine, a person releases the lock.
    }
    if (!isLost) await log.finishSnapshot();
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
    // An earlier attempt may have created it long ago, and the lock may have ended since.
    this.#confirmed = attempts === 1 ? asked : undefined;
    await this.#persist(() => log.witness());
    log.beginSnapshot();
  }

  /** Looks at what others have added, and whether the lock is still held. */
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

/** Milliseconds to try to release the lock. */
const patienceAtEnd = 5000;
