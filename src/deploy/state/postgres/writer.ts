import { Batches } from "../batches.ts";
import type { Linked } from "../chain.ts";
import { ConnectionLost, firstPause, longestPause, tooLong } from "../connection-lost.ts";
import { type Moment, moment } from "../moment.ts";
import { pause } from "../pause.ts";
import type { SessionWriter } from "../session.ts";
import { type Filling, StateProblem, type StoreWatcher } from "../store.ts";
import { add } from "./append.ts";
import type { Connection } from "./connection.ts";
import { beginFill, dropFill, moveTo, sealFill, stageEntries, underLock } from "./fill.ts";
import { type Marks, type Where, entriesAfter, lastOf, loadFilling } from "./load.ts";
import { isHeld, lostBy, regain, release } from "./lock.ts";
import type { Projection, Touched } from "./projection.ts";
import { tablesVersion } from "./tables.ts";

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
  readonly #batches = new Batches((linked) => this.#commit(linked));
  /** Where the history ended when the session began, or when a fill was opened. */
  #base: { readonly serial: number; readonly head: string };
  readonly #links: Link[] = [];
  /** Nothing is to be written any more. */
  readonly #over = new AbortController();
  readonly #stop: AbortSignal;
  #connection: Connection | undefined;
  /** So many of the links are in the database, as far as is known. */
  #kept = 0;
  /** So many calls wait to be answered. */
  #asked = 0;
  #confirmed: Moment | undefined;
  #marks: Marks;
  #closed = false;

  constructor(place: WriterPlace, connection: Connection, projection: Projection, marks: Marks) {
    const { serial, head } = projection.state;
    this.place = place.where.address;
    this.#place = place;
    this.#stop = AbortSignal.any([this.#over.signal, ...(place.stop ? [place.stop] : [])]);
    this.#connection = this.#tended(connection);
    this.#projection = projection;
    this.#base = { serial, head };
    this.#marks = marks;
  }

  get failure(): { readonly error: unknown } | undefined {
    return this.#batches.failure;
  }

  get confirmed(): Moment | undefined {
    return this.#confirmed;
  }

  get movedTo(): string | null {
    return this.#marks.movedTo;
  }

  get filling(): Filling | null {
    return this.#marks.filling;
  }

  append(linked: readonly Linked[]): Promise<void> {
    return this.#answered(this.#batches.append(linked));
  }

  confirm(): Promise<void> {
    return this.#act((connection) => this.#bringUp(connection));
  }

  async fill(filling: Filling): Promise<void> {
    await this.#underLock(beginFill(filling));
    this.#marks = { ...this.#marks, filling };
  }

  stage(linked: readonly Linked[]): Promise<void> {
    return this.#underLock(stageEntries(linked));
  }

  /** Entries that were damaged since can be copied again, so they do not end the session. */
  async staged(): Promise<readonly Linked[]> {
    let found: readonly Linked[] | StateProblem = [];
    await this.#act(async (connection) => {
      found = await this.#staged(connection).catch((error: unknown) => {
        if (error instanceof StateProblem && error.code === "IVR675") return error;
        throw error;
      });
    });
    return resultOf(found);
  }

  async seal(filling: Filling): Promise<void> {
    await this.#underLock(sealFill(filling));
    this.#marks = { ...this.#marks, filling };
  }

  async open(): Promise<void> {
    let staged: readonly Linked[] | undefined;
    await this.#act(async (connection) => {
      staged ??= this.#taken(await this.#staged(connection));
      await this.#open(connection);
      this.#marks = { filling: null, movedTo: null };
      for (const one of staged) this.#place.durable(one);
      // A fail-over that loses this is not repaired entry by entry.
      const { serial, head } = this.#projection.state;
      this.#base = { serial, head };
      this.#links.length = 0;
      this.#kept = 0;
    });
  }

  async discard(): Promise<void> {
    await this.#underLock(dropFill);
    this.#marks = { ...this.#marks, filling: null };
  }

  async relocate(to: string): Promise<void> {
    await this.#underLock(moveTo(to));
    this.#marks = { ...this.#marks, movedTo: to };
  }

  /** Ends the lock, where that can be done at once: of a dead connection, the server tells. */
  async close(): Promise<void> {
    // Nobody waits for a connection that nothing is left for.
    if (this.#asked === 0) this.#over.abort();
    await this.#batches.settled();
    this.#closed = true;
    const { where, fence } = this.#place;
    const connection = this.#connection;
    await (connection && release(connection, where, fence).catch(() => {}));
    await connection?.end();
    this.#connection = undefined;
  }

  #act(deed: (connection: Connection) => Promise<void>): Promise<void> {
    return this.#answered(this.#batches.act(() => this.#persist(deed)));
  }

  async #answered(asked: Promise<void>): Promise<void> {
    this.#asked += 1;
    await asked.finally(() => (this.#asked -= 1));
  }

  #underLock(deed: Parameters<typeof underLock>[3]): Promise<void> {
    const { where, fence } = this.#place;
    return this.#act(async (connection) => {
      const asked = moment();
      if (!(await underLock(connection, where, fence, deed))) throw await lostBy(connection, where);
      this.#confirmed = asked;
    });
  }

  /** One that is lost is replaced at once, and not with the next entry: its end frees the lock. */
  #tended(connection: Connection): Connection {
    connection.whenLost(() => {
      if (this.#closed) return;
      const tending = this.#batches.act(async () => {
        if (this.#connection?.lost === undefined) return;
        await this.#persist((replaced) => this.#bringUp(replaced));
      });
      tending.catch(nothing);
    });
    return connection;
  }

  async #commit(linked: readonly Linked[]): Promise<void> {
    this.#taken(linked);
    await this.#persist((connection) => this.#bringUp(connection));
    for (const one of linked) this.#place.durable(one);
  }

  /** Known to be of this session from now on, whatever becomes of the connection. */
  #taken(linked: readonly Linked[]): readonly Linked[] {
    for (const one of linked) {
      this.#links.push({ linked: one, touched: this.#projection.take(one) });
    }
    return linked;
  }

  #staged(connection: Connection): Promise<readonly Linked[]> {
    return entriesAfter(connection, this.#place.where, "staged", this.#projection.state.copy());
  }

  async #open(connection: Connection): Promise<void> {
    const { where, fence } = this.#place;
    if (this.#projection.state.head !== this.filling?.head) throw notStaged(where);
    const asked = moment();
    const touched = this.#links.slice(this.#kept).flatMap((link) => link.touched);
    const added = await add(connection, where, {
      fence,
      after: this.#end,
      linked: "staged",
      changes: this.#projection.changes(touched),
      projection: this.#projection,
    });
    if (added === "lock lost") throw await lostBy(connection, where);
    if (added === "elsewhere" && !(await this.#isOpen(connection))) throw notStaged(where);
    this.#confirmed = asked;
  }

  /** Whether an earlier attempt was carried out although its answer was lost. */
  async #isOpen(connection: Connection): Promise<boolean> {
    this.#kept = await this.#found(connection);
    const filling = await loadFilling(connection, this.#place.where, tablesVersion);
    return filling === null && this.#kept === this.#links.length;
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

  /** Where the history ends in the database, as far as is known. */
  get #end(): { readonly serial: number; readonly head: string } {
    const last = this.#links[this.#kept - 1]?.linked;
    return last === undefined ? this.#base : { serial: last.entry.seq, head: last.head };
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
      const added = await add(connection, where, {
        fence,
        after: this.#end,
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
}

function resultOf<T>(found: T | StateProblem): T {
  if (found instanceof StateProblem) throw found;
  return found;
}

function notStaged({ schema, address }: Where): StateProblem {
  return new StateProblem(
    "IVR675",
    `The entries that were copied to ${schema}.staged at ${address} are not all there any more, so the state was not opened.`,
    "Run the command again: it copies everything again. Until then nothing uses this state.",
  );
}

function nothing(): void {}
