import * as z from "zod/mini";
import type { Linked } from "../chain.ts";
import type { Connection } from "./connection.ts";
import type { Where } from "./load.ts";
import type { Changes, Projection, Table } from "./projection.ts";
import { held, quoted } from "./statement.ts";

export interface Addition {
  /** Of the lock under which it is added. */
  readonly fence: string;
  /** Where the history has to end for it. */
  readonly after: { readonly serial: number; readonly head: string };
  /** `staged`: those in the table of that name, which a fill opens. */
  readonly linked: readonly Linked[] | "staged";
  readonly changes: Changes;
  /** The state that it leads to. */
  readonly projection: Projection;
}

/** `elsewhere`: the history does not end where it should, or not all of it is staged. */
export type Added = "added" | "lock lost" | "elsewhere";

const Answer = z.object({ held: z.boolean(), fits: z.boolean() });

/**
 * Adds entries and brings the rows along, all of it or nothing, in one statement,
 * which is a transaction of its own, under the lock. With staged entries, the marks
 * of filling and of moving go in the same one.
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
    ...(linked === "staged"
      ? []
      : [
          linked.map(({ entry }) => entry.seq),
          linked.map((one) => one.head),
          linked.map(({ text }) => text),
        ]),
  ];
  const isStaged = linked === "staged";
  const timeout = isStaged ? longest : undefined;
  const [answer] = await connection.rows(Answer, statement(schema, isStaged), values, timeout);
  if (answer?.held !== true) return "lock lost";
  return answer.fits ? "added" : "elsewhere";
}

/** Milliseconds for a whole history. */
const longest = 300_000;

const tables = ["menus", "follow_ups"] as const;

const statement = (schema: string, isStaged: boolean) => `
  WITH ${held(schema)}, fits AS (
    SELECT 1 FROM held
      WHERE $4::text = coalesce((SELECT head FROM ${quoted(schema)}.history WHERE environment = $1::text AND seq = $3::bigint), '')
        AND NOT EXISTS (SELECT 1 FROM ${quoted(schema)}.history WHERE environment = $1::text AND seq > $3::bigint)
        ${isStaged ? isWhole(schema) : ""}
  ), added AS (
    INSERT INTO ${quoted(schema)}.history (environment, seq, head, entry)
      SELECT $1::text, one.seq, one.head, one.entry
        FROM fits, ${isStaged ? `${quoted(schema)}.staged AS one WHERE environment = $1::text` : given}
  ), stated AS (
    INSERT INTO ${quoted(schema)}.states (environment, lineage, address, serial, head, sum)
      SELECT $1::text, $5::text, $6::text, $7::bigint, $8::text, $9::text FROM fits
      ON CONFLICT (environment) DO UPDATE
        SET lineage = EXCLUDED.lineage, address = EXCLUDED.address, serial = EXCLUDED.serial,
            head = EXCLUDED.head, sum = EXCLUDED.sum${isStaged ? ", moved_to = NULL" : ""}
  ), ${tables.map((table, at) => rowsOf(schema, table, 10 + 4 * at)).join(", ")}
  ${isStaged ? `, ${cleared(schema, "fits")}` : ""}
  SELECT EXISTS (SELECT 1 FROM held) AS held, EXISTS (SELECT 1 FROM fits) AS fits`;

const given = "unnest($18::bigint[], $19::text[], $20::text[]) AS one (seq, head, entry)";

/** Whether the fill is sealed, and what is staged leads from the history to the head it is sealed with. */
const isWhole = (schema: string) => `
        AND EXISTS (SELECT 1 FROM ${quoted(schema)}.filling WHERE environment = $1::text AND head = $8::text)
        AND (SELECT count(*) FROM ${quoted(schema)}.staged WHERE environment = $1::text) = $7::bigint - $3::bigint
        AND $8::text = coalesce((SELECT head FROM ${quoted(schema)}.staged WHERE environment = $1::text AND seq = $7::bigint), $4::text)`;

/** The parts of a statement that end a fill. */
export const cleared = (schema: string, when: string) => `unstaged AS (
    DELETE FROM ${quoted(schema)}.staged USING ${when} WHERE environment = $1::text
  ), unmarked AS (
    DELETE FROM ${quoted(schema)}.filling USING ${when} WHERE environment = $1::text
  )`;

function rowsOf(schema: string, table: Table, from: number): string {
  const id = table === "menus" ? "key" : "id";
  return `${table}_gone AS (
    DELETE FROM ${quoted(schema)}.${table} USING fits WHERE environment = $1::text AND ${id} = ANY ($${from}::text[])
  ), ${table}_kept AS (
    INSERT INTO ${quoted(schema)}.${table} (environment, ${id}, placed, record)
      SELECT $1::text, one.id, one.placed, one.record
        FROM fits, unnest($${from + 1}::text[], $${from + 2}::bigint[], $${from + 3}::text[]) AS one (id, placed, record)
      ON CONFLICT (environment, ${id}) DO UPDATE SET placed = EXCLUDED.placed, record = EXCLUDED.record
  )`;
}
