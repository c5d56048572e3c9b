import * as z from "zod/mini";
import { validate } from "../../../schema/validate.ts";
import { parseJson } from "../../../util/parse-json.ts";
import { type Linked } from "../entries.ts";
import { FillingSchema, type Marks } from "../marks.ts";
import { takeNext } from "../read-entry.ts";
import { State } from "../state.ts";
import { type Filling, StateProblem } from "../store.ts";
import type { End } from "./changes.ts";
import type { Connection } from "./connection.ts";
import { type SnapshotRow, openSnapshot } from "./snapshot.ts";
import { type Where, quoted } from "./statement.ts";

export interface Loaded extends Marks {
  readonly state: State;
  /** The serial of the snapshot that the state was read from. 0 if the whole history was read. */
  readonly snapshotSerial: number;
  /** Whether someone edited the rows in `states` or `snapshots`. Then they were not used. */
  readonly isEdited: boolean;
}

/** The driver returns a bigint as text. */
const Count = z.pipe(
  z.string().check(z.regex(/^\d{1,15}$/)),
  z.transform((text: string) => Number(text)),
);

const EndRow = z.object({ serial: Count, head: z.string() });

const Found = z.object({
  stated: z.nullable(Count),
  stated_head: z.nullable(z.string()),
  moved_to: z.nullable(z.string()),
  last: z.nullable(Count),
  last_head: z.nullable(z.string()),
  snapshot_serial: z.nullable(Count),
  snapshot_head: z.nullable(z.string()),
  sum: z.nullable(z.string()),
  state: z.nullable(z.string()),
  /** The head of the history at the snapshot's event. */
  head_there: z.nullable(z.string()),
  filling: z.nullable(z.string()),
});

/**
 * The query for everything that a reader needs. It is a single statement, so all its rows are
 * from the same time.
 */
const everything = (schema: string) => `
  SELECT stated.serial AS stated, stated.head AS stated_head, stated.moved_to,
         last.seq AS last, last.head AS last_head,
         snapshot.serial AS snapshot_serial, snapshot.head AS snapshot_head, snapshot.sum, snapshot.state,
         there.head AS head_there, (${mark(schema)}) AS filling
    FROM (SELECT 1) AS one
    LEFT JOIN ${quoted(schema)}.states AS stated ON stated.environment = $1
    LEFT JOIN (
      SELECT seq, head FROM ${quoted(schema)}.history WHERE environment = $1 ORDER BY seq DESC LIMIT 1
    ) AS last ON true
    LEFT JOIN ${quoted(schema)}.snapshots AS snapshot ON snapshot.environment = $1
    LEFT JOIN ${quoted(schema)}.history AS there ON there.environment = $1 AND there.seq = snapshot.serial`;

const mark = (schema: string) =>
  `SELECT row_to_json(one)::text AS filling FROM ${quoted(schema)}.filling AS one WHERE environment = $1`;

/** Reads the snapshot and the history after it. Reads the whole history if the snapshot does not match it. */
export async function load(connection: Connection, where: Where): Promise<Loaded> {
  const { schema, environment } = where;
  const [row] = await connection.rows(Found, everything(schema), [environment]);
  if (row === undefined) throw new Error("A SELECT without a condition returned no row.");
  const last = endOf(row.last, row.last_head);
  const stated = endOf(row.stated, row.stated_head);
  const snapshot = snapshotIn(row);
  const opened = snapshot && openSnapshot(snapshot, where);
  refuseShorter(where, last, "states", stated);
  refuseShorter(where, last, "snapshots", opened);
  if (stated?.serial === last?.serial && stated?.head !== last?.head) {
    throw damaged(where, `differs from the table states at event ${stated?.serial}`);
  }
  const fits = snapshot === undefined || (opened !== undefined && row.head_there === opened.head);
  const isEdited = !fits || last?.serial !== stated?.serial;
  const state = isEdited ? new State() : (opened ?? new State());
  const snapshotSerial = state.serial;
  if (last !== undefined && last.serial > snapshotSerial) {
    await entriesAfter(connection, where, "history", state);
  }
  return {
    state,
    snapshotSerial,
    isEdited,
    movedTo: row.moved_to,
    filling: fillingOf(row.filling, where),
  };
}

function endOf(serial: number | null, head: string | null): End | undefined {
  return serial === null || head === null ? undefined : { serial, head };
}

function snapshotIn(row: z.infer<typeof Found>): SnapshotRow | undefined {
  const end = endOf(row.snapshot_serial, row.snapshot_head);
  const { sum, state } = row;
  return end === undefined || sum === null || state === null ? undefined : { ...end, sum, state };
}

/** Refuses a history that ends before the event in another table. That table is written after the event. */
function refuseShorter(
  where: Where,
  last: End | undefined,
  table: string,
  knownEnd: Pick<End, "serial"> | undefined,
): void {
  const [end, expected] = [last?.serial ?? 0, knownEnd?.serial ?? 0];
  if (end >= expected) return;
  throw damaged(where, `ends at event ${end}, but the table ${table} is at event ${expected}`);
}

/** Reads the mark of an unfinished fill. */
export async function loadFilling(connection: Connection, where: Where): Promise<Filling | null> {
  const { schema, environment } = where;
  const [row] = await connection.rows(z.object({ filling: z.string() }), mark(schema), [
    environment,
  ]);
  return fillingOf(row?.filling ?? null, where);
}

function fillingOf(text: string | null, { schema, address }: Where): Filling | null {
  if (text === null) return null;
  const found = validate(FillingSchema, parseJson(text));
  if (found.success) return found.data;
  throw new StateProblem(
    "IVR603",
    `The row of ${schema}.filling at ${address} is invalid: ${found.problem}.`,
    "Restore the table from a backup.",
  );
}

/** Reads where the history ends. */
export async function lastOf(connection: Connection, { schema, environment }: Where): Promise<End> {
  const [last] = await connection.rows(
    EndRow,
    `SELECT seq AS serial, head FROM ${quoted(schema)}.history
      WHERE environment = $1 ORDER BY seq DESC LIMIT 1`,
    [environment],
  );
  return last ?? { serial: 0, head: "" };
}

const EntryRow = z.object({ seq: Count, head: z.string(), entry: z.string() });

/** How many entries one statement asks for. */
const page = 2000;

/** Reads the entries of a table that follow `state`, verifies each, and applies them to `state`. */
export async function entriesAfter(
  connection: Connection,
  where: Where,
  table: "history" | "staged",
  state: State,
): Promise<Linked[]> {
  const { schema, environment, address } = where;
  const all: Linked[] = [];
  for (;;) {
    const rows = await connection.rows(
      EntryRow,
      `SELECT seq, head, entry FROM ${quoted(schema)}.${table}
        WHERE environment = $1 AND seq > $2 ORDER BY seq LIMIT ${page}`,
      [environment, state.serial],
    );
    for (const { seq, head, entry: text } of rows) {
      const place = `${schema}.${table} at ${address}, event ${seq}`;
      all.push(takeNext({ text, head }, state, place, (how) => damaged(where, how, table)));
    }
    if (rows.length < page) return all;
  }
}

function damaged(
  { schema, environment, address }: Where,
  how: string,
  table: "history" | "staged" = "history",
): StateProblem {
  const what = `The history of ${environment} in ${schema}.${table} at ${address} ${how}.`;
  return table === "history"
    ? new StateProblem(
        "IVR603",
        what,
        "Restore the database from a backup. ivrctl only adds rows to this table.",
      )
    : new StateProblem("IVR675", what, "Run the command again: it copies everything again.");
}
