import * as z from "zod/mini";
import type { Linked } from "../chain.ts";
import type { Connection } from "./connection.ts";
import type { Where } from "./load.ts";
import type { Changes, Projection, Table } from "./projection.ts";

export interface Addition {
  /** Of the lock under which it is added. */
  readonly fence: string;
  /** Where the history has to end for it. */
  readonly after: { readonly serial: number; readonly head: string };
  readonly linked: readonly Linked[];
  readonly changes: Changes;
  /** The state that it leads to. */
  readonly projection: Projection;
}

/** `elsewhere`: the history does not end where it should. */
export type Added = "added" | "lock lost" | "elsewhere";

const Answer = z.object({ held: z.boolean(), fits: z.boolean() });

/**
 * Adds entries and brings the rows along, all of it or nothing, in one statement,
 * which is a transaction of its own. It waits for whoever is just changing the
 * lock, and who changes the lock waits for it: so it happens under the lock, or not.
 */
export async function add(
  connection: Connection,
  { schema, environment }: Where,
  { fence, after, linked, changes, projection }: Addition,
): Promise<Added> {
  const { origin, serial, head } = projection.state;
  if (origin === null) throw new Error("There is nothing to add to a state that never began.");
  const kept = (table: Table) => changes.kept.filter((row) => row.table === table);
  const gone = (table: Table) =>
    changes.gone.filter((row) => row.table === table).map(({ id }) => id);
  const values = [
    environment,
    fence,
    after.serial,
    after.head,
    linked.map(({ entry }) => entry.seq),
    linked.map((one) => one.head),
    linked.map(({ text }) => text),
    origin.lineage,
    origin.address,
    serial,
    head,
    projection.sum,
    ...tables.flatMap((table) => [
      gone(table),
      kept(table).map(({ id }) => id),
      kept(table).map(({ placed }) => placed),
      kept(table).map(({ record }) => record),
    ]),
  ];
  const [answer] = await connection.rows(Answer, statement(schema), values);
  if (answer?.held !== true) return "lock lost";
  return answer.fits ? "added" : "elsewhere";
}

/** Says where the state goes on, under the same lock; false where that is lost. */
export async function relocate(
  connection: Connection,
  { schema, environment }: Where,
  fence: string,
  to: string | null,
): Promise<boolean> {
  const rows = await connection.run(
    `WITH held AS (
       SELECT 1 FROM ${schema}.locks
         WHERE environment = $1 AND fence = $2::bigint AND id IS NOT NULL FOR SHARE
     )
     UPDATE ${schema}.states SET moved_to = $3 FROM held WHERE environment = $1 RETURNING 1`,
    [environment, fence, to],
  );
  return rows.length > 0;
}

const tables = ["menus", "follow_ups"] as const;

const statement = (schema: string) => `
  WITH held AS (
    SELECT 1 FROM ${schema}.locks
      WHERE environment = $1::text AND fence = $2::bigint AND id IS NOT NULL FOR SHARE
  ), fits AS (
    SELECT 1 FROM held
      WHERE $4::text = coalesce((SELECT head FROM ${schema}.history WHERE environment = $1::text AND seq = $3::bigint), '')
        AND NOT EXISTS (SELECT 1 FROM ${schema}.history WHERE environment = $1::text AND seq > $3::bigint)
  ), added AS (
    INSERT INTO ${schema}.history (environment, seq, head, entry)
      SELECT $1::text, one.seq, one.head, one.entry
        FROM fits, unnest($5::bigint[], $6::text[], $7::text[]) AS one (seq, head, entry)
  ), stated AS (
    INSERT INTO ${schema}.states (environment, lineage, address, serial, head, sum)
      SELECT $1::text, $8::text, $9::text, $10::bigint, $11::text, $12::text FROM fits
      ON CONFLICT (environment) DO UPDATE
        SET lineage = EXCLUDED.lineage, address = EXCLUDED.address, serial = EXCLUDED.serial,
            head = EXCLUDED.head, sum = EXCLUDED.sum
  ), ${tables.map((table, at) => rowsOf(schema, table, 13 + 4 * at)).join(", ")}
  SELECT EXISTS (SELECT 1 FROM held) AS held, EXISTS (SELECT 1 FROM fits) AS fits`;

function rowsOf(schema: string, table: Table, from: number): string {
  const id = table === "menus" ? "key" : "id";
  return `${table}_gone AS (
    DELETE FROM ${schema}.${table} USING fits WHERE environment = $1::text AND ${id} = ANY ($${from}::text[])
  ), ${table}_kept AS (
    INSERT INTO ${schema}.${table} (environment, ${id}, placed, record)
      SELECT $1::text, one.id, one.placed, one.record
        FROM fits, unnest($${from + 1}::text[], $${from + 2}::bigint[], $${from + 3}::text[]) AS one (id, placed, record)
      ON CONFLICT (environment, ${id}) DO UPDATE SET placed = EXCLUDED.placed, record = EXCLUDED.record
  )`;
}
