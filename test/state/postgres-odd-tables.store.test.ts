import { describe, expect, test } from "vitest";
import { stateVersion } from "../../src/schema/state.ts";
import { freshSchema, postgres, storeAt } from "../support/postgres.ts";
import { claim, locked, sessionOf } from "./conformance.ts";
import { begun, created, intent } from "./events.ts";

const server = postgres();

async function filled(name = freshSchema()) {
  const store = storeAt(server().url(), name);
  const session = await sessionOf(store);
  await session.append(begun("production"), intent("a"));
  await session.close();
  const sql = (text: string) => server().sql(text.replaceAll("SCHEMA", `"${name}"`));
  return { store, sql, schema: name };
}

test("several sessions that try at the same time create the tables once", async () => {
  const schema = freshSchema();
  await Promise.all(
    Array.from({ length: 12 }, async (_, at) => {
      const store = storeAt(server().url(), schema);
      await (await locked(store, `run-${at}`, { wait: 200_000 })).session.close();
    }),
  );
  expect(server().sql(`SELECT version FROM ${schema}.version`)).toBe(String(stateVersion));
});

describe("tables that ivrctl did not create, or that were changed", () => {
  test.each([
    ["text", "CREATE TABLE SCHEMA.version (version text); INSERT INTO SCHEMA.version VALUES ('1')"],
    ["another column", "CREATE TABLE SCHEMA.version (id serial)"],
    ["a view", "CREATE VIEW SCHEMA.version AS SELECT 1 AS version"],
  ])("refuses a foreign table `version`: %s", async (_, make) => {
    const schema = freshSchema();
    server().sql(`CREATE SCHEMA ${schema}; ${make.replaceAll("SCHEMA", schema)}`);
    const store = storeAt(server().url(), schema);
    const foreign = {
      code: "IVR604",
      message: expect.stringMatching(new RegExp(`schema ${schema} at .*did not create.*version`)),
      hint: expect.stringContaining("`schema: NAME`"),
    };
    await expect(store.read()).rejects.toMatchObject(foreign);
    await expect(store.lock(claim("run-1"))).rejects.toMatchObject(foreign);
  });

  test.each([
    ["has another type", "ALTER TABLE SCHEMA.version ALTER version TYPE text USING 'x'"],
    ["is empty", "DELETE FROM SCHEMA.version"],
    ["has two rows", "INSERT INTO SCHEMA.version VALUES (7)"],
    ["has an invalid version", "UPDATE SCHEMA.version SET version = 0"],
  ])("refuses a table `version` that %s", async (_, harm) => {
    const { store, sql } = await filled();
    sql(harm);
    await expect(store.read()).rejects.toMatchObject({ code: "IVR604" });
    await expect(store.lock(claim("run-2"))).rejects.toMatchObject({ code: "IVR604" });
  });

  test.each(["version", "blocks", "snapshots"])("reports that %s is missing", async (table) => {
    const { store, sql } = await filled();
    sql(`DROP TABLE SCHEMA.${table}`);
    const missing = {
      code: "IVR604",
      message: expect.stringMatching(`Missing tables: .*${table}`),
    };
    await expect(store.read()).rejects.toMatchObject(missing);
    await expect(store.lock(claim("run-2"))).rejects.toMatchObject(missing);
  });
});

test.each(["user", "order", "select", "a".repeat(63)])(
  "accepts the schema name %s",
  async (name) => {
    const { store, sql } = await filled(name);
    expect((await store.read()).state.serial).toBe(2);
    expect(await store.history()).toHaveLength(2);
    expect(sql("SELECT count(*) FROM SCHEMA.blocks")).toBe("3");
    const session = await sessionOf(store);
    expect(await store.unlock("run-1")).toMatchObject({ id: "run-1" });
    await expect(session.append(created("a"))).rejects.toMatchObject({ code: "IVR601" });
    await session.close();
  },
);
