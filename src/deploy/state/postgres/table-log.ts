import * as z from "zod/mini";
import {
  type CommitLog,
  type KeptSnapshot,
  type Sessions,
  damaged,
  refuseGap,
} from "../log/commit-log.ts";
import type { Host } from "../../../util/host.ts";
import { Connection } from "./connection.ts";
import type { DatabaseSettings } from "./settings.ts";
import { type Where, durable, hasTables, makeTables, quoted } from "./tables.ts";

export interface PostgresPlace {
  /** The folder of the project, where the driver may be installed. */
  readonly root: string;
  readonly host: Pick<Host, "clock">;
  readonly settings: DatabaseSettings;
  readonly schema: string;
}

const Numbered = z.object({ number: z.coerce.number() });
const BlockRow = z.extend(Numbered, { content: z.string() });

/** A log in the tables of a schema (schema/state-postgres.sql). */
export class TableLog implements CommitLog {
  readonly place: string;
  readonly sessions: Sessions;
  readonly #from: PostgresPlace;
  readonly #environment: string;
  readonly #where: Where;
  /** What names the log in the tables. */
  readonly #key: string;
  #connecting: Promise<Connection> | undefined;
  #hasTables = false;
  #session: string | undefined;

  constructor(from: PostgresPlace, environment: string, id?: string) {
    const { schema, settings } = from;
    const { address } = settings;
    this.place = schema === "ivrctl" ? address : `${address}, schema ${schema}`;
    this.#from = from;
    this.#environment = environment;
    this.#where = { schema, address };
    this.#key = id === undefined ? environment : `${environment}/${id}`;
    this.sessions = {
      connect: async (session) => {
        this.#session = session;
        await holdSession(await this.#connected(), session);
      },
      isConnected: async (session) => isHeld(await this.#connected(), session),
    };
  }

  name(n: number): string {
    const { schema, address } = this.#where;
    return `Block ${n} of ${this.#key} in ${schema}.blocks at ${address}`;
  }

  async restoreHint(): Promise<string> {
    return "Restore the database from a backup. ivrctl only adds rows to this table.";
  }

  async ids(): Promise<readonly string[]> {
    const sql = `SELECT substr(state, length($1::text) + 2) AS id FROM ${this.#blocks}
      WHERE starts_with(state, $1::text || '/') AND number = 1 ORDER BY state`;
    const rows = await this.#rows(z.object({ id: z.string() }), sql, [this.#environment]);
    return rows.map(({ id }) => id);
  }

  async numbers(): Promise<readonly number[]> {
    const sql = `SELECT number FROM ${this.#blocks} WHERE state = $1 ORDER BY number`;
    return (await this.#rows(Numbered, sql, [this.#key])).map(({ number }) => number);
  }

  async read(after: number, limit?: number): Promise<readonly Buffer[]> {
    const sql = `SELECT number, content FROM ${this.#blocks}
      WHERE state = $1 AND number > $2 ORDER BY number LIMIT $3`;
    const rows = await this.#rows(BlockRow, sql, [this.#key, after, limit ?? null]);
    await refuseGap(
      this,
      after,
      rows.map(({ number }) => number),
    );
    return rows.map(({ content }) => Buffer.from(content));
  }

  async append(n: number, bytes: Buffer): Promise<"added" | "taken"> {
    const connection = await this.#connected();
    if (!(await this.#isThere(connection))) {
      await makeTables(connection, this.#where);
      this.#hasTables = true;
    }
    // Adds a block if the one before it is there. The primary key is the fence.
    const added = await connection.run(
      `WITH ${durable}
       INSERT INTO ${this.#blocks} (state, number, content)
         SELECT $1::text, $2::bigint, $3::text FROM durable
           WHERE $2::bigint = 1 OR EXISTS (
             SELECT 1 FROM ${this.#blocks} WHERE state = $1::text AND number = $2::bigint - 1)
         ON CONFLICT DO NOTHING
         RETURNING 1`,
      [this.#key, n, bytes.toString("utf8")],
      this.#timeFor(bytes),
    );
    if (added.length > 0) return "added";
    if ((await this.read(n - 1, 1)).length > 0) return "taken";
    throw await damaged(this, n - 1, "is missing. Somebody may have restored the database");
  }

  async snapshot(): Promise<KeptSnapshot | undefined> {
    const sql = `SELECT number, content FROM ${this.#snapshots} WHERE state = $1`;
    const [row] = await this.#rows(BlockRow, sql, [this.#key]);
    return row && { number: row.number, bytes: Buffer.from(row.content) };
  }

  async keep(n: number, snapshot: Buffer): Promise<void> {
    await (
      await this.#connected()
    ).run(
      `WITH ${durable}
       INSERT INTO ${this.#snapshots} AS kept (state, number, content)
         SELECT $1::text, $2::bigint, $3::text FROM durable
         ON CONFLICT (state) DO UPDATE
           SET number = EXCLUDED.number, content = EXCLUDED.content
           WHERE kept.number < EXCLUDED.number`,
      [this.#key, n, snapshot.toString("utf8")],
      this.#timeFor(snapshot),
    );
  }

  async close(): Promise<void> {
    const connecting = this.#connecting;
    this.#connecting = undefined;
    this.#hasTables = false;
    this.#session = undefined;
    await connecting?.then((connection) => connection.end()).catch(() => {});
  }

  get #blocks(): string {
    return `${quoted(this.#where.schema)}.blocks`;
  }

  get #snapshots(): string {
    return `${quoted(this.#where.schema)}.snapshots`;
  }

  /** A copy is one block, which can be large. */
  #timeFor({ length }: Buffer): number {
    return this.#from.settings.statementTimeout + length / 100;
  }

  /** Returns the rows of a query; none if the tables do not exist yet. */
  async #rows<S extends z.ZodMiniType>(schema: S, sql: string, values: readonly unknown[]) {
    const connection = await this.#connected();
    return (await this.#isThere(connection)) ? connection.rows(schema, sql, values) : [];
  }

  async #isThere(connection: Connection): Promise<boolean> {
    this.#hasTables ||= await hasTables(connection, this.#where);
    return this.#hasTables;
  }

  /** Returns a connection. Opens a new one if the last one was lost. */
  async #connected(): Promise<Connection> {
    const connection = await this.#connecting?.catch(() => undefined);
    if (connection !== undefined && !connection.isLost) return connection;
    const connecting = this.#connect();
    this.#connecting = connecting;
    return connecting;
  }

  async #connect(): Promise<Connection> {
    const { root, host, settings } = this.#from;
    const connection = await Connection.open(root, settings, host.clock);
    // Other runs can take the lock while there is no connection, so replace it at once.
    connection.whenLost = () => {
      if (this.#session !== undefined) this.#connected().catch(() => {});
    };
    if (this.#session !== undefined) await holdSession(connection, this.#session);
    return connection;
  }
}

/** Shows other runs that this session is alive. The server forgets it when the connection ends. */
async function holdSession(connection: Connection, session: string): Promise<void> {
  await connection.run(`SELECT pg_advisory_lock_shared(${keyOf("$1::text")})`, [session]);
}

async function isHeld(connection: Connection, session: string): Promise<boolean> {
  const rows = await connection.run(
    `SELECT 1 FROM pg_locks, (SELECT ${keyOf("$1::text")} AS key) AS wanted
      WHERE locktype = 'advisory' AND objsubid = 1
        AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
        AND (classid::bigint << 32) | objid::bigint = wanted.key`,
    [session],
  );
  return rows.length > 0;
}

const keyOf = (session: string) => `hashtextextended('ivrctl ' || ${session}, 0)`;
