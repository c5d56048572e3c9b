import { readFileSync } from "node:fs";
import { join } from "node:path";
import * as z from "zod/mini";
import { standardSchema } from "../../../project/state-settings.ts";
import { packageRoot } from "../../../util/package-root.ts";
import { StateProblem } from "../store.ts";
import type { Connection } from "./connection.ts";
import { type Where, quoted, settings } from "./statement.ts";

/** The version of the tables. A change to schema/state-postgres.sql in a later release raises it. */
export const tablesVersion = 2;

/**
 * Returns the SQL that creates the tables, or upgrades tables of an older version. It can be
 * run again: each statement does nothing if its part exists. A person can run the same file, for
 * a database where ivrctl may not create tables. `schema` is the quoted name.
 *
 * An older ivrctl may be running, for example for another environment, and must be able to
 * record its outcomes. So the upgrade removes columns and tables of version 1 only if no
 * lock is held.
 */
export function definition(schema: string): string {
  const file = join(packageRoot(), "schema/state-postgres.sql");
  return readFileSync(file, "utf8").replaceAll(/\bivrctl(?=\.\w|;)/g, () => schema);
}

const sinceVersion1 = ["version", "history", "states", "locks"];
const sinceVersion2 = ["snapshots", "filling", "staged"];

const Version = z.object({ version: z.int().check(z.gte(1)) });

/** Returns the version of the tables. Undefined if there are no tables yet. */
export async function versionOf(connection: Connection, where: Where): Promise<number | undefined> {
  const { schema, address } = where;
  const there = await tablesIn(connection, schema);
  if (there.size === 0) return undefined;
  refuseIncomplete(where, there, sinceVersion1);
  const rows = await connection.rows(
    z.object({ row: z.string() }),
    `SELECT row_to_json(one)::text AS row FROM ${quoted(schema)}.version AS one LIMIT 2`,
  );
  const [first] = rows;
  if (first === undefined) {
    const version = sinceVersion2.every((name) => there.has(name)) ? tablesVersion : 1;
    throw new StateProblem(
      "IVR603",
      `The table ${schema}.version at ${address} is empty. It must have one row with the version of the tables.`,
      `Restore the table from a backup. If nothing else was changed, run: INSERT INTO ${quoted(schema)}.version VALUES (${version});`,
    );
  }
  const found = Version.safeParse(JSON.parse(first.row));
  if (rows.length > 1 || !found.success) throw foreign(where, ["version"], []);
  const { version } = found.data;
  if (version === tablesVersion && sinceVersion2.some((name) => !there.has(name))) {
    // Another run may have upgraded the tables since they were listed.
    refuseIncomplete(where, await tablesIn(connection, schema), sinceVersion2);
  }
  if (version <= tablesVersion) return version;
  throw new StateProblem(
    "IVR602",
    `The tables in the schema ${schema} at ${address} have version ${version}, but this ivrctl supports only version ${tablesVersion}.`,
    "Upgrade ivrctl to the version that the other runs use: see docs/install.md.",
  );
}

/** Returns the names of ivrctl's tables that exist. */
async function tablesIn(connection: Connection, schema: string): Promise<ReadonlySet<string>> {
  // `to_regclass` can miss tables that another session has just committed, so query the catalog.
  const tables = await connection.rows(
    z.object({ name: z.string() }),
    `SELECT relname AS name FROM pg_class JOIN pg_namespace n ON n.oid = relnamespace
      WHERE nspname = $1 AND relname = ANY ($2::text[])`,
    [schema, [...sinceVersion1, ...sinceVersion2]],
  );
  return new Set(tables.map(({ name }) => name));
}

function refuseIncomplete(
  where: Where,
  there: ReadonlySet<string>,
  required: readonly string[],
): void {
  const missing = required.filter((name) => !there.has(name));
  if (missing.length > 0) throw foreign(where, [...there], missing);
}

const Rights = z.object({ encoding: z.string(), there: z.boolean(), upgrades: z.boolean() });

/** Creates or upgrades the tables. If several runs try at the same time, one of them does it. */
export async function makeTables(connection: Connection, where: Where): Promise<void> {
  const before = await versionOf(connection, where);
  if (before === tablesVersion) return;
  const { schema, address } = where;
  const [database] = await connection.rows(
    Rights,
    `SELECT current_setting('server_encoding') AS encoding,
            EXISTS (SELECT 1 FROM pg_namespace WHERE nspname = $1) AS there,
            coalesce((SELECT pg_has_role(relowner, 'USAGE') AND has_schema_privilege(n.oid, 'CREATE')
              FROM pg_class JOIN pg_namespace n ON n.oid = relnamespace
              WHERE nspname = $1 AND relname = 'version'), false) AS upgrades`,
    [schema],
  );
  if (database?.encoding !== "UTF8") {
    throw new StateProblem(
      "IVR672",
      `The database at ${address} has the encoding ${database?.encoding}. The state needs UTF8, because names can have any character.`,
      "Create another database: createdb --encoding=UTF8 --template=template0 NAME",
    );
  }
  if (before !== undefined && !database.upgrades) throw notUpgraded(where, before);
  await connection.run(
    `BEGIN; SELECT ${settings}, set_config('idle_in_transaction_session_timeout', '60s', true)`,
  );
  try {
    await connection.run("SELECT pg_advisory_xact_lock(hashtextextended($1, 0))", [
      `ivrctl tables ${schema}`,
    ]);
    if ((await versionOf(connection, where)) !== tablesVersion) {
      const all = definition(quoted(schema));
      // A role that may not create schemas can still use one that was created for it.
      await connection.run(database.there ? all.replace(/^CREATE SCHEMA .*$/m, "") : all);
    }
    await connection.run("COMMIT");
  } catch (error) {
    await connection.run("ROLLBACK").catch(() => {});
    throw error;
  }
}

function foreign(
  { schema, address }: Where,
  there: readonly string[],
  missing: readonly string[],
): StateProblem {
  const lacks = missing.length === 0 ? "" : ` Missing tables: ${listed(missing)}.`;
  return new StateProblem(
    "IVR672",
    `The schema ${schema} at ${address} has tables that ivrctl did not create: ${listed(there)}.${lacks}`,
    "Choose another schema for the state: `schema: NAME` next to `url:` in ivrctl.yaml (--schema NAME for `state migrate`). If tables were dropped, restore them from a backup.",
  );
}

function notUpgraded({ schema, address }: Where, version: number): StateProblem {
  const other = schema === standardSchema ? "" : ` Replace ivrctl by ${schema} in that file first.`;
  return new StateProblem(
    "IVR672",
    `The tables in the schema ${schema} at ${address} have version ${version}. ivrctl needs version ${tablesVersion} to change the state, but this user is not allowed to upgrade the tables.`,
    `Ask the owner of the tables to upgrade them, and then to grant the privileges in docs/state.md again.${other} To upgrade, run: psql --dbname=${address} --file=node_modules/ivrctl/schema/state-postgres.sql`,
  );
}

const listed = (names: readonly string[]) => names.join(", ");
