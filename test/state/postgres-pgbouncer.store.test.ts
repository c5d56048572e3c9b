import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import { Database } from "../../src/deploy/state/postgres/database.ts";
import { pgbouncer } from "../support/pgbouncer.ts";
import { freshSchema, postgres, settingsOf, storeAt } from "../support/postgres.ts";
import { sessionOf } from "./conformance.ts";
import { begun, created, intent } from "./events.ts";

// An asynchronous commit is written after 10 seconds, long after the crash.
const server = postgres(() => ({
  settings: { synchronous_commit: "off", wal_writer_delay: "10s" },
}));
const pooled = pgbouncer(server);

/** Crashes the server, and waits until the pooler has noticed that it is back. */
async function crash() {
  server().stop("immediate");
  server().start();
  const isBack = () =>
    storeAt(pooled(), "nothing")
      .read()
      .then(
        () => true,
        () => false,
      );
  while (!(await isBack())) await sleep(100);
}

describe("PgBouncer in transaction mode, synchronous_commit = off", () => {
  const place = async () => {
    const schema = freshSchema();
    const store = storeAt(pooled(), schema);
    const session = await sessionOf(store, "run-0");
    await session.append(begun("production"), intent("a"));
    await session.close();
    return { store, direct: storeAt(server().url(), schema) };
  };

  test("keeps every acknowledged event in a crash", async () => {
    const { store, direct } = await place();
    const session = await sessionOf(store);
    await session.append(created("a"));
    await crash();
    expect((await direct.read()).state.serial).toBe(3);
    await session.append(intent("b"), created("b", 4));
    await crash();
    expect((await direct.history()).map(({ entry }) => entry.event)).toEqual([
      begun("production"),
      intent("a"),
      created("a"),
      intent("b"),
      created("b", 4),
    ]);
    await session.close();
  });

  test("leaves no settings for other clients of the pool", async () => {
    await place();
    const database = new Database(import.meta.dirname, settingsOf(pooled()));
    for (let looks = 0; looks < 8; looks += 1) {
      const found = await database.run(
        "SELECT current_setting('synchronous_commit') AS commit, current_setting('lock_timeout') AS wait",
      );
      expect(found).toEqual([{ commit: "off", wait: "0" }]);
    }
    await database.close();
  });
});
