import { setImmediate as nextTurn } from "node:timers/promises";
import type { Linked } from "../chain.ts";
import { ConnectionLost, firstPause, longestPause, tooLong } from "../connection-lost.ts";
import { type Moment, moment } from "../moment.ts";
import { pause } from "../pause.ts";
import type { SessionWriter } from "../session.ts";
import { StateProblem, type StoreWatcher } from "../store.ts";
import { add, relocate } from "./append.ts";
import type { Connection } from "./connection.ts";
import { type Where, lastOf } from "./load.ts";
import { isHeld, lostBy, regain, release } from "./lock.ts";
import type { Projection, Touched } from "./projection.ts";

interface Waiting {
  /** None where it is only asked whether the lock is still held. */
  readonly linked: readonly Linked[];
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

/** An entry of this session, and the rows that it changes. */
interface Link {
  readonly linked: Linked;
  readonly touched: Touched;
}

export interface WriterPlace {
  readonly where: Where;
  readonly fence: string;
  /** A new connection, within so many milliseconds. */
  readonly connect: (patience: number) => Promise<Connection>;
  /** Told of entries once they are durable. */
  readonly durable: (linked: Linked) => void;
  /** Milliseconds that a connection that was lost is missed. */
  readonly patience: number;
  /** Ends that waiting. */
  readonly stop: AbortSignal | undefined;
  readonly watcher: StoreWatcher | undefined;
}

/**
 * Adds to the history. Whatever is waiting goes into one transaction.
 *
 * A connection that is lost between a statement and its answer leaves open whether
 * it was carried out, and a fail-over may even lose what was acknowledged. So the
 * entries of the session are kept, and with every new connection the database is
 * asked where its history ends: what it lacks of them is added. All of that is
 * under the fence, which has to be the same still.
 */
export class Writer implements SessionWriter {
  readonly place: string;
  readonly #place: WriterPlace;
  readonly #projection: Projection;
  /** Where the history ended when the session began. */
  readonly #base: { readonly serial: number; readonly head: string };
  readonly #links: Link[] = [];
  /** Nothing is to be written any more. */
  readonly #over = new AbortController();
  readonly #stop: AbortSignal;
  #connection: Connection | undefined;
  /** So many of the links are in the database, as far as is known. */
  #kept = 0;
  #confirmed: Moment | undefined;
  #waiting: Waiting[] = [];
  #writing: Promise<void> | undefined;
  #failure: { readonly error: unknown } | undefined;
  #closed = false;

  constructor(place: WriterPlace, connection: Connection, projection: Projection) {
    const { serial, head } = projection.state;
    this.place = place.where.address;
    this.#place = place;
    this.#stop = AbortSignal.any([this.#over.signal, ...(place.stop ? [place.stop] : [])]);
    this.#connection = this.#tended(connection);
    this.#projection = projection;
    this.#base = { serial, head };
  }

  /** The first one, which every later call meets too. */
  get failure(): { readonly error: unknown } | undefined {
    return this.#failure;
  }

  get confirmed(): Moment | undefined {
    return this.#confirmed;
  }

  confirm(): Promise<void> {
    return this.append([]);
  }

  append(linked: readonly Linked[]): Promise<void> {
    if (this.#failure !== undefined) return Promise.reject(this.#failure.error);
    return new Promise((resolve, reject) => {
      this.#waiting.push({ linked, resolve, reject });
      this.#writing ??= this.#write();
    });
  }

  /** Once nothing is waiting. */
  async relocate(to: string | null): Promise<void> {
    await this.#writing;
    if (this.#failure !== undefined) throw this.#failure.error;
    const { where, fence } = this.#place;
    const acting = this.#persist(async (connection) => {
      if (!(await relocate(connection, where, fence, to))) throw await lostBy(connection, where);
    });
    this.#writing = acting.then(nothing, nothing);
    await acting.finally(() => (this.#writing = undefined));
  }

  /** Ends the lock, where that can be done at once: of a dead connection, the server tells. */
  async close(): Promise<void> {
    // Nobody waits for a connection that nothing is left for.
    if (this.#waiting.length === 0 && this.#kept === this.#links.length) this.#over.abort();
    await this.#writing;
    this.#closed = true;
    const { where, fence } = this.#place;
    const connection = this.#connection;
    await (connection && release(connection, where, fence).catch(() => {}));
    await connection?.end();
    this.#connection = undefined;
  }

  /** One that is lost is replaced at once, and not with the next entry: its end frees the lock. */
  #tended(connection: Connection): Connection {
    connection.whenLost(() => {
      if (!this.#closed) this.#writing ??= this.#write();
    });
    return connection;
  }

  async #write(): Promise<void> {
    for (;;) {
      // Who asks in this turn, and who was answered in the last one, comes along.
      await nextTurn();
      const batch = this.#waiting;
      if (batch.length === 0 && !this.#isCut) break;
      this.#waiting = [];
      try {
        for (const one of batch.flatMap(({ linked }) => linked)) {
          this.#links.push({ linked: one, touched: this.#projection.take(one) });
        }
        await this.#persist((connection) => this.#bringUp(connection));
      } catch (error) {
        this.#fail(error, batch);
        break;
      }
      for (const { linked, resolve } of batch) {
        for (const one of linked) this.#place.durable(one);
        resolve();
      }
    }
    this.#writing = undefined;
  }

  /** Does it, with as many connections as it takes; each of them has to have the lock. */
  async #persist(deed: (connection: Connection) => Promise<void>): Promise<void> {
    const { patience, watcher } = this.#place;
    let lostAt: number | undefined;
    const lost = (error: ConnectionLost) => {
      this.#connection = undefined;
      if (lostAt !== undefined) return;
      lostAt = performance.now();
      watcher?.lost(error.message, patience / 1000);
    };
    if (this.#connection?.lost !== undefined) lost(this.#connection.lost);
    for (let wait = firstPause; ; wait = Math.min(2 * wait, longestPause)) {
      try {
        this.#connection ??= await this.#reconnect(lostAt);
        await deed(this.#connection);
        if (lostAt !== undefined) watcher?.back();
        return;
      } catch (error) {
        if (!(error instanceof ConnectionLost)) throw error;
        lost(error);
        const left = (lostAt ?? 0) + patience - performance.now();
        if (left > 0) await pause(Math.min(wait, left), this.#stop).catch(nothing);
        if (left <= 0 || this.#stop.aborted) throw tooLong(error);
      }
    }
  }

  get #isCut(): boolean {
    return this.#connection?.lost !== undefined;
  }

  async #reconnect(lostAt = performance.now()): Promise<Connection> {
    const { where, fence, connect, patience } = this.#place;
    const left = Math.max(1000, lostAt + patience - performance.now());
    const connection = await connect(Math.min(left, 5000));
    try {
      if (!(await regain(connection, where, fence))) throw await lostBy(connection, where);
      this.#kept = await this.#found(connection);
      return this.#tended(connection);
    } catch (error) {
      await connection.end();
      throw error;
    }
  }

  /** How many of the links the database has. */
  async #found(connection: Connection): Promise<number> {
    const { serial, head } = await lastOf(connection, this.#place.where);
    const count = serial - this.#base.serial;
    const last = count === 0 ? this.#base : this.#links[count - 1]?.linked;
    if (last?.head === head) return count;
    const { schema, environment, address } = this.#place.where;
    throw new StateProblem(
      "IVR603",
      `The history of ${environment} in ${schema}.history at ${address} ends with another event ${serial} than this run knows, so nothing more is recorded.`,
      "Was the database restored, or did a standby take over that lacked events? Compare `ivrctl state history` with what this run said.",
    );
  }

  /** Adds what is missing under the lock; where nothing is, the lock is looked at. */
  async #bringUp(connection: Connection): Promise<void> {
    const { where, fence } = this.#place;
    for (let attempt = 1; ; attempt += 1) {
      const missing = this.#links.slice(this.#kept);
      const asked = moment();
      if (missing.length === 0) {
        if (!(await isHeld(connection, where, fence))) throw await lostBy(connection, where);
        this.#confirmed = asked;
        return;
      }
      const before = this.#links[this.#kept - 1]?.linked;
      const added = await add(connection, where, {
        fence,
        after: before ? { serial: before.entry.seq, head: before.head } : this.#base,
        linked: missing.map(({ linked }) => linked),
        changes: this.#projection.changes(missing.flatMap(({ touched }) => touched)),
        projection: this.#projection,
      });
      if (added === "lock lost") throw await lostBy(connection, where);
      if (added === "added") {
        this.#kept = this.#links.length;
        this.#confirmed = asked;
        return;
      }
      this.#kept = await this.#found(connection);
      if (attempt > 3) throw new Error("The history moves although nobody else may add to it.");
    }
  }

  #fail(error: unknown, batch: readonly Waiting[]): void {
    this.#failure = { error };
    for (const { reject } of [...batch, ...this.#waiting]) reject(error);
    this.#waiting = [];
  }
}

function nothing(): void {}
