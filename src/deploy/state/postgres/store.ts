import { standardSchema } from "../../../project/state-settings.ts";
import type { Linked } from "../entries.ts";
import { refuseMarked } from "../marks.ts";
import { defaultMaxWait, withoutWaiting } from "../retry.ts";
import { WritingSession } from "../session.ts";
import { State } from "../state.ts";
import {
  type Claim,
  type Lock,
  type Locked,
  type Reading,
  type Session,
  type StateStore,
  describeLock,
} from "../store.ts";
import { PostgresBackend } from "./backend.ts";
import { Connection } from "./connection.ts";
import { type Loaded, entriesAfter, load, loadFilling } from "./load.ts";
import { holder, leftLock, release, take, unlock } from "./lock.ts";
import type { DatabaseSettings } from "./settings.ts";
import type { Where } from "./statement.ts";
import { hasTables, makeTables } from "./tables.ts";
import type { Host } from "../../../util/host.ts";

interface PostgresPlace {
  /** The folder of the project, where the driver may be installed. */
  readonly root: string;
  readonly host: Host;
  readonly settings: DatabaseSettings;
  readonly schema: string;
  /** Milliseconds that a session waits for a lost connection to come back. */
  readonly maxWait?: number;
}

/**
 * A state in the tables of a schema (see `tables.ts`). `history` has every event and alone
 * decides what the state is. `states` has the last event of each history and shows whether
 * events are missing. `snapshots` has a recent state and makes reading faster.
 */
export class PostgresStore implements StateStore {
  readonly place: string;
  readonly #from: PostgresPlace;
  readonly #where: Where;

  constructor(from: PostgresPlace, environment: string) {
    const { address } = from.settings;
    this.place = from.schema === standardSchema ? address : `${address}, schema ${from.schema}`;
    this.#from = from;
    this.#where = { schema: from.schema, environment, address };
  }

  async read(): Promise<Reading> {
    const nothing = { state: new State(), notes: [] };
    return this.#withTables<Reading>(nothing, async (connection) => {
      const loaded = await load(connection, this.#where);
      refuseMarked(loaded, this.#where.environment, this.place);
      return { state: loaded.state, notes: this.#notesOf(loaded) };
    });
  }

  async history(): Promise<readonly Linked[]> {
    return this.#withTables<readonly Linked[]>([], async (connection) => {
      const filling = await loadFilling(connection, this.#where);
      refuseMarked({ filling, movedTo: null }, this.#where.environment, this.place);
      return entriesAfter(connection, this.#where, "history", new State());
    });
  }

  async holder(): Promise<Lock | null> {
    return this.#withTables(null, (connection) => holder(connection, this.#where));
  }

  async leftLock(): Promise<Lock | null> {
    return this.#withTables(null, (connection) => leftLock(connection, this.#where));
  }

  async unlock(id: string): Promise<Lock | null> {
    return this.#withTables(null, (connection) => unlock(connection, this.#where, id));
  }

  async lock(claim: Claim): Promise<Locked> {
    claim.signal?.throwIfAborted();
    const connection = await this.#connect();
    try {
      await makeTables(connection, this.#where);
      const taken = await take(connection, this.#where, claim, this.#from.host);
      if (taken.kind === "held") {
        await connection.end();
        return taken;
      }
      return await this.#begin(connection, taken.taken, claim);
    } catch (error) {
      await connection.end();
      throw withoutWaiting(error);
    }
  }

  async #begin(
    connection: Connection,
    { fence, previous }: { readonly fence: string; readonly previous: Lock | undefined },
    claim: Claim,
  ): Promise<Locked> {
    try {
      const loaded = await load(connection, this.#where);
      refuseMarked(loaded, this.#where.environment, this.place, claim.accepts);
      const session = this.#session(connection, fence, claim, loaded);
      const notes = previous === undefined ? [] : [takenOver(previous)];
      return { kind: "locked", session, notes: [...notes, ...this.#notesOf(loaded)] };
    } catch (error) {
      await release(connection, this.#where, fence).catch(() => {});
      throw error;
    }
  }

  #session(connection: Connection, fence: string, claim: Claim, loaded: Loaded): Session {
    const { root, host, settings, maxWait = defaultMaxWait } = this.#from;
    const { clock } = host;
    const within = Math.max(1000, Math.min(maxWait, 5000));
    const connect = () => Connection.open(root, settings, clock, within);
    const backend = new PostgresBackend({ where: this.#where, fence, connect }, connection, loaded);
    const { environment } = this.#where;
    return new WritingSession(backend, loaded, { environment, claim, clock, maxWait });
  }

  /** Calls `act` with a connection. Creates no tables: returns `otherwise` if there are none. */
  async #withTables<T>(otherwise: T, act: (connection: Connection) => Promise<T>): Promise<T> {
    const connection = await this.#connect();
    try {
      return (await hasTables(connection, this.#where)) ? await act(connection) : otherwise;
    } catch (error) {
      throw withoutWaiting(error);
    } finally {
      await connection.end();
    }
  }

  async #connect(): Promise<Connection> {
    try {
      const { root, settings, host } = this.#from;
      return await Connection.open(root, settings, host.clock);
    } catch (error) {
      throw withoutWaiting(error);
    }
  }

  #notesOf({ isEdited }: Loaded): readonly string[] {
    if (!isEdited) return [];
    const { schema } = this.#where;
    return [
      `Rows in ${schema}.states or ${schema}.snapshots were edited. The edit has no effect: ivrctl reads the state from ${schema}.history.`,
    ];
  }
}

function takenOver(lock: Lock): string {
  return `Took over the lock of ${describeLock(lock)}: its connection to the database has ended.`;
}
