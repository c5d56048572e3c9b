import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { Database } from "../../src/deploy/state/postgres/database.ts";
import { definition, durable } from "../../src/deploy/state/postgres/tables.ts";
import { freshSchema, postgres, settingsOf, storeAt } from "../support/postgres.ts";
import { claim, locked, sessionOf } from "./conformance.ts";
import { begun, created, intent, replaced, unknown } from "./events.ts";

const server = postgres();

/** A state with a menu, an unknown outcome and a follow-up. */
async function filled(schema = freshSchema()) {
  const store = storeAt(server().url(), schema);
  const session = await sessionOf(store);
  await session.append(begun("production"), intent("a"), created("a"), intent("a", "replace"));
  await session.append(replaced("a", 4), intent("b"), unknown("b", 6));
  await session.close();
  const sql = (text: string) => server().sql(text.replaceAll("SCHEMA", `"${schema}"`));
  return { schema, store, sql, state: session.state };
}

test("the definition of another schema differs only in its name", () => {
  const file = join(import.meta.dirname, "../../schema/state-postgres.sql");
  const text = readFileSync(file, "utf8");
  const other = definition('"other"');
  expect(other.replaceAll('"other"', "ivrctl")).toBe(text);
  expect(other).not.toMatch(/\bivrctl\.\w/);
  expect(text).toContain(`INSERT INTO ivrctl.version SELECT 8 WHERE`);
});

describe("the tables", () => {
  test("are created by the first session, not by reading", async () => {
    const schema = freshSchema();
    const store = storeAt(server().url(), schema);
    await store.read();
    await store.history();
    expect(await store.unlock("x")).toBeNull();
    const count = `SELECT count(*) FROM pg_namespace WHERE nspname = '${schema}'`;
    expect(server().sql(count)).toBe("0");
    await (await sessionOf(store)).close();
    expect(server().sql(count)).toBe("1");
  });

  test.each([7, 10])("of format %i are refused and not changed", async (version) => {
    const { store, sql } = await filled();
    sql(`UPDATE SCHEMA.version SET version = ${version}`);
    const message = expect.stringContaining(`has format ${version}`);
    const other = { code: "IVR602", message };
    await expect(store.read()).rejects.toMatchObject(other);
    await expect(store.history()).rejects.toMatchObject(other);
    await expect(store.lock(claim("run-2"))).rejects.toMatchObject(other);
    await expect(store.unlock("run-2")).rejects.toMatchObject(other);
    expect(sql("SELECT max(number) FROM SCHEMA.blocks")).toBe("4");
  });

  test("are not created in a database without UTF-8", async () => {
    const name = freshSchema();
    server().sql(`CREATE DATABASE ${name} ENCODING 'LATIN1' LOCALE 'C' TEMPLATE template0`);
    const store = storeAt(server().url("postgres", name), "ivrctl");
    await expect(store.lock(claim("run-1"))).rejects.toMatchObject({
      code: "IVR604",
      message: expect.stringContaining("LATIN1"),
    });
  });

  test("refuse to change or delete blocks", async () => {
    const { sql } = await filled();
    for (const deed of [
      "UPDATE SCHEMA.blocks SET content = ''",
      "DELETE FROM SCHEMA.blocks WHERE number = 4",
      "TRUNCATE SCHEMA.blocks",
    ]) {
      expect(() => sql(deed)).toThrow("cannot be changed or deleted");
    }
  });

  test("have the state as JSON that a person can query", async () => {
    const { sql } = await filled();
    const state = "split_part(content, E'\\n', 1)::json -> 'state'";
    const each = (kind: string) =>
      `FROM SCHEMA.snapshots, json_array_elements(${state} -> 'records') AS one WHERE one ->> 'kind' = '${kind}'`;
    expect(
      sql(`SELECT one ->> 'key' AS key, one #>> '{current,menu,name}' ${each("menu")} ORDER BY 1`),
    ).toBe("a|a\nb|");
    expect(sql(`SELECT one ->> 'id', one ->> 'reason' ${each("old")}`)).toBe("F1|replaced");
  });
});

test("acknowledged events are on disk, even if synchronous_commit is off in the database", async () => {
  const name = freshSchema();
  server().sql(`CREATE DATABASE ${name}`);
  const used = "SELECT current_setting('synchronous_commit') AS used";
  for (const [set, within] of [
    ["off", "on"],
    ["local", "local"],
    ["remote_apply", "remote_apply"],
  ]) {
    server().sql(`ALTER DATABASE ${name} SET synchronous_commit = ${set}`);
    const settings = settingsOf(server().url("postgres", name));
    const database = new Database(import.meta.dirname, settings);
    expect(await database.run(`WITH ${durable} ${used} FROM durable`)).toEqual([{ used: within }]);
    // Only for that statement: the next one may belong to another client.
    expect(await database.run(used)).toEqual([{ used: set }]);
    await database.close();
  }
});

test("several sessions that try at the same time create the tables once", async () => {
  const schema = freshSchema();
  await Promise.all(
    Array.from({ length: 12 }, async (_, at) => {
      const store = storeAt(server().url(), schema);
      await (await locked(store, `run-${at}`, { wait: 200_000 })).session.close();
    }),
  );
  expect(server().sql(`SELECT version FROM ${schema}.version`)).toBe("8");
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
    ["has a version that never existed", "UPDATE SCHEMA.version SET version = 0", "IVR602"],
  ])("refuses a table `version` that %s", async (_, harm, code = "IVR604") => {
    const { store, sql } = await filled();
    sql(harm);
    await expect(store.read()).rejects.toMatchObject({ code });
    await expect(store.lock(claim("run-2"))).rejects.toMatchObject({ code });
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
    expect((await store.read()).state.serial).toBe(7);
    expect(sql("SELECT count(*) FROM SCHEMA.blocks")).toBe("4");
    const session = await sessionOf(store);
    expect(await store.unlock("run-1")).toMatchObject({ id: "run-1" });
    await expect(session.append(intent("c"))).rejects.toMatchObject({ code: "IVR601" });
    await session.close();
  },
);
