import type { Linked } from "../entries.ts";
import { refuseMarked } from "../marks.ts";
import type { Operation } from "../operations.ts";
import { briefWait, retry, defaultMaxWait, withoutWaiting } from "../retry.ts";
import { type Change, type SessionBackend, WritingSession } from "../session.ts";
import {
  type Claim,
  type Extent,
  type Filling,
  type Lock,
  type Locked,
  type Reading,
  type StateStore,
  describeLock,
} from "../store.ts";
import { Bucket } from "./bucket.ts";
import { StoredObjects } from "./load.ts";
import { holderOf, leftLockOf } from "../lock.ts";
import { lockLostProblem, probe, take, unlock } from "./lock.ts";
import { Log } from "./log.ts";
import type { Where } from "./objects.ts";
import type { BucketSettings } from "./settings.ts";
import type { Clock, Host } from "../../../util/host.ts";

export interface S3Place {
  /** The project's folder, where the driver may be installed. */
  readonly root: string;
  readonly host: Host;
  readonly settings: BucketSettings;
  /** Milliseconds that a session waits for a store that is unavailable. */
  readonly maxWait?: number;
}

/**
 * A state in the objects of a log (see `Log`). It works with any object store that can refuse
 * to create an object that exists.
 */
export class S3Store implements StateStore {
  readonly place: string;
  readonly #from: S3Place;
  readonly #where: Where;
  #objects: StoredObjects | undefined;

  constructor(from: S3Place, environment: string) {
    this.place = from.settings.address;
    this.#from = from;
    this.#where = { environment, address: this.place };
  }

  async read(): Promise<Reading> {
    return this.#withLog("the state", async ({ log, notes }) => {
      refuseMarked(log.result, this.#where.environment, this.place);
      return { state: log.result.state, notes };
    });
  }

  async history(): Promise<readonly Linked[]> {
    return this.#withLog("every entry", async ({ log, entries }) => {
      const { filling } = log.result;
      refuseMarked({ filling, movedTo: null }, this.#where.environment, this.place);
      return entries;
    });
  }

  async holder(): Promise<Lock | null> {
    return this.#withLog("the state", async ({ log }) =>
      holderOf(log.result.held, this.#from.host.machine),
    );
  }

  async leftLock(): Promise<Lock | null> {
    return this.#withLog("the state", async ({ log }) =>
      leftLockOf(log.result.held, this.#from.host.machine),
    );
  }

  async unlock(id: string): Promise<Lock | null> {
    return this.#withLog("the state", ({ log }) => unlock(log, id, this.#from.host));
  }

  async lock(claim: Claim): Promise<Locked> {
    claim.signal?.throwIfAborted();
    const { host, maxWait = defaultMaxWait } = this.#from;
    const { clock } = host;
    return this.#withObjects(async (objects) => {
      const { bucket } = objects;
      const loading = Log.load(objects, "the state");
      const probing = retry(() => probe(bucket, this.#where), briefWait(clock));
      const [{ log, notes }] = await Promise.all([loading, probing]);
      const tried = await take(log, claim, host);
      if (tried.kind === "held") return tried;
      const { session, previous } = tried.taken;
      const { environment } = this.#where;
      const backend = new S3Backend({ bucket, log, session, clock });
      const options = { environment, claim, clock, maxWait };
      return {
        kind: "locked",
        session: new WritingSession(backend, log.result, options),
        notes: [...(previous === undefined ? [] : [takenOver(previous)]), ...notes],
      };
    });
  }

  async #withLog<T>(
    what: Extent,
    act: (loaded: Awaited<ReturnType<typeof Log.load>>) => Promise<T>,
  ): Promise<T> {
    return this.#withObjects(async (objects) => act(await Log.load(objects, what)));
  }

  async #withObjects<T>(act: (objects: StoredObjects) => Promise<T>): Promise<T> {
    const { root, settings, host } = this.#from;
    const objects = (this.#objects ??= new StoredObjects(
      new Bucket(root, settings, host),
      this.#where,
    ));
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
  readonly clock: Clock;
}

/**
 * Adds the changes of a session to the log, one object each.
 *
 * An object is sent again, with the same number and the same bytes, until the store has
 * answered. So nothing is added twice, and nothing is left out. When the session gives up,
 * the last request may still arrive. That does no harm, because it succeeds only if its
 * number is still free. It then adds an outcome, which is true, or an intent whose request
 * was never sent. That one stays unknown until a rescue file or a person resolves it.
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

  /** Reads what other runs have added, and checks that the lock is still held. */
  async check(): Promise<void> {
    const { log, session } = this.#place;
    await log.catchUp();
    if (log.result.held?.session !== session) throw lockLostProblem(log.result);
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
    if (result.held?.session !== session) throw lockLostProblem(result);
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
    const { bucket, log, session, clock } = this.#place;
    const released: Operation = { kind: "released", by: null };
    const release = async () => {
      // A request that the session gave up on may have arrived since.
      while (log.result.held?.session === session) {
        if (await log.add(log.next(released, session, clock.now()))) return;
        await log.catchUp();
      }
    };
    try {
      await retry(release, { clock, maxWait: hasFailed ? 0 : maxWaitAtEnd });
    } catch {
      // The next run on this machine sees that the process has ended. On another machine, a person has to release the lock.
    }
    if (!hasFailed) await log.writeSnapshot();
    await bucket.close();
  }

  #add(operation: Operation): Change {
    const { log, session, clock } = this.#place;
    const next = log.next(operation, session, clock.now());
    let isAdded = false;
    return async () => {
      if (!isAdded && !(await log.add(next))) {
        await log.catchUp();
        throw lockLostProblem(log.result);
      }
      isAdded = true;
      await log.writeHead();
    };
  }
}

/** Milliseconds to try to release the lock. */
const maxWaitAtEnd = 5000;
