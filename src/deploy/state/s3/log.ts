import { stateVersion } from "../../../schema/state.ts";
import type { Linked } from "../entries.ts";
import type { Operation } from "../operations.ts";
import { StoreUnavailable } from "../retry.ts";
import { type Extent, StateProblem } from "../store.ts";
import type { Bucket } from "./bucket.ts";
import { StoredObjects, load, numbersFrom, refuseGaps } from "./load.ts";
import {
  type Sealed,
  headKey,
  linesOf,
  logKey,
  packed,
  seal,
  sealSnapshot,
  snapshotKey,
} from "./objects.ts";
import type { LogState } from "./log-state.ts";

/** The next object of a log. Its content is valid for this number only. */
export interface Next {
  readonly operation: Operation;
  readonly number: number;
  readonly sealed: Sealed;
}

/**
 * The log of one environment: numbered objects that are created only if the number is free,
 * and never changed or deleted. Every change of the state or of the lock is the next object.
 * So the number works as a compare-and-swap and as a fence: a run has to know the last object
 * to create the next one, and a run whose lock was released finds its number taken.
 */
export class Log {
  readonly result: LogState;
  readonly #bucket: Bucket;
  /** The number of the newest snapshot. */
  readonly #snapshot: number;

  private constructor(bucket: Bucket, result: LogState, snapshot: number) {
    this.#bucket = bucket;
    this.result = result;
    this.#snapshot = snapshot;
  }

  static async load(
    objects: StoredObjects,
    what: Extent,
  ): Promise<{
    readonly log: Log;
    readonly entries: readonly Linked[];
    readonly notes: readonly string[];
  }> {
    const { result, entries, notes, snapshot } = await load(objects, what);
    return { log: new Log(objects.bucket, result, snapshot), entries, notes };
  }

  /** Prepares the object after the last one. */
  next(operation: Operation, session: string, now: Date): Next {
    const { number: last, sum, where } = this.result;
    const { environment } = where;
    const number = last + 1;
    const lines = linesOf(operation, { environment, number, session, at: now.toISOString() });
    return { operation, number, sealed: seal(sum, lines) };
  }

  /**
   * Creates the next object. Returns false if another run has taken the number. If no answer
   * came, call it again with the same object. If the number is then taken, the bytes show who
   * created the object, because they contain the session of the lock.
   */
  async add({ operation, number, sealed }: Next, looking?: Promise<Found>): Promise<boolean> {
    const { where } = this.result;
    if (number !== this.result.number + 1) return false;
    const key = logKey(where, number);
    if ((await this.#bucket.create(key, sealed.bytes)) === "taken") {
      const found = (await looking) ?? (await this.#bucket.get(key));
      if (found === undefined) throw new StoreUnavailable(hidden(this.#bucket.address, key));
      if (!found.equals(sealed.bytes)) return false;
    }
    this.result.advance(operation, sealed.sum);
    return true;
  }

  /**
   * Does the same as `add` while another run keeps adding objects. It also reads the object
   * with that number in the same round trip, so that the next attempt is not too late again.
   * If the read fails, `catchUp` reports why.
   */
  async overtake(next: Next): Promise<boolean> {
    const looking = this.#bucket.get(logKey(this.result.where, next.number));
    const found = looking.catch((): Found => undefined);
    if (await this.add(next, found)) return true;
    const bytes = await found;
    if (bytes !== undefined && next.number === this.result.number + 1) this.result.follow(bytes);
    else await this.catchUp();
    return false;
  }

  /**
   * Creates a head for the last object, so that a reader notices if the end of the log is
   * missing. Every object with a change of the state gets a head before ivrctl acts on it;
   * objects of the lock need none. Heads are only added, so a suspended process that
   * continues cannot replace a newer one. It can be repeated.
   */
  async writeHead(): Promise<void> {
    const { number, sum, where } = this.result;
    const head = { version: stateVersion, environment: where.environment, number, sum };
    const body = Buffer.from(`${JSON.stringify(head)}\n`);
    await this.#bucket.create(headKey(where, head), body);
  }

  /** Reads the objects that other runs have added. Lists them first: see `refuseGaps`. */
  async catchUp(): Promise<void> {
    const { where, number } = this.result;
    const objects = new StoredObjects(this.#bucket, where);
    const listed = await objects.log(number + 1);
    const later = numbersFrom(number + 1, listed.at(-1) ?? number);
    refuseGaps(where, later, listed);
    await objects.fetch(later.map((one) => logKey(where, one)));
    for (const one of later) this.result.follow(await objects.needed(one));
  }

  /**
   * At the end of a run: writes a snapshot if the log has grown, so that a later plan reads only
   * some log objects. Never rejects: the log has everything that the snapshot contains.
   */
  async writeSnapshot(): Promise<void> {
    const { number, filling, where } = this.result;
    if (filling !== null || number - this.#snapshot < fewestObjects) return;
    const body = await packed(sealSnapshot(this.result.snapshot()));
    await this.#bucket.create(snapshotKey(where, number), body).catch(() => {});
  }
}

type Found = Buffer | undefined;

/** The problem of a store that lists or refuses an object before it can return it. */
function hidden(address: string, key: string): StateProblem {
  return new StateProblem(
    "IVR671",
    `${address} reports that ${key} exists, but does not return it.`,
  );
}

/** The minimum number of log objects between two snapshots. */
const fewestObjects = 8;
