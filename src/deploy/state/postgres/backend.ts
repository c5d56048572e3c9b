import type { Linked } from "../entries.ts";
import type { Change, SessionBackend } from "../session.ts";
import type { State } from "../state.ts";
import { type Filling, StateProblem } from "../store.ts";
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
import { type Loaded, entriesAfter, lastOf, loadFilling } from "./load.ts";
import { isHeld, lockLostProblem, regain, release } from "./lock.ts";
import { isDue, snapshotOf } from "./snapshot.ts";
import type { Where } from "./statement.ts";

interface Place {
  readonly where: Where;
  readonly fence: string;
  /** Opens a new connection. */
  readonly connect: () => Promise<Connection>;
}

/**
 * Makes the changes of a session in the tables.
 *
 * If the connection is lost between a statement and its answer, the server may or may not have
 * carried it out. A failover may even lose events that were acknowledged. So this object keeps
 * the entries of the session. With every new connection it reads where the
 * history ends, and adds the missing entries under the same fence.
 */
export class PostgresBackend implements SessionBackend {
  readonly place: string;
  readonly #place: Place;
  /** The state after the last durable entry, which the session shows. */
  readonly #state: State;
  /** Where the history ended when the session began, or when a fill was opened. */
  #base: End;
  /** The entries of this session, and how many of them are known to be in the database. */
  readonly #entries: Linked[] = [];
  #written = 0;
  /** The serial of the last snapshot. */
  #snapshotSerial: number;
  #connection: Connection;
  #lost: () => void = () => {};

  constructor(place: Place, connection: Connection, { state, snapshotSerial }: Loaded) {
    this.place = place.where.address;
    this.#place = place;
    this.#connection = connection;
    this.#state = state;
    this.#base = endOf(state);
    this.#snapshotSerial = snapshotSerial;
  }

  whenLost(lost: () => void): void {
    this.#lost = lost;
    this.#connection.whenLost(lost);
  }

  append(linked: readonly Linked[]): Change {
    for (const one of linked) this.#entries.push(one);
    return async () => {
      await this.check();
      for (const { entry, head } of linked) this.#state.take(entry, head);
      if (isDue(this.#state, this.#snapshotSerial)) await this.#snapshot();
    };
  }

  /** Adds the missing entries under the lock. If none is missing, checks the lock. */
  async check(): Promise<void> {
    const connection = await this.#connected();
    const { where, fence } = this.#place;
    for (let attempt = 1; ; attempt += 1) {
      const missing = this.#entries.slice(this.#written);
      if (missing.length === 0) {
        if (!(await isHeld(connection, where, fence)))
          throw await lockLostProblem(connection, where);
        return;
      }
      const added = await append(connection, where, fence, this.#endAt(this.#written), missing);
      if (added === "lock lost") throw await lockLostProblem(connection, where);
      if (added === "added") {
        this.#written = this.#entries.length;
        return;
      }
      this.#written = await this.#found(connection);
      if (attempt > 3) throw new Error("The history changes although this session holds the lock.");
    }
  }

  fill(filling: Filling): Change {
    return this.#change(beginFill(filling));
  }

  stage(linked: readonly Linked[]): Change {
    return this.#change(stageEntries(linked));
  }

  async staged(): Promise<readonly Linked[]> {
    const ahead = this.#state.copy();
    return entriesAfter(await this.#connected(), this.#place.where, "staged", ahead);
  }

  seal(filling: Filling): Change {
    return this.#change(sealFill(filling));
  }

  open(): Change {
    let staged: readonly Linked[] | undefined;
    return async () => {
      if (staged === undefined) {
        staged = await this.staged();
        for (const one of staged) this.#entries.push(one);
      }
      await this.#open(await this.#connected());
      for (const { entry, head } of staged) this.#state.take(entry, head);
      // If a failover loses the opened fill, it is not repaired entry by entry.
      this.#base = endOf(this.#state);
      this.#entries.length = 0;
      this.#written = 0;
    };
  }

  discard(): Change {
    return this.#change(dropFill);
  }

  relocate(to: string): Change {
    return this.#change(moveTo(to));
  }

  /** Releases the lock. Without a connection, the server itself notices that the holder is gone. */
  async close(hasFailed: boolean): Promise<void> {
    if (!hasFailed && this.#state.serial > this.#snapshotSerial) await this.#snapshot();
    const { where, fence } = this.#place;
    await release(this.#connection, where, fence).catch(() => {});
    await this.#connection.end();
  }

  #change(operation: Parameters<typeof underLock>[3]): Change {
    const { where, fence } = this.#place;
    return async () => {
      const connection = await this.#connected();
      if (!(await underLock(connection, where, fence, operation)))
        throw await lockLostProblem(connection, where);
    };
  }

  /** Saves a snapshot. Never rejects: the history has everything, and the next session saves another one. */
  async #snapshot(): Promise<void> {
    const snapshot = snapshotOf(this.#state);
    if (snapshot === undefined) return;
    const { where, fence } = this.#place;
    this.#snapshotSerial = snapshot.serial;
    await underLock(this.#connection, where, fence, saveSnapshot(snapshot)).catch(() => {});
  }

  async #open(connection: Connection): Promise<void> {
    const { where, fence } = this.#place;
    const end = this.#endAt(this.#entries.length);
    const added = await openFill(connection, where, fence, this.#endAt(this.#written), end);
    if (added === "lock lost") throw await lockLostProblem(connection, where);
    if (added === "mismatch" && !(await this.#isOpen(connection))) throw notStaged(where);
  }

  /** Whether an earlier attempt was carried out although its answer was lost. */
  async #isOpen(connection: Connection): Promise<boolean> {
    this.#written = await this.#found(connection);
    const filling = await loadFilling(connection, this.#place.where);
    return filling === null && this.#written === this.#entries.length;
  }

  /** Returns a connection that has the lock. Opens a new one if the last one was lost. */
  async #connected(): Promise<Connection> {
    if (this.#connection.lost === undefined) return this.#connection;
    const { where, fence, connect } = this.#place;
    const connection = await connect();
    try {
      if (!(await regain(connection, where, fence))) throw await lockLostProblem(connection, where);
      this.#written = await this.#found(connection);
    } catch (error) {
      await connection.end();
      throw error;
    }
    connection.whenLost(this.#lost);
    this.#connection = connection;
    return connection;
  }

  /** Returns where the history ends after `count` entries of this session. */
  #endAt(count: number): End {
    const last = this.#entries[count - 1];
    return last === undefined ? this.#base : { serial: last.entry.seq, head: last.head };
  }

  /** Returns how many entries of this session the database has. */
  async #found(connection: Connection): Promise<number> {
    const { serial, head } = await lastOf(connection, this.#place.where);
    const count = serial - this.#base.serial;
    const isKnown = count >= 0 && count <= this.#entries.length;
    if (isKnown && this.#endAt(count).head === head) return count;
    const { schema, environment, address } = this.#place.where;
    throw new StateProblem(
      "IVR603",
      `The history of ${environment} in ${schema}.history at ${address} does not end with the event that this run expects (event ${serial}). This run records nothing more.`,
      {
        words:
          "Check whether someone restored the database, or whether a standby without the last events took over. Compare the output of this run with the history:",
        argv: ["state", "history"],
      },
    );
  }
}

function endOf({ serial, head }: State): End {
  return { serial, head };
}

function notStaged({ schema, address }: Where): StateProblem {
  return new StateProblem(
    "IVR675",
    `Some entries that were copied to ${schema}.staged at ${address} are missing, so the copy was not completed.`,
    "Run the command again: it copies everything again. Nothing uses this state until then.",
  );
}
