import * as z from "zod/mini";
import type { Linked } from "../chain.ts";
import { State } from "../state.ts";
import { StateProblem } from "../store.ts";
import { takeNext } from "../take-next.ts";
import type { Connection } from "./connection.ts";
import { Projection, type Row, stateOf } from "./projection.ts";

/** Which state in which tables. */
export interface Where {
  readonly schema: string;
  readonly environment: string;
  readonly address: string;
}

export interface Loaded {
  readonly state: State;
  /** The rows that are there. */
  readonly rows: readonly Row[];
  /** Where the rows are not what the history led to: what they should be. */
  readonly mended: Projection | undefined;
  /** Where the state goes on, if no more here. */
  readonly movedTo: string | null;
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
]);

/** In one statement, which sees one moment. */
const everything = (schema: string) => `
  SELECT 'state' AS kind, environment AS id, serial AS placed, head AS record, sum, lineage, address, moved_to
    FROM ${schema}.states WHERE environment = $1
  UNION ALL
  (SELECT 'last', head, seq, NULL, NULL, NULL, NULL, NULL
    FROM ${schema}.history WHERE environment = $1 ORDER BY seq DESC LIMIT 1)
  UNION ALL
  SELECT 'menus', key, placed, record, NULL, NULL, NULL, NULL
    FROM ${schema}.menus WHERE environment = $1
  UNION ALL
  SELECT 'follow_ups', id, placed, record, NULL, NULL, NULL, NULL
    FROM ${schema}.follow_ups WHERE environment = $1`;

/**
 * The state as its rows tell it, which is quick; or, where they are not what the
 * last of the history led to, from the whole history.
 */
export async function load(connection: Connection, where: Where): Promise<Loaded> {
  const { schema, environment } = where;
  const found = await connection.rows(Found, everything(schema), [environment]);
  const summary = found.find((row) => row.kind === "state");
  const last = found.find((row) => row.kind === "last");
  const rows = found.flatMap((row): Row[] =>
    row.kind === "menus" || row.kind === "follow_ups"
      ? [{ table: row.kind, id: row.id, placed: row.placed, record: row.record }]
      : [],
  );
  const movedTo = summary?.moved_to ?? null;
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
    if (state !== undefined) return { state, rows, mended: undefined, movedTo };
  }
  if (last === undefined && rows.length === 0) {
    return { state: new State(), rows, mended: undefined, movedTo };
  }
  const mended = new Projection(new State(), []);
  for (const linked of await loadHistory(connection, where)) mended.take(linked);
  return { state: mended.state.copy(), rows, mended, movedTo };
}

/** Where the history ends. */
export async function lastOf(
  connection: Connection,
  { schema, environment }: Where,
): Promise<{ readonly serial: number; readonly head: string }> {
  const [last] = await connection.rows(
    z.object({ serial: Count, head: z.string() }),
    `SELECT seq AS serial, head FROM ${schema}.history
      WHERE environment = $1 ORDER BY seq DESC LIMIT 1`,
    [environment],
  );
  return last ?? { serial: 0, head: "" };
}

const Kept = z.object({ seq: Count, head: z.string(), entry: z.string() });

/** As many entries are asked for at once. */
const page = 2000;

/** Every entry, each verified against all before it. */
export async function loadHistory(connection: Connection, where: Where): Promise<Linked[]> {
  const state = new State();
  const all: Linked[] = [];
  for (;;) {
    const kept = await connection.rows(
      Kept,
      `SELECT seq, head, entry FROM ${where.schema}.history
        WHERE environment = $1 AND seq > $2 ORDER BY seq LIMIT ${page}`,
      [where.environment, all.length],
    );
    for (const { seq, head, entry: text } of kept) {
      const place = `${where.schema}.history at ${where.address}, event ${seq}`;
      all.push(takeNext({ text, head }, state, place, (how) => damaged(where, how)));
    }
    if (kept.length < page) return all;
  }
}

function damaged({ schema, environment, address }: Where, how: string): StateProblem {
  return new StateProblem(
    "IVR603",
    `The history of ${environment} in ${schema}.history at ${address} ${how}.`,
    "Restore the database from a backup; ivrctl itself only ever adds to that table.",
  );
}
