import { Cable } from "../../support/cable.ts";
import { freshSchema, postgres, settingsOf, storeAt } from "../../support/postgres.ts";
import { PostgresStore } from "../../../src/deploy/state/postgres/store.ts";
import { fillingConformance } from "../../deploy/state/conformance-filling.ts";
import { sessionOf, storeConformance } from "../../deploy/state/conformance.ts";

const server = postgres();

const place = async () => {
  const schema = freshSchema();
  const open = (environment: string) => storeAt(server().url(), schema, environment);
  return {
    open,
    leaveDeadLock: async (environment: string, id: string) => {
      const cable = new Cable(server().port);
      await cable.plugIn();
      const settings = settingsOf(`postgresql://postgres@127.0.0.1:${cable.port}/postgres`);
      const from = { root: import.meta.dirname, settings, schema, maxWait: 0 };
      const session = await sessionOf(new PostgresStore(from, environment), id);
      await cable.unplug();
      for (let looks = 0; (await open(environment).holder()) !== null; looks += 1) {
        if (looks === 500) throw new Error("The server still knows the connection.");
      }
      await session.close();
    },
  };
};

storeConformance("the PostgreSQL store", place);
fillingConformance("the PostgreSQL store", place);
