import type { Linked } from "../entries.ts";
import { refuseMarked } from "../marks.ts";
import { brief, persist, standardPatience, withoutWaiting } from "../persist.ts";
import { whoami } from "../process-identity.ts";
import { type Change, type SessionBackend, WritingSession } from "../session.ts";
import {
  type Claim,
  type Filling,
  type Lock,
  type Locked,
  type Reading,
  type StateStore,
  describeLock,
} from "../store.ts";
import { Bucket } from "./bucket.ts";
import { type Extent, StoredObjects } from "./load.ts";
import { holderOf, lostBy, probe, take, unlock } from "./lock.ts";
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
  #objects: StoredObjects | undefined;

  constructor(from: S3Place, environment: string, now: () => Date = () => new Date()) {
    this.place = from.settings.address;
    this.#from = from;
    this.#where = { environment, address: this.place };
    this.#now = now;
  }

  async read(): Promise<Reading> {
    return this.#looking("the state", async ({ log, notes }) => {
      refuseMarked(log.result, this.#where.environment, this.place);
      return { state: log.result.state, notes };
    });
  }

  async history(): Promise<readonly Linked[]> {
    return this.#looking("every entry", async ({ log, entries }) => {
      const { filling } = log.result;
      refuseMarked({ filling, movedTo: null }, this.#where.environment, this.place);
      return entries;
    });
  }

  async holder(): Promise<Lock | null> {
    return this.#looking("the state", async ({ log }) => holderOf(log.result.held));
  }

  async unlock(id: string): Promise<Lock | null> {
    return this.#looking("the state", ({ log }) => unlock(log, id, whoami(), this.#now));
  }

  async lock(claim: Claim): Promise<Locked> {
    claim.signal?.throwIfAborted();
    return this.#asking(async (objects) => {
      const { bucket } = objects;
      const loading = Log.load(objects, "the state");
      const probing = persist(() => probe(bucket, this.#where), brief);
      const [{ log, notes }] = await Promise.all([loading, probing]);
      const tried = await take(log, claim, this.#now);
      if (tried.kind === "held") return tried;
      const { session, over } = tried.taken;
      const { patience = standardPatience } = this.#from;
      const { environment } = this.#where;
      const backend = new S3Backend({ bucket, log, session, now: this.#now });
      const options = { environment, claim, now: this.#now, patience };
      return {
        kind: "locked",
        session: new WritingSession(backend, log.result, options),
        notes: [...(over === undefined ? [] : [takenOver(over)]), ...notes],
      };
    });
  }

  async #looking<T>(
    what: Extent,
    act: (loaded: Awaited<ReturnType<typeof Log.load>>) => Promise<T>,
  ): Promise<T> {
    return this.#asking(async (objects) => act(await Log.load(objects, what)));
  }

  async #asking<T>(act: (objects: StoredObjects) => Promise<T>): Promise<T> {
    const { root, settings } = this.#from;
    const objects = (this.#objects ??= new StoredObjects(new Bucket(root, settings), this.#where));
    try {
      return await act(objects);
    } catch (error) {
      throw withoutWaiting(error);
    } finally {
      await objects.bucket.close();
    }
  }
}

function takenOver(lock: Lock): string {
  return `Took over the lock of ${describeLock(lock)}: that process has ended.`;
}

interface Place {
  readonly bucket: Bucket;
  readonly log: Log;
  /** The session of the lock. */
  readonly session: string;
  readonly now: () => Date;
}

/**
 * Adds the changes of a session to the log, one object each.
 *
 * An object is sent again, with the same number and the same bytes, until the store has
 * answered. So nothing is added twice, and nothing is left out. When the session gives up,
 * the last request may still arrive. That does no harm: it succeeds only if its number is
 * still free. Then the log has an outcome, which is true, or an intent whose create was
 * never sent, which stays unknown until the rescue file or a person resolves it.
 */
class S3Backend implements SessionBackend {
  readonly place: string;
  readonly #place: Place;

  constructor(place: Place) {
    this.place = place.bucket.address;
    this.#place = place;
  }

  append(linked: readonly Linked[]): Change {
    return this.#add({ kind: "entries", linked });
  }

  /** Looks at what others have added, and whether the lock is still held. */
  async check(): Promise<void> {
    const { log, session } = this.#place;
    await log.catchUp();
    if (log.result.held?.session !== session) throw lostBy(log.result);
  }

  fill(filling: Filling): Change {
    return this.#add({ kind: "filling", filling });
  }

  stage(linked: readonly Linked[]): Change {
    return this.#add({ kind: "staged", linked });
  }

  async staged(): Promise<readonly Linked[]> {
    const { bucket, log, session } = this.#place;
    const objects = new StoredObjects(bucket, log.result.where);
    const { result } = (await Log.load(objects, "the state")).log;
    if (result.held?.session !== session) throw lostBy(result);
    return result.staged;
  }

  seal(filling: Filling): Change {
    return this.#add({ kind: "sealed", filling });
  }

  open(): Change {
    return this.#add({ kind: "filled" });
  }

  discard(): Change {
    return this.#add({ kind: "discarded" });
  }

  relocate(to: string): Change {
    return this.#add({ kind: "moved", to });
  }

  /** Releases the lock if the store answers soon, and writes a snapshot if one is due. */
  async close(hasFailed: boolean): Promise<void> {
    const { bucket, log, session, now } = this.#place;
    const released: Deed = { kind: "released", by: null };
    const release = async () => {
      // A request that was given up may have arrived since.
      while (log.result.held?.session === session) {
        if (await log.add(log.next(released, session, now()))) return;
        await log.catchUp();
      }
    };
    try {
      await persist(release, { patience: hasFailed ? 0 : patienceAtEnd });
    } catch {
      // The next run on this machine sees that the holder is dead. On another machine, a person releases the lock.
    }
    if (!hasFailed) await log.finishSnapshot();
    await bucket.close();
  }

  #add(deed: Deed): Change {
    const { log, session, now } = this.#place;
    const next = log.next(deed, session, now());
    let isAdded = false;
    return async () => {
      if (!isAdded && !(await log.add(next))) {
        await log.catchUp();
        throw lostBy(log.result);
      }
      isAdded = true;
      await log.witness();
      log.beginSnapshot();
    };
  }
}

/** Milliseconds to try to release the lock. */
const patienceAtEnd = 5000;
