import * as z from "zod/mini";
import { StateProblem } from "../store.ts";
import type { Connection } from "./connection.ts";

/** The version of the tables. A change of them adds to `steps`. */
export const tablesVersion = 1;

/**
 * What the tables are made with, version by version; all of it is also in
 * schema/state-postgres.sql, for a database where ivrctl may not make tables.
 */
export function definition(schema: string): string {
  return `-- The tables of ivrctl's state, version ${tablesVersion}.
CREATE SCHEMA IF NOT EXISTS ${schema};
${steps.map((step) => step(schema)).join("\n")}
INSERT INTO ${schema}.version VALUES (${tablesVersion});
`;
}

const steps: readonly ((schema: string) => string)[] = [
  (schema) => `
CREATE TABLE ${schema}.version (version integer NOT NULL);

-- Every event, as JSON on one line: the truth. A head sums up all entries to this one.
CREATE TABLE ${schema}.history (
  environment text NOT NULL,
  seq bigint NOT NULL CHECK (seq > 0),
  head text NOT NULL,
  entry text NOT NULL,
  recorded_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  PRIMARY KEY (environment, seq)
);

CREATE FUNCTION ${schema}.only_added() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'the history of ivrctl is only ever added to';
END $$;

CREATE TRIGGER only_added BEFORE UPDATE OR DELETE OR TRUNCATE ON ${schema}.history
  FOR EACH STATEMENT EXECUTE FUNCTION ${schema}.only_added();

-- The state that the history led to, made from it in the same transactions: a row per menu.
CREATE TABLE ${schema}.states (
  environment text PRIMARY KEY,
  lineage text NOT NULL,
  address text NOT NULL,
  serial bigint NOT NULL,
  head text NOT NULL,
  sum text NOT NULL,
  moved_to text
);

CREATE TABLE ${schema}.menus (
  environment text NOT NULL,
  key text NOT NULL,
  placed bigint NOT NULL,
  record text NOT NULL,
  PRIMARY KEY (environment, key)
);

CREATE TABLE ${schema}.follow_ups (
  environment text NOT NULL,
  id text NOT NULL,
  placed bigint NOT NULL,
  record text NOT NULL,
  PRIMARY KEY (environment, id)
);

-- Who may add to the history: whoever has the row's fence, which rises whenever the lock changes hands.
CREATE TABLE ${schema}.locks (
  environment text PRIMARY KEY,
  fence bigint NOT NULL,
  id text,
  "by" text,
  command text,
  since text,
  host text,
  pid integer
);
`,
];

const Version = z.object({ version: z.int() });

/** Undefined where there are no tables yet. */
export async function versionOf(
  connection: Connection,
  schema: string,
  address: string,
): Promise<number | undefined> {
  // Asked of the catalogue itself: `to_regclass` may answer from before another's commit.
  const there = await connection.run(
    `SELECT 1 FROM pg_class JOIN pg_namespace n ON n.oid = relnamespace
      WHERE nspname = $1 AND relname = 'version'`,
    [schema],
  );
  if (there.length === 0) return undefined;
  const [found] = await connection.rows(Version, `SELECT version FROM ${schema}.version`);
  if (found === undefined) return undefined;
  if (found.version <= tablesVersion) return found.version;
  throw new StateProblem(
    "IVR602",
    `The tables in the schema ${schema} of ${address} are of version ${found.version}; this ivrctl knows version ${tablesVersion}.`,
  );
}

const Encoding = z.object({ encoding: z.string(), there: z.boolean() });

/** Makes the tables where there are none. Of many who do so at once, one does it. */
export async function makeTables(
  connection: Connection,
  schema: string,
  address: string,
): Promise<void> {
  if ((await versionOf(connection, schema, address)) !== undefined) return;
  const [database] = await connection.rows(
    Encoding,
    `SELECT current_setting('server_encoding') AS encoding,
            EXISTS (SELECT 1 FROM pg_namespace WHERE nspname = $1) AS there`,
    [schema],
  );
  if (database?.encoding !== "UTF8") {
    throw new StateProblem(
      "IVR672",
      `The database at ${address} is encoded in ${database?.encoding}, and names can have any character.`,
      "Make another one: createdb --encoding=UTF8 --template=template0 NAME",
    );
  }
  await connection.run("BEGIN");
  try {
    await connection.run("SELECT pg_advisory_xact_lock(hashtextextended($1, 0))", [
      `ivrctl tables ${schema}`,
    ]);
    if ((await versionOf(connection, schema, address)) === undefined) {
      const all = definition(schema);
      // Who may not make schemas may still use one that was made for it.
      await connection.run(database.there ? all.replace(/^CREATE SCHEMA .*$/m, "") : all);
    }
    await connection.run("COMMIT");
  } catch (error) {
    await connection.run("ROLLBACK").catch(() => {});
    throw error;
  }
}
