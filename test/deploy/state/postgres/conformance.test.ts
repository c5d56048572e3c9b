import { freshSchema, postgres, storeAt } from "../../../support/postgres.ts";
import { storeConformance } from "../conformance.ts";

const server = postgres();

storeConformance("the PostgreSQL store", async () => {
  const schema = freshSchema();
  return { open: (environment) => storeAt(server().url(), schema, environment) };
});
