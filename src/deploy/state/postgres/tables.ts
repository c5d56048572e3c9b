import { readFileSync } from "node:fs";
import { join } from "node:path";
import * as z from "zod/mini";
import { packageRoot } from "../../../util/disk.ts";
import { Format } from "../../../schema/since.ts";
import { refuseFormat } from "../entries.ts";
import { StateProblem } from "../lock.ts";
import type { Database } from "./database.ts";

/** Returns the name of a schema in quotes, because `order` and `user` are SQL keywords. */
export const quotedName = (schema: string) => `"${schema}"`;

/**
 * Settings for one transaction: it is durable even if `synchronous_commit` is off in the
 * database, and it does not wait forever for a lock. Settings of the session do not work
 * behind a pooler, which can give each transaction a different connection.
 */
const settings = `set_config('lock_timeout', '10s', true),
    CASE current_setting('synchronous_commit')
      WHEN 'off' THEN set_config('synchronous_commit', 'on', true) END`;

/**
 * The first part of a statement that changes something. The rest of the statement must read
 * from `durable`, because PostgreSQL skips a part that nothing reads.
 */
export const durable = `durable AS (SELECT ${settings})`;

/**
 * Returns the SQL that creates the tables. A person can run the same file, for a database where
 * ivrctl may not create tables. `schema` is the quoted name.
 */
export function definition(schema: string): string {
  const file = join(packageRoot(), "schema/state-postgres.sql");
  return readFileSync(file, "utf8").replaceAll(/\bivrctl(?=\.\w|;)/g, () => schema);
}

const tableNames = ["version", "blocks", "snapshots"];

/** Whether the tables exist. Refuses tables of another version or of another program. */
export async function hasTables(database: Database, schema: string): Promise<boolean> {
  // `to_regclass` can miss tables that another session has just committed, so query the catalog.
  const tables = await database.rows(
    z.object({ name: z.string() }),
    `SELECT relname AS name FROM pg_class JOIN pg_namespace n ON n.oid = relnamespace
      WHERE nspname = $1 AND relname = ANY ($2::text[])`,
    [schema, tableNames],
  );
  const there = tables.map(({ name }) => name);
  if (there.length === 0) return false;
  if (there.length < tableNames.length) throw foreign(database, schema, there);
  const sql = `SELECT row_to_json(one)::text AS row FROM ${quotedName(schema)}.version AS one LIMIT 2`;
  const [row, ...more] = await database.rows(z.object({ row: z.string() }), sql);
  const format = row && Format.safeParse(JSON.parse(row.row)).data;
  if (format === undefined || more.length > 0) throw foreign(database, schema, there);
  refuseFormat(format, `The schema ${schema} at ${database.address}`);
  return true;
}

const Setup = z.object({ encoding: z.string(), there: z.boolean() });

/** Creates the tables. If several runs try at the same time, one of them does it. */
export async function makeTables(database: Database, schema: string): Promise<void> {
  const [setup] = await database.rows(
    Setup,
    `SELECT current_setting('server_encoding') AS encoding,
            EXISTS (SELECT 1 FROM pg_namespace WHERE nspname = $1) AS there`,
    [schema],
  );
  if (setup?.encoding !== "UTF8") {
    throw new StateProblem(
      "IVR604",
      `The database at ${database.address} has the encoding ${setup?.encoding}. The state needs UTF8, because names can have any character.`,
      {
        words: "Create a new database:",
        command: "createdb --encoding=UTF8 --template=template0 NAME",
      },
    );
  }
  const all = definition(quotedName(schema));
  // The server runs these statements as one transaction. They create only what is not there.
  await database.run(
    `SELECT ${settings};
     SELECT pg_advisory_xact_lock(hashtextextended('ivrctl tables ${schema}', 0));
     ${
       // A role that may not create schemas can still use one that was created for it.
       setup.there ? all.replace(/^CREATE SCHEMA .*$/m, "") : all
     }`,
  );
}

function foreign({ address }: Database, schema: string, there: readonly string[]): StateProblem {
  const missing = tableNames.filter((name) => !there.includes(name));
  const lacks = missing.length === 0 ? "" : ` Missing tables: ${missing.join(", ")}.`;
  return new StateProblem(
    "IVR604",
    `The schema ${schema} at ${address} has tables that ivrctl did not create, or that were changed: ${there.join(", ")}.${lacks}`,
    "Choose a different schema for the state: `schema: NAME` next to `url:` in ivrctl.yaml. If the tables of the state were changed, restore them from a backup.",
  );
}
