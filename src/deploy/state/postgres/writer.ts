import { Batches } from "../batches.ts";
import type { Linked } from "../chain.ts";
import { ConnectionLost, tooLong } from "../connection-lost.ts";
import { type Moment, moment } from "../moment.ts";
import { persist } from "../persist.ts";
import type { SessionWriter } from "../session.ts";
import type { State } from "../state.ts";
import { type Filling, StateProblem, type StoreWatcher } from "../store.ts";
import {
  type End,
  append,
  beginFill,
  dropFill,
  moveTo,
  openFill,
  saveSnapshot,
  sealFill,
  stageEntries,
  underLock,
} from "./changes.ts";
import type { Connection } from "./connection.ts";
import { type Loaded, type Marks, entriesAfter, lastOf, loadFilling } from "./load.ts";
import { isHeld, lostBy, regain, release } from "./lock.ts";
import { isDue, snapshotOf } from "./snapshot.ts";
import type { Where } from "./statement.ts";
import { tablesVersion } from "./tables.ts";

export interface WriterPlace {
  readonly where: Where;
  readonly fence: string;
  /** A new connection, within so many milliseconds. */
  readonly connect: (within: number) => Promise<Connection>;
  /** Milliseconds to wait for a lost connection to come back. */
  readonly patience: number;
  /** Ends that waiting. */
  readonly stop: AbortSignal | undefined;
  readonly watcher: StoreWatcher | undefined;
}

/**
 * Adds to the history. Everything that waits goes into one transaction.
 *
 * If the connection is lost between a statement and its answer, nobody knows whether the
 * server carried it out, and a fail-over may even lose what was acknowledged. So the writer
 * keeps the entries of the session. With every new connection it asks the database where its
 * history ends, and adds the entries that are missing, under the same fence.
 */
export class Writer implements SessionWriter {
  readonly place: string;
  readonly #place: WriterPlace;
  /** After the last durable entry. The session shows it. */
  readonly #state: State;
  readonly #batches = new Batches((linked) => this.#commit(linked));
  /** Where the history ended when the session began, or when a fill was opened. */
  #base: End;
  /** The entries of this session, and how many of them are known to be in the database. */
  readonly #entries: Linked[] = [];
  #kept = 0;
  /** The serial of the last snapshot. */
  #covered: number;
  /** Aborted when nobody waits for a write any more. */
  readonly #over = new AbortController();
  readonly #stop: AbortSignal;
  #connection: Connection;
  /** How many calls wait for an answer. */
  #asked = 0;
  #confirmed: Moment | undefined;
  #marks: Marks;
  #closed = false;

  constructor(place: WriterPlace, connection: Connection, loaded: Loaded) {
    const { state, covered, movedTo, filling } = loaded;
    this.place = place.where.address;
    this.#place = place;
    this.#stop = AbortSignal.any([this.#over.signal, ...(place.stop ? [place.stop] : [])]);
    this.#connection = this.#tended(connection);
    this.#state = state;
    this.#base = endOf(state);
    this.#covered = covered;
    this.#marks = { movedTo, filling };
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
      if (staged === undefined) {
        staged = await this.#staged(connection);
        for (const one of staged) this.#entries.push(one);
      }
      await this.#open(connection);
      this.#marks = { filling: null, movedTo: null };
      for (const { entry, head } of staged) this.#state.take(entry, head);
      // A fail-over that loses the opened fill is not repaired entry by entry.
      this.#base = endOf(this.#state);
      this.#entries.length = 0;
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

  /** Ends the lock if the connection is there. If it is not, the server knows that the holder is gone. */
  async close(): Promise<void> {
    // If no call waits, nothing needs the connection to come back.
    if (this.#asked === 0) this.#over.abort();
    await this.#batches.settled();
    this.#closed = true;
    if (this.failure === undefined && this.#state.serial > this.#covered) await this.#snapshot();
    const { where, fence } = this.#place;
    await release(this.#connection, where, fence).catch(() => {});
    await this.#connection.end();
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

  /** Replaces a lost connection at once, not with the next entry: its end frees the lock. */
  #tended(connection: Connection): Connection {
    connection.whenLost(() => {
      if (this.#closed) return;
      const tending = this.#batches.act(async () => {
        if (this.#connection.lost === undefined) return;
        await this.#persist((replaced) => this.#bringUp(replaced));
      });
      tending.catch(() => {});
    });
    return connection;
  }

  async #commit(linked: readonly Linked[]): Promise<void> {
    for (const one of linked) this.#entries.push(one);
    await this.#persist((connection) => this.#bringUp(connection));
    for (const { entry, head } of linked) this.#state.take(entry, head);
    if (isDue(this.#state, this.#covered)) await this.#snapshot();
  }

  /** Never rejects: the history has everything, and the next snapshot makes up for this one. */
  async #snapshot(): Promise<void> {
    const snapshot = snapshotOf(this.#state);
    if (snapshot === undefined) return;
    const { where, fence } = this.#place;
    this.#covered = snapshot.serial;
    await underLock(this.#connection, where, fence, saveSnapshot(snapshot)).catch(() => {});
  }

  #staged(connection: Connection): Promise<readonly Linked[]> {
    return entriesAfter(connection, this.#place.where, "staged", this.#state.copy());
  }

  async #open(connection: Connection): Promise<void> {
    const { where, fence } = this.#place;
    const end = this.#endAt(this.#entries.length);
    if (end.head !== this.filling?.head) throw notStaged(where);
    const asked = moment();
    const added = await openFill(connection, where, fence, this.#endAt(this.#kept), end);
    if (added === "lock lost") throw await lostBy(connection, where);
    if (added === "elsewhere" && !(await this.#isOpen(connection))) throw notStaged(where);
    this.#confirmed = asked;
  }

  /** Whether an earlier attempt was carried out although its answer was lost. */
  async #isOpen(connection: Connection): Promise<boolean> {
    this.#kept = await this.#found(connection);
    const filling = await loadFilling(connection, this.#place.where, tablesVersion);
    return filling === null && this.#kept === this.#entries.length;
  }

  /** Tries with as many connections as it takes. Each of them must have the lock. */
  async #persist(deed: (connection: Connection) => Promise<void>): Promise<void> {
    const { patience, watcher } = this.#place;
    try {
      await persist(
        async () => {
          if (this.#connection.lost !== undefined) this.#connection = await this.#reconnect();
          await deed(this.#connection);
        },
        { patience, stop: this.#stop, watcher },
      );
    } catch (error) {
      throw error instanceof ConnectionLost ? tooLong(error) : error;
    }
  }

  async #reconnect(): Promise<Connection> {
    const { where, fence, connect, patience } = this.#place;
    const connection = await connect(Math.max(1000, Math.min(patience, 5000)));
    try {
      if (!(await regain(connection, where, fence))) throw await lostBy(connection, where);
      this.#kept = await this.#found(connection);
      return this.#tended(connection);
    } catch (error) {
      await connection.end();
      throw error;
    }
  }

  /** Where the history ends after so many entries of this session. */
  #endAt(count: number): End {
    const last = this.#entries[count - 1];
    return last === undefined ? this.#base : { serial: last.entry.seq, head: last.head };
  }

  /** How many entries of this session the database has. */
  async #found(connection: Connection): Promise<number> {
    const { serial, head } = await lastOf(connection, this.#place.where);
    const count = serial - this.#base.serial;
    const isKnown = count >= 0 && count <= this.#entries.length;
    if (isKnown && this.#endAt(count).head === head) return count;
    const { schema, environment, address } = this.#place.where;
    throw new StateProblem(
      "IVR603",
      `The history of ${environment} in ${schema}.history at ${address} ends with another event ${serial} than this run knows, so nothing more is recorded.`,
      "Was the database restored, or did a standby take over that lacked events? Compare `ivrctl state history` with what this run said.",
    );
  }

  /** Adds the entries that are missing, under the lock. If none is, it checks the lock. */
  async #bringUp(connection: Connection): Promise<void> {
    const { where, fence } = this.#place;
    for (let attempt = 1; ; attempt += 1) {
      const missing = this.#entries.slice(this.#kept);
      const asked = moment();
      if (missing.length === 0) {
        if (!(await isHeld(connection, where, fence))) throw await lostBy(connection, where);
        this.#confirmed = asked;
        return;
      }
      const added = await append(connection, where, fence, this.#endAt(this.#kept), missing);
      if (added === "lock lost") throw await lostBy(connection, where);
      if (added === "added") {
        this.#kept = this.#entries.length;
        this.#confirmed = asked;
        return;
      }
      this.#kept = await this.#found(connection);
      if (attempt > 3) throw new Error("The history moves although nobody else may add to it.");
    }
  }
}

function endOf({ serial, head }: State): End {
  return { serial, head };
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
