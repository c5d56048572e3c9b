import { standardSchema } from "../../../project/state-settings.ts";
import type { Linked } from "../chain.ts";
import { standardPatience, told } from "../connection-lost.ts";
import { describeLock } from "../describe-lock.ts";
import { beingFilled, movedAway } from "../moved.ts";
import { Sequencer } from "../sequencer.ts";
import { WritingSession } from "../session.ts";
import {
  type Claim,
  type Lock,
  type Locked,
  type Reading,
  type Session,
  type StateStore,
} from "../store.ts";
import { Connection, loadDriver } from "./connection.ts";
import { type Loaded, type Marks, load, loadFilling, loadHistory } from "./load.ts";
import { holder, release, take, unlock } from "./lock.ts";
import type { DatabaseSettings } from "./settings.ts";
import type { Where } from "./statement.ts";
import { makeTables, tablesVersion, versionOf } from "./tables.ts";
import { Writer } from "./writer.ts";

export interface PostgresPlace {
  /** The folder of the project, where the driver may be installed. */
  readonly root: string;
  readonly settings: DatabaseSettings;
  readonly schema: string;
  /** Milliseconds that a session waits for a lost connection to come back. */
  readonly patience?: number;
}

/**
 * A state in the tables of a schema (see `tables.ts`). `history` has every event and is the
 * truth, `states` the last event of each history, which shows if events are missing, and
 * `snapshots` a recent state, for speed.
 */
export class PostgresStore implements StateStore {
  readonly place: string;
  readonly #from: PostgresPlace;
  readonly #where: Where;
  readonly #now: () => Date;

  constructor(from: PostgresPlace, environment: string, now: () => Date = () => new Date()) {
    const { address } = from.settings;
    this.place = from.schema === standardSchema ? address : `${address}, schema ${from.schema}`;
    this.#from = from;
    this.#where = { schema: from.schema, environment, address };
    this.#now = now;
  }

  async read(): Promise<Reading> {
    return this.#looking(nothing, async (connection, version) => {
      const loaded = await load(connection, this.#where, version);
      this.#refuseMarked(loaded);
      return { state: loaded.state, notes: this.#notesOf(loaded) };
    });
  }

  async history(): Promise<readonly Linked[]> {
    return this.#looking([], async (connection, version) => {
      const filling = await loadFilling(connection, this.#where, version);
      this.#refuseMarked({ filling, movedTo: null });
      return loadHistory(connection, this.#where);
    });
  }

  async holder(): Promise<Lock | null> {
    return this.#looking(null, (connection) => holder(connection, this.#where));
  }

  async unlock(id: string): Promise<Lock | null> {
    return this.#looking(null, (connection) => unlock(connection, this.#where, id));
  }

  async lock(claim: Claim): Promise<Locked> {
    claim.signal?.throwIfAborted();
    const connection = await this.#connect();
    try {
      await makeTables(connection, this.#where);
      const taken = await take(connection, this.#where, claim);
      if (taken.kind === "held") {
        await connection.end();
        return taken;
      }
      return await this.#begin(connection, taken.fence, claim, taken.over);
    } catch (error) {
      await connection.end();
      throw told(error);
    }
  }

  async #begin(
    connection: Connection,
    fence: string,
    claim: Claim,
    over: Lock | undefined,
  ): Promise<Locked> {
    try {
      const loaded = await load(connection, this.#where, tablesVersion);
      this.#refuseMarked(loaded, claim.accepts);
      const session = this.#session(connection, fence, claim, loaded);
      const notes = over === undefined ? [] : [takenOver(over)];
      return { kind: "locked", session, notes: [...notes, ...this.#notesOf(loaded)] };
    } catch (error) {
      await release(connection, this.#where, fence).catch(() => {});
      throw error;
    }
  }

  #session(connection: Connection, fence: string, claim: Claim, loaded: Loaded): Session {
    const { state } = loaded;
    const { root, settings, patience = standardPatience } = this.#from;
    const writer = new Writer(
      {
        where: this.#where,
        fence,
        connect: (within) => Connection.open(loadDriver(root), settings, within),
        patience,
        stop: claim.stop,
        watcher: claim.watcher,
      },
      connection,
      loaded,
    );
    const sequencer = new Sequencer(state, this.#where.environment, claim, this.#now);
    return new WritingSession(state, sequencer, writer);
  }

  /** Creates nothing: returns `otherwise` if there are no tables. */
  async #looking<T>(
    otherwise: T,
    act: (connection: Connection, version: number) => Promise<T>,
  ): Promise<T> {
    const connection = await this.#connect();
    try {
      const version = await versionOf(connection, this.#where);
      return version === undefined ? otherwise : await act(connection, version);
    } catch (error) {
      throw told(error);
    } finally {
      await connection.end();
    }
  }

  async #connect(): Promise<Connection> {
    try {
      return await Connection.open(loadDriver(this.#from.root), this.#from.settings);
    } catch (error) {
      throw told(error);
    }
  }

  #refuseMarked({ filling, movedTo }: Marks, accepts: Claim["accepts"] = []): void {
    const { environment } = this.#where;
    if (filling !== null && !accepts.includes("filling")) {
      throw beingFilled(environment, this.place, filling);
    }
    if (movedTo !== null && !accepts.includes("moved")) {
      throw movedAway(environment, this.place, movedTo);
    }
  }

  #notesOf({ isEdited }: Loaded): readonly string[] {
    if (!isEdited) return [];
    const { schema } = this.#where;
    return [
      `Rows in ${schema}.states or ${schema}.snapshots were edited, which changes nothing: ${schema}.history is what counts, and the state was read from it.`,
    ];
  }
}

const nothing: Reading = {
  state: { origin: null, serial: 0, head: "", keys: new Map(), followUps: new Map() },
  notes: [],
};

function takenOver(lock: Lock): string {
  return `The lock of ${describeLock(lock)} was taken over: its connection to the database is gone.`;
}
