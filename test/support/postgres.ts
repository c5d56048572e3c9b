import { type Postgres, type PostgresOptions, startPostgres } from "../../scripts/postgres.mjs";
import { Database } from "../../src/deploy/state/postgres/database.ts";
import { TableLog } from "../../src/deploy/state/postgres/table-log.ts";
import { openStore } from "./memory-log.ts";
import { sharedServer } from "./needs.ts";
import { databaseSettings } from "../../src/deploy/state/postgres/database-settings.ts";

/** Starts a server for all tests of a file. `prepare` sets it up. */
export function postgres(
  options: () => PostgresOptions = () => ({}),
  prepare: (server: Postgres) => void = () => {},
): () => Postgres {
  return sharedServer(["PostgreSQL"], async () => {
    const server = await startPostgres(options());
    prepare(server);
    return server;
  });
}

let schemas = 0;

/** Returns an unused schema name. */
export function freshSchema(): string {
  schemas += 1;
  return `s${process.pid}_${schemas}`;
}

export const settingsOf = (url: string) => databaseSettings(url, {});

export function storeAt(
  url: string,
  schema: string,
  environment = "production",
  variables: Readonly<Record<string, string>> = {},
  maxWait = 30_000,
  id?: string,
) {
  const database = new Database(import.meta.dirname, databaseSettings(url, variables));
  return openStore(new TableLog(database, schema, environment, id), { environment, maxWait });
}
