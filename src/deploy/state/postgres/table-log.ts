import * as z from "zod/mini";
import { type CommitLog, type KeptSnapshot, damaged, refuseGap } from "../log/commit-log.ts";
import type { Database } from "./database.ts";
import { durable, hasTables, makeTables, quotedName } from "./tables.ts";

const Numbered = z.object({ number: z.coerce.number() });
const BlockRow = z.extend(Numbered, { content: z.string() });

/** A log in the tables of a schema (schema/state-postgres.sql). */
export class TableLog implements CommitLog {
  readonly place: string;
  readonly #database: Database;
  readonly #schema: string;
  readonly #environment: string;
  /** What names the log in the tables. */
  readonly #key: string;
  #hasTables = false;

  constructor(database: Database, schema: string, environment: string, id?: string) {
    const { address } = database;
    this.place = schema === "ivrctl" ? address : `${address}, schema ${schema}`;
    this.#database = database;
    this.#schema = schema;
    this.#environment = environment;
    this.#key = id === undefined ? environment : `${environment}/${id}`;
  }

  name(n: number): string {
    return `Block ${n} of ${this.#key} in ${this.#schema}.blocks at ${this.#database.address}`;
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
    if (!(await this.#isThere())) await makeTables(this.#database, this.#schema);
    // Adds a block if the one before it is there. The primary key is the fence.
    const added = await this.#database.run(
      `WITH ${durable}
       INSERT INTO ${this.#blocks} (state, number, content)
         SELECT $1::text, $2::bigint, $3::text FROM durable
           WHERE $2::bigint = 1 OR EXISTS (
             SELECT 1 FROM ${this.#blocks} WHERE state = $1::text AND number = $2::bigint - 1)
         ON CONFLICT DO NOTHING
         RETURNING 1`,
      [this.#key, n, bytes.toString("utf8")],
      timeFor(bytes),
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
    await this.#database.run(
      `WITH ${durable}
       INSERT INTO ${this.#snapshots} AS kept (state, number, content)
         SELECT $1::text, $2::bigint, $3::text FROM durable
         ON CONFLICT (state) DO UPDATE
           SET number = EXCLUDED.number, content = EXCLUDED.content
           WHERE kept.number < EXCLUDED.number`,
      [this.#key, n, snapshot.toString("utf8")],
      timeFor(snapshot),
    );
  }

  async close(): Promise<void> {
    this.#hasTables = false;
    await this.#database.close();
  }

  get #blocks(): string {
    return `${quotedName(this.#schema)}.blocks`;
  }

  get #snapshots(): string {
    return `${quotedName(this.#schema)}.snapshots`;
  }

  /** Returns the rows of a query; none if the tables do not exist yet. */
  async #rows<S extends z.ZodMiniType>(schema: S, sql: string, values: readonly unknown[]) {
    return (await this.#isThere()) ? this.#database.rows(schema, sql, values) : [];
  }

  async #isThere(): Promise<boolean> {
    this.#hasTables ||= await hasTables(this.#database, this.#schema);
    return this.#hasTables;
  }
}

/** The milliseconds to send a block. A copy is one block, which can be large. */
function timeFor({ length }: Buffer): number {
  return length / 100;
}
