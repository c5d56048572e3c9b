import type { Linked } from "../chain.ts";
import type { Filling } from "../store.ts";
import { cleared } from "./append.ts";
import type { Connection } from "./connection.ts";
import type { Where } from "./load.ts";
import { held, quoted } from "./statement.ts";

/** Marks, staged entries and moves: each is one statement under the lock, and can be carried out again. */
type Deed = (schema: string) => { readonly sql: string; readonly values: readonly unknown[] };

/** False where the lock is lost: then nothing was done. */
export async function underLock(
  connection: Connection,
  { schema, environment }: Where,
  fence: string,
  deed: Deed,
): Promise<boolean> {
  const { sql, values } = deed(schema);
  const rows = await connection.run(`WITH ${held(schema)}, ${sql} SELECT 1 FROM held`, [
    environment,
    fence,
    ...values,
  ]);
  return rows.length > 0;
}

/** Sets the mark, and drops what is staged. */
export function beginFill(filling: Filling): Deed {
  return (schema) => ({
    sql: `unstaged AS (
        DELETE FROM ${quoted(schema)}.staged USING held WHERE environment = $1::text
      ), ${marked(schema)}`,
    values: valuesOf(filling),
  });
}

/** Replaces the mark. */
export function sealFill(filling: Filling): Deed {
  return (schema) => ({ sql: marked(schema), values: valuesOf(filling) });
}

const marked = (schema: string) => `marked AS (
        INSERT INTO ${quoted(schema)}.filling (environment, command, source, "by", since, head)
          SELECT $1::text, $3::text, $4::text, $5::text, $6::text, $7::text FROM held
          ON CONFLICT (environment) DO UPDATE
            SET command = EXCLUDED.command, source = EXCLUDED.source, "by" = EXCLUDED."by",
                since = EXCLUDED.since, head = EXCLUDED.head
      )`;

const valuesOf = ({ command, source, by, since, head }: Filling) => [
  command,
  source,
  by,
  since,
  head,
];

export function stageEntries(linked: readonly Linked[]): Deed {
  return (schema) => ({
    sql: `staged AS (
        INSERT INTO ${quoted(schema)}.staged (environment, seq, head, entry)
          SELECT $1::text, one.seq, one.head, one.entry
            FROM held, unnest($3::bigint[], $4::text[], $5::text[]) AS one (seq, head, entry)
          ON CONFLICT (environment, seq) DO UPDATE SET head = EXCLUDED.head, entry = EXCLUDED.entry
      )`,
    values: [
      linked.map(({ entry }) => entry.seq),
      linked.map(({ head }) => head),
      linked.map(({ text }) => text),
    ],
  });
}

export const dropFill: Deed = (schema) => ({ sql: cleared(schema, "held"), values: [] });

/** Says where the state goes on. */
export function moveTo(to: string): Deed {
  return (schema) => ({
    sql: `moved AS (
        UPDATE ${quoted(schema)}.states SET moved_to = $3::text FROM held WHERE environment = $1::text
      )`,
    values: [to],
  });
}
