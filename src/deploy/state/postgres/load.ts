import * as z from "zod/mini";
import type { Linked } from "../chain.ts";
import { State } from "../state.ts";
import { type Filling, StateProblem } from "../store.ts";
import { takeNext } from "../take-next.ts";
import type { Connection } from "./connection.ts";
import { Projection, type Row, stateOf } from "./projection.ts";
import { quoted } from "./statement.ts";

/** Which state in which tables. */
export interface Where {
  /** Its name; see `quoted`. */
  readonly schema: string;
  readonly environment: string;
  readonly address: string;
}

/** Why a state that is there may not be used. */
export interface Marks {
  /** Where the state goes on, if no more here. */
  readonly movedTo: string | null;
  readonly filling: Filling | null;
}

export interface Loaded extends Marks {
  readonly state: State;
  /** The rows that are there. */
  readonly rows: readonly Row[];
  /** Where the rows are not what the history led to: what they should be. */
  readonly mended: Projection | undefined;
}

const Text = z.nullable(z.string());
/** Numbers of PostgreSQL's larger kind come as text. */
const Count = z.pipe(
  z.string().check(z.regex(/^\d{1,15}$/)),
  z.transform((text: string) => Number(text)),
);

const Found = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("last"), id: z.string(), placed: Count }),
  z.object({
    kind: z.literal("state"),
    id: z.string(),
    placed: Count,
    record: z.string(),
    sum: z.string(),
    lineage: z.string(),
    address: z.string(),
    moved_to: Text,
  }),
  z.object({
    kind: z.enum(["menus", "follow_ups"]),
    id: z.string(),
    placed: Count,
    record: z.string(),
  }),
  z.object({ kind: z.literal("filling"), record: z.string() }),
]);

const FillingRow = z.object({
  command: z.string(),
  source: z.string(),
  by: z.string(),
  since: z.string(),
  head: Text,
});

/** In one statement, which sees one moment. Tables of version 1 have no mark of a fill. */
const everything = (schema: string, version: number) => `
  SELECT 'state' AS kind, environment AS id, serial AS placed, head AS record, sum, lineage, address, moved_to
    FROM ${quoted(schema)}.states WHERE environment = $1
  UNION ALL
  (SELECT 'last', head, seq, NULL, NULL, NULL, NULL, NULL
    FROM ${quoted(schema)}.history WHERE environment = $1 ORDER BY seq DESC LIMIT 1)
  UNION ALL
  SELECT 'menus', key, placed, record, NULL, NULL, NULL, NULL
    FROM ${quoted(schema)}.menus WHERE environment = $1
  UNION ALL
  SELECT 'follow_ups', id, placed, record, NULL, NULL, NULL, NULL
    FROM ${quoted(schema)}.follow_ups WHERE environment = $1
  ${version < 2 ? "" : `UNION ALL ${mark(schema)}`}`;

const mark = (schema: string) => `
  SELECT 'filling' AS kind, environment, 0, row_to_json(one)::text AS record, NULL, NULL, NULL, NULL
    FROM ${quoted(schema)}.filling AS one WHERE environment = $1`;

/**
 * The state as its rows tell it, which is quick; or, where they are not what the
 * last of the history led to, from the whole history.
 */
export async function load(connection: Connection, where: Where, version: number): Promise<Loaded> {
  const { schema, environment } = where;
  const found = await connection.rows(Found, everything(schema, version), [environment]);
  const summary = found.find((row) => row.kind === "state");
  const last = found.find((row) => row.kind === "last");
  const rows = found.flatMap((row): Row[] =>
    row.kind === "menus" || row.kind === "follow_ups"
      ? [{ table: row.kind, id: row.id, placed: row.placed, record: row.record }]
      : [],
  );
  const marks: Marks = {
    movedTo: summary?.moved_to ?? null,
    filling: fillingOf(found.find((row) => row.kind === "filling")?.record),
  };
  if (summary !== undefined) {
    const { placed: serial, record: head } = summary;
    if (last === undefined || last.placed < serial) {
      throw damaged(
        where,
        `ends at event ${last?.placed ?? 0}, and the table of states was made from ${serial} events of it`,
      );
    }
    if (last.placed === serial && last.id !== head) {
      throw damaged(where, `has another event ${serial} than the table of states was made from`);
    }
    const state =
      last.placed === serial ? stateOf(environment, { ...summary, serial, head }, rows) : undefined;
    if (state !== undefined) return { state, rows, mended: undefined, ...marks };
  }
  if (last === undefined && rows.length === 0) {
    return { state: new State(), rows, mended: undefined, ...marks };
  }
  const mended = new Projection(new State(), []);
  for (const linked of await loadHistory(connection, where)) mended.take(linked);
  return { state: mended.state.copy(), rows, mended, ...marks };
}

/** The mark of a fill that has not finished. */
export async function loadFilling(
  connection: Connection,
  { schema, environment }: Where,
  version: number,
): Promise<Filling | null> {
  if (version < 2) return null;
  const [row] = await connection.rows(z.object({ record: z.string() }), mark(schema), [
    environment,
  ]);
  return fillingOf(row?.record);
}

function fillingOf(record: string | undefined): Filling | null {
  return record === undefined ? null : FillingRow.parse(JSON.parse(record));
}

/** Where the history ends. */
export async function lastOf(
  connection: Connection,
  { schema, environment }: Where,
): Promise<{ readonly serial: number; readonly head: string }> {
  const [last] = await connection.rows(
    z.object({ serial: Count, head: z.string() }),
    `SELECT seq AS serial, head FROM ${quoted(schema)}.history
      WHERE environment = $1 ORDER BY seq DESC LIMIT 1`,
    [environment],
  );
  return last ?? { serial: 0, head: "" };
}

const Kept = z.object({ seq: Count, head: z.string(), entry: z.string() });

/** As many entries are asked for at once. */
const page = 2000;

/** Every entry, each verified against all before it. */
export function loadHistory(connection: Connection, where: Where): Promise<Linked[]> {
  return entriesAfter(connection, where, "history", new State());
}

/** The entries of a table that go on from this state, each verified against all before it; the state follows. */
export async function entriesAfter(
  connection: Connection,
  where: Where,
  table: "history" | "staged",
  state: State,
): Promise<Linked[]> {
  const { schema, environment, address } = where;
  const all: Linked[] = [];
  for (;;) {
    const kept = await connection.rows(
      Kept,
      `SELECT seq, head, entry FROM ${quoted(schema)}.${table}
        WHERE environment = $1 AND seq > $2 ORDER BY seq LIMIT ${page}`,
      [environment, state.serial],
    );
    for (const { seq, head, entry: text } of kept) {
      const place = `${schema}.${table} at ${address}, event ${seq}`;
      all.push(takeNext({ text, head }, state, place, (how) => damaged(where, how, table)));
    }
    if (kept.length < page) return all;
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
        "Restore the database from a backup; ivrctl itself only ever adds to that table.",
      )
    : new StateProblem("IVR675", what, "Run the command again: it copies everything again.");
}
