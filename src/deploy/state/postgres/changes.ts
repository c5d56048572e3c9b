import * as z from "zod/mini";
import type { Linked } from "../entries.ts";
import type { Filling } from "../store.ts";
import type { Connection } from "./connection.ts";
import type { SnapshotRow } from "./snapshot.ts";
import { type Where, held, quoted } from "./statement.ts";

/** Where a history ends. */
export interface End {
  readonly serial: number;
  readonly head: string;
}

/** `mismatch`: the history does not end at `after`, or not all entries are staged. */
type Added = "added" | "lock lost" | "mismatch";

const Answer = z.object({ held: z.boolean(), fits: z.boolean() });

/** Adds entries after the end of the history, and records the new end in `states`. */
export async function append(
  connection: Connection,
  { schema, environment }: Where,
  fence: string,
  after: End,
  linked: readonly Linked[],
): Promise<Added> {
  const last = linked.at(-1);
  const end = last === undefined ? after : { serial: last.entry.seq, head: last.head };
  const text = addition(schema, {
    from: "unnest($7::bigint[], $8::text[], $9::text[]) AS one (seq, head, entry)",
  });
  const values = [...valuesOf(environment, fence, after, end), ...columnsOf(linked)];
  return outcomeOf(await connection.rows(Answer, text, values));
}

/** Adds all staged entries, and removes the marks of filling and of moving. */
export async function openFill(
  connection: Connection,
  { schema, environment }: Where,
  fence: string,
  after: End,
  end: End,
): Promise<Added> {
  const staged = `${quoted(schema)}.staged`;
  const text = addition(schema, {
    from: `${staged} AS one WHERE environment = $1::text`,
    // The fill must be sealed, and the staged entries must continue the history up to the sealed head.
    condition: `
        AND EXISTS (SELECT 1 FROM ${quoted(schema)}.filling WHERE environment = $1::text AND head = $6::text)
        AND (SELECT count(*) FROM ${staged} WHERE environment = $1::text) = $5::bigint - $3::bigint
        AND $6::text = coalesce((SELECT head FROM ${staged} WHERE environment = $1::text AND seq = $5::bigint), $4::text)`,
    more: `, ${cleared(schema, "fits")}`,
    update: ", moved_to = NULL",
  });
  const values = valuesOf(environment, fence, after, end);
  return outcomeOf(await connection.rows(Answer, text, values, longest));
}

/** Milliseconds to add a whole history. */
const longest = 300_000;

interface Addition {
  readonly from: string;
  readonly condition?: string;
  readonly more?: string;
  readonly update?: string;
}

/** The statement that adds entries. It adds all or none, and does nothing without the lock. */
const addition = (schema: string, { from, condition = "", more = "", update = "" }: Addition) => `
  WITH ${held(schema)}, fits AS (
    SELECT 1 FROM held
      WHERE $4::text = coalesce((SELECT head FROM ${quoted(schema)}.history WHERE environment = $1::text AND seq = $3::bigint), '')
        AND NOT EXISTS (SELECT 1 FROM ${quoted(schema)}.history WHERE environment = $1::text AND seq > $3::bigint)
        ${condition}
  ), added AS (
    INSERT INTO ${quoted(schema)}.history (environment, seq, head, entry)
      SELECT $1::text, one.seq, one.head, one.entry FROM fits, ${from}
  ), ${stated(schema, "$5", "$6", update)}${more}
  SELECT EXISTS (SELECT 1 FROM held) AS held, EXISTS (SELECT 1 FROM fits) AS fits`;

const stated = (schema: string, serial: string, head: string, update = "") => `stated AS (
    INSERT INTO ${quoted(schema)}.states (environment, serial, head)
      SELECT $1::text, ${serial}::bigint, ${head}::text FROM fits
      ON CONFLICT (environment) DO UPDATE SET serial = EXCLUDED.serial, head = EXCLUDED.head${update}
  )`;

const valuesOf = (environment: string, fence: string, after: End, end: End) => [
  environment,
  fence,
  after.serial,
  after.head,
  end.serial,
  end.head,
];

const columnsOf = (linked: readonly Linked[]) => [
  linked.map(({ entry }) => entry.seq),
  linked.map(({ head }) => head),
  linked.map(({ text }) => text),
];

function outcomeOf([answer]: readonly z.infer<typeof Answer>[]): Added {
  if (answer?.held !== true) return "lock lost";
  return answer.fits ? "added" : "mismatch";
}

/** A statement that changes the tables under the lock. It can be repeated. */
type Operation = (schema: string) => { readonly sql: string; readonly values: readonly unknown[] };

/** Runs an operation under the lock. Returns false, and does nothing, if the lock is lost. */
export async function underLock(
  connection: Connection,
  { schema, environment }: Where,
  fence: string,
  operation: Operation,
): Promise<boolean> {
  const { sql, values } = operation(schema);
  const rows = await connection.run(`WITH ${held(schema)}, ${sql} SELECT 1 FROM held`, [
    environment,
    fence,
    ...values,
  ]);
  return rows.length > 0;
}

/**
 * Replaces the snapshot if the history has its last event. That event is also the last of the
 * history, so the statement writes the row in `states` again, in case someone edited it.
 */
export function saveSnapshot({ serial, head, sum, state }: SnapshotRow): Operation {
  return (schema) => ({
    sql: `fits AS (
        SELECT 1 FROM held, ${quoted(schema)}.history
          WHERE environment = $1::text AND seq = $3::bigint AND head = $4::text
      ), ${stated(schema, "$3", "$4")}, saved AS (
        INSERT INTO ${quoted(schema)}.snapshots (environment, serial, head, sum, state)
          SELECT $1::text, $3::bigint, $4::text, $5::text, $6::text FROM fits
          ON CONFLICT (environment) DO UPDATE
            SET serial = EXCLUDED.serial, head = EXCLUDED.head, sum = EXCLUDED.sum, state = EXCLUDED.state
      )`,
    values: [serial, head, sum, state],
  });
}

/** Sets the mark of a fill, and deletes the staged entries. */
export function beginFill(filling: Filling): Operation {
  return (schema) => ({
    sql: `unstaged AS (
        DELETE FROM ${quoted(schema)}.staged USING held WHERE environment = $1::text
      ), ${marked(schema)}`,
    values: markOf(filling),
  });
}

/** Replaces the mark of a fill. */
export function sealFill(filling: Filling): Operation {
  return (schema) => ({ sql: marked(schema), values: markOf(filling) });
}

const marked = (schema: string) => `marked AS (
        INSERT INTO ${quoted(schema)}.filling (environment, command, source, "by", since, head)
          SELECT $1::text, $3::text, $4::text, $5::text, $6::text, $7::text FROM held
          ON CONFLICT (environment) DO UPDATE
            SET command = EXCLUDED.command, source = EXCLUDED.source, "by" = EXCLUDED."by",
                since = EXCLUDED.since, head = EXCLUDED.head
      )`;

const markOf = ({ command, source, by, since, head }: Filling) => [
  command,
  source,
  by,
  since,
  head,
];

export function stageEntries(linked: readonly Linked[]): Operation {
  return (schema) => ({
    sql: `staged AS (
        INSERT INTO ${quoted(schema)}.staged (environment, seq, head, entry)
          SELECT $1::text, one.seq, one.head, one.entry
            FROM held, unnest($3::bigint[], $4::text[], $5::text[]) AS one (seq, head, entry)
          ON CONFLICT (environment, seq) DO UPDATE SET head = EXCLUDED.head, entry = EXCLUDED.entry
      )`,
    values: columnsOf(linked),
  });
}

export const dropFill: Operation = (schema) => ({ sql: cleared(schema, "held"), values: [] });

/** The parts of a statement that end a fill. */
const cleared = (schema: string, when: string) => `unstaged AS (
    DELETE FROM ${quoted(schema)}.staged USING ${when} WHERE environment = $1::text
  ), unmarked AS (
    DELETE FROM ${quoted(schema)}.filling USING ${when} WHERE environment = $1::text
  )`;

/** Records where the state was moved to. */
export function moveTo(to: string): Operation {
  return (schema) => ({
    sql: `moved AS (
        UPDATE ${quoted(schema)}.states SET moved_to = $3::text FROM held WHERE environment = $1::text
      )`,
    values: [to],
  });
}
