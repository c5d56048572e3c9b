import { Database } from "../../src/deploy/state/postgres/database.ts";
import { TableLog } from "../../src/deploy/state/postgres/table-log.ts";
import { type Place, storeConformance } from "./conformance.ts";
import { logConformance } from "./log-conformance.ts";
import { freshSchema, postgres, settingsOf } from "../support/postgres.ts";

const server = postgres();

const place = async (): Promise<Place> => {
  const schema = freshSchema();
  const settings = settingsOf(server().url());
  return {
    log: (environment) =>
      new TableLog(new Database(import.meta.dirname, settings), schema, environment),
    async remove(environment, n) {
      server().sql(`ALTER TABLE ${schema}.blocks DISABLE TRIGGER only_added;
        DELETE FROM ${schema}.blocks WHERE state = '${environment}' AND number = ${n};
        ALTER TABLE ${schema}.blocks ENABLE TRIGGER only_added`);
    },
  };
};

logConformance("PostgreSQL", place);
storeConformance("a log in PostgreSQL", place);
