import { setTimeout as sleep } from "node:timers/promises";
import { Cable } from "../../support/cable.ts";
import { freshSchema, postgres, settingsOf, storeAt } from "../../support/postgres.ts";
import { PostgresStore } from "../../../src/deploy/state/postgres/store.ts";
import { fillingConformance } from "../../deploy/state/conformance-filling.ts";
import { sessionOf, storeConformance } from "../../deploy/state/conformance.ts";
import { testHost } from "../../support/host.ts";

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
      const from = { root: import.meta.dirname, host: testHost(), settings, schema, maxWait: 0 };
      const session = await sessionOf(new PostgresStore(from, environment), id);
      await cable.unplug();
      // The server needs some time to notice that the connection has ended.
      while ((await open(environment).holder()) !== null) await sleep(20);
      await session.close();
    },
  };
};

storeConformance("the PostgreSQL store", place);
fillingConformance("the PostgreSQL store", place);
