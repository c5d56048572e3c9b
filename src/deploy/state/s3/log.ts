import { stateVersion } from "../../../schema/state.ts";
import type { Linked } from "../entries.ts";
import type { Operation } from "../operations.ts";
import { StoreUnavailable } from "../retry.ts";
import { type Extent, StateProblem } from "../store.ts";
import type { Bucket } from "./bucket.ts";
import { type Loaded, StoredObjects, load, numbersFrom, refuseGaps } from "./load.ts";
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
  readonly #snapshots: Snapshots;

  private constructor(bucket: Bucket, result: LogState, snapshots: Snapshots) {
    this.#bucket = bucket;
    this.result = result;
    this.#snapshots = snapshots;
  }

  static async load(
    objects: StoredObjects,
    what: Extent,
  ): Promise<{
    readonly log: Log;
    readonly entries: readonly Linked[];
    readonly notes: readonly string[];
  }> {
    const { result, entries, notes, snapshot, bytes } = await load(objects, what);
    const snapshots = new Snapshots(objects.bucket, snapshot, bytes);
    return { log: new Log(objects.bucket, result, snapshots), entries, notes };
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
    this.#snapshots.grow(sealed.bytes.length);
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
    if (bytes !== undefined && next.number === this.result.number + 1) this.#follow(bytes);
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
    for (const one of later) this.#follow(await objects.needed(one));
  }

  #follow(bytes: Buffer): void {
    this.result.follow(bytes);
    this.#snapshots.grow(bytes.length);
  }

  /** Starts to write a snapshot if one is due. Never throws. */
  beginSnapshot(): void {
    this.#snapshots.begin(this.result);
  }

  /** At the end of a run: writes a snapshot if the log has grown, and waits for it. Never rejects. */
  async finishSnapshot(): Promise<void> {
    await this.#snapshots.finish(this.result);
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

/** The minimum number of log objects between two attempts to write a snapshot. */
const fewestObjects = 8;

/** The maximum number of log objects that a reader has to read after a snapshot. */
const mostObjects = 64;

/**
 * Writes snapshots while a run holds the lock: whenever the log has grown by 64 objects or by
 * a quarter of the last snapshot's size, and when the run ends. So a later plan reads only
 * some log objects, and at most 64 if the run was killed. If writing fails, nothing is lost:
 * the log has everything.
 */
class Snapshots {
  readonly #bucket: Bucket;
  #newest: Loaded["snapshot"];
  /** The number of the last attempt. */
  #tried: number;
  /** The size of the log objects after the newest snapshot. */
  #bytes: number;
  #writing: Promise<void> | undefined;

  constructor(bucket: Bucket, newest: Loaded["snapshot"], bytes: number) {
    this.#bucket = bucket;
    this.#newest = newest;
    this.#tried = newest.number;
    this.#bytes = bytes;
  }

  grow(bytes: number): void {
    this.#bytes += bytes;
  }

  begin(result: LogState, isEnd = false): void {
    if (this.#writing !== undefined || !this.#isDue(result, isEnd)) return;
    this.#writing = this.#write(result).finally(() => {
      this.#writing = undefined;
    });
  }

  async finish(result: LogState): Promise<void> {
    await this.#writing;
    this.begin(result, true);
    await this.#writing;
  }

  #isDue({ number, filling }: LogState, isEnd: boolean): boolean {
    if (filling !== null || number - this.#tried < fewestObjects) return false;
    return (
      isEnd || number - this.#newest.number >= mostObjects || 4 * this.#bytes >= this.#newest.size
    );
  }

  async #write(result: LogState): Promise<void> {
    const { number, where } = result;
    // The result changes while the request is in flight.
    const sealed = sealSnapshot(result.snapshot());
    const bytes = this.#bytes;
    this.#tried = number;
    try {
      await this.#bucket.create(snapshotKey(where, number), await packed(sealed));
      this.#newest = { number, size: sealed.bytes.length };
      this.#bytes -= bytes;
    } catch {
      // The log has everything that the snapshot would contain.
    }
  }
}
