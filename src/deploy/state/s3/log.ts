import { stateVersion } from "../../../schema/state.ts";
import type { Linked } from "../chain.ts";
import { ConnectionLost } from "../connection-lost.ts";
import { StateProblem } from "../store.ts";
import type { Bucket } from "./bucket.ts";
import { Folding } from "./folding.ts";
import { type Extent, load } from "./load.ts";
import { type Deed, linesOf } from "./log-object.ts";
import { headKey, logKey } from "./names.ts";
import { Reader, numbersFrom, refuseGaps } from "./reader.ts";
import { type Sealed, seal } from "./sealed.ts";
import type { Standing } from "./standing.ts";

/** An object, if it could be had. */
type Found = Buffer | undefined;

/** The next object of a log: made for its number, and for none other. */
export interface Next {
  readonly deed: Deed;
  readonly number: number;
  readonly sealed: Sealed;
}

/**
 * One log for each environment: numbered objects, each made only where there is
 * none, and never changed or deleted. Everything that changes the state or the lock
 * is the next number of it. So the number is compare-and-swap and fence in one:
 * who does not know the last object cannot make the next, and a holder whose lock
 * was ended finds his number taken.
 */
export class Log {
  readonly standing: Standing;
  readonly #bucket: Bucket;
  readonly #folding: Folding;

  private constructor(bucket: Bucket, standing: Standing, folding: Folding) {
    this.#bucket = bucket;
    this.standing = standing;
    this.#folding = folding;
  }

  static async load(
    reader: Reader,
    what: Extent,
  ): Promise<{
    readonly log: Log;
    readonly entries: readonly Linked[];
    readonly notes: readonly string[];
  }> {
    const loaded = await load(reader, what);
    const { bucket } = reader;
    const { standing, entries, notes } = loaded;
    return { log: new Log(bucket, standing, new Folding(bucket, loaded)), entries, notes };
  }

  /** From here. */
  next(deed: Deed, session: string, now: Date): Next {
    const { number: last, sum, where } = this.standing;
    const { environment } = where;
    const number = last + 1;
    const lines = linesOf(deed, { environment, number, session, at: now.toISOString() });
    return { deed, number, sealed: seal(sum, lines) };
  }

  /**
   * Makes it the next object; false where the number is taken by another. It can be
   * called again with the same one, after an answer that never came: what was made
   * by the lost request is found, and is byte for byte what it is, and no other's
   * is, for each names its session.
   */
  async add({ deed, number, sealed }: Next, looking?: Promise<Found>): Promise<boolean> {
    const { where } = this.standing;
    if (number !== this.standing.number + 1) return false;
    const key = logKey(where, number);
    if ((await this.#bucket.create(key, sealed.bytes)) === "taken") {
      const found = (await looking) ?? (await this.#bucket.get(key));
      if (found === undefined) throw new ConnectionLost(hidden(this.#bucket.address, key));
      if (!found.equals(sealed.bytes)) return false;
    }
    this.#folding.grow(this.standing.add(deed, sealed.sum), sealed.bytes.length);
    return true;
  }

  /**
   * Like `add`, for whoever competes with a holder that adds all the time: the object
   * that takes the number is read with the same round trip, and followed. If there is
   * none, what the store answers to that is of no interest.
   */
  async overtake(next: Next): Promise<boolean> {
    const looking = this.#bucket.get(logKey(this.standing.where, next.number));
    const found = looking.catch((): Found => undefined);
    if (await this.add(next, found)) return true;
    const bytes = await found;
    if (bytes !== undefined && next.number === this.standing.number + 1) this.#follow(bytes);
    else await this.catchUp();
    return false;
  }

  /**
   * Leaves a head for the last object, so that a reader notices if the end of the log
   * is missing. Everything that the state depends on has one before anybody relies on
   * it; locks need none. Heads are only ever added, so that a run that was suspended
   * cannot take one back. Can be called again, as `add` can.
   */
  async witness(): Promise<void> {
    const { number, sum, where } = this.standing;
    const head = { version: stateVersion, environment: where.environment, number, sum };
    const body = Buffer.from(`${JSON.stringify(head)}\n`);
    await this.#bucket.create(headKey(where, head), body);
  }

  /**
   * Follows what others have added meanwhile. It asks for a list and not for the next
   * object, which may be missing: see `refuseGaps`.
   */
  async catchUp(): Promise<void> {
    const { where, number } = this.standing;
    const reader = new Reader(this.#bucket, where);
    const listed = await reader.log(number + 1);
    const later = numbersFrom(number + 1, listed.at(-1) ?? number);
    refuseGaps(where, later, listed);
    await reader.fetch(later.map((one) => logKey(where, one)));
    for (const one of later) {
      this.#follow(await reader.needed(one));
    }
  }

  #follow(bytes: Buffer): void {
    this.#folding.grow(this.standing.follow(bytes), bytes.length);
  }

  /** See `Folding`: on the way, where enough has come together. */
  foldLater(): void {
    this.#folding.begin(this.standing, 32);
  }

  /** And at the end, where it is worth it. Never rejects. */
  async fold(): Promise<void> {
    await this.#folding.finish(this.standing, 8);
  }
}

/** A moment later a store may have made up its mind. */
function hidden(address: string, key: string): StateProblem {
  return new StateProblem("IVR671", `${address} says that ${key} is there, and does not show it.`);
}
