import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { Connection } from "../../src/deploy/state/postgres/connection.ts";
import { durable } from "../../src/deploy/state/postgres/statement.ts";
import { definition, tablesVersion } from "../../src/deploy/state/postgres/tables.ts";
import { Cable } from "../support/cable.ts";
import { freshSchema, postgres, settingsOf, storeAt } from "../support/postgres.ts";
import { claim, locked, sessionOf } from "./conformance.ts";
import { begun, created, intent, unknown } from "./events.ts";
import { clock } from "../support/host.ts";

const server = postgres();

/** A state with a menu, an unknown outcome and a follow-up. */
async function filled() {
  const schema = freshSchema();
  const store = storeAt(server().url(), schema);
  const session = await sessionOf(store);
  await session.append(begun("production"), intent("a"), created("a"), intent("a", "replace"));
  await session.append(created("a"), intent("b"), unknown("b"));
  await session.close();
  const sql = (text: string) => server().sql(text.replaceAll("SCHEMA", schema));
  return { schema, store, sql, state: session.state };
}

test("the definition of another schema differs only in its name", () => {
  const file = join(import.meta.dirname, "../../schema/state-postgres.sql");
  const text = readFileSync(file, "utf8");
  const other = definition('"other"');
  expect(other.replaceAll('"other"', "ivrctl")).toBe(text);
  expect(other).not.toMatch(/\bivrctl\.\w/);
  expect(text).toContain(`INSERT INTO ivrctl.version SELECT ${tablesVersion} WHERE`);
});

describe("the tables", () => {
  test("are created by the first session, not by reading", async () => {
    const schema = freshSchema();
    const store = storeAt(server().url(), schema);
    await store.read();
    await store.history();
    await store.holder();
    expect(await store.unlock("x")).toBeNull();
    const count = `SELECT count(*) FROM pg_namespace WHERE nspname = '${schema}'`;
    expect(server().sql(count)).toBe("0");
    await (await sessionOf(store)).close();
    expect(server().sql(count)).toBe("1");
  });

  test.each([
    [tablesVersion - 1, "was written by an older build", "Begin a new state"],
    [tablesVersion + 1, `has version ${tablesVersion + 1}`, "Upgrade ivrctl"],
  ])("of version %i are refused and not changed", async (version, message, hint) => {
    const { store, sql } = await filled();
    sql(`UPDATE SCHEMA.version SET version = ${version}`);
    const other = {
      code: "IVR602",
      message: expect.stringContaining(message),
      hint: expect.stringContaining(hint),
    };
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
    const each = (list: string) =>
      `FROM SCHEMA.snapshots, json_array_elements(${state} -> '${list}') AS one`;
    expect(
      sql(
        `SELECT one ->> 'key' AS key, one #>> '{record,current,payload,name}' ${each("keys")} ORDER BY 1`,
      ),
    ).toBe("a|a\nb|");
    expect(sql(`SELECT one ->> 'id', one ->> 'reason' ${each("follow_ups")}`)).toBe("F1|replaced");
  });
});

describe("a snapshot", () => {
  test.each([
    ["changed", "content = replace(content, 'https://pbx.example', 'https://evil.example')"],
    ["cut off", "content = left(content, 300)"],
    ["empty", "content = ''"],
  ])("that is %s has no effect, and is written again", async (_, harm) => {
    const { store, sql, state } = await filled();
    sql(`UPDATE SCHEMA.snapshots SET ${harm}`);
    const seen = await store.read();
    expect(seen.notes).toEqual([expect.stringContaining("was edited or damaged")]);
    expect([...seen.state.keys]).toEqual([...state.keys]);
    expect(seen.state.origin).toEqual(state.origin);
    const next = await locked(store, "run-2");
    expect(next.notes).toHaveLength(1);
    await next.session.close();
    expect((await store.read()).notes).toEqual([]);
  });

  test("makes reading the blocks before it unnecessary", async () => {
    const { store, sql, state } = await filled();
    sql(`ALTER TABLE SCHEMA.blocks DISABLE TRIGGER only_added;
         UPDATE SCHEMA.blocks SET content = 'x' WHERE number < 4`);
    const { notes, state: seen } = await store.read();
    expect(notes).toEqual([]);
    expect([...seen.keys]).toEqual([...state.keys]);
    await expect(store.history()).rejects.toMatchObject({ code: "IVR603" });
  });

  test("that is missing makes ivrctl read the whole log, without a warning", async () => {
    const { store, sql, state } = await filled();
    sql("DELETE FROM SCHEMA.snapshots");
    const seen = await store.read();
    expect(seen.notes).toEqual([]);
    expect([...seen.state.keys]).toEqual([...state.keys]);
    await (await sessionOf(store, "run-2")).close();
    expect(sql("SELECT number FROM SCHEMA.snapshots")).toBe("6");
  });
});

describe("a log that was changed is refused", () => {
  const unguarded = "ALTER TABLE SCHEMA.blocks DISABLE TRIGGER only_added;";

  test.each([
    ["a changed word", "UPDATE SCHEMA.blocks SET content = replace(content, 'ok', 'no')"],
    ["a gap", "DELETE FROM SCHEMA.blocks WHERE number = 3"],
    [
      "two swapped blocks",
      "UPDATE SCHEMA.blocks SET number = 100 - number WHERE number IN (2, 3); UPDATE SCHEMA.blocks SET number = number - 95 WHERE number = 98; UPDATE SCHEMA.blocks SET number = 2 WHERE number = 97",
    ],
    ["no block", "DELETE FROM SCHEMA.blocks"],
  ])("%s", async (_, harm) => {
    const { store, sql } = await filled();
    sql(`${unguarded} ${harm}`);
    await expect(store.history()).rejects.toMatchObject({ code: "IVR603" });
  });

  test("if its end changes during a session", async () => {
    const { store, sql } = await filled();
    const session = await sessionOf(store, "run-2");
    sql(`${unguarded} DELETE FROM SCHEMA.blocks WHERE number > 3`);
    await expect(session.append(created("b"))).rejects.toMatchObject({ code: "IVR603" });
    await session.close();
    expect(sql("SELECT max(number) FROM SCHEMA.blocks")).toBe("3");
  });

  test("if somebody adds a block during a session", async () => {
    const { store, sql } = await filled();
    const session = await sessionOf(store, "run-2");
    sql("INSERT INTO SCHEMA.blocks SELECT state, 6, content FROM SCHEMA.blocks WHERE number = 3");
    await expect(session.append(created("b"))).rejects.toMatchObject({ code: "IVR603" });
    await session.close();
    expect(sql("SELECT max(number) FROM SCHEMA.blocks")).toBe("6");
  });
});

describe("the cost of an outcome", () => {
  test("is one statement of the same size with few and with many menus", async () => {
    const sizes: number[] = [];
    for (const menus of [10, 1000]) {
      const cable = new Cable(server().port);
      await cable.plugIn();
      onTestFinished(() => cable.unplug());
      const store = storeAt(
        `postgresql://postgres@127.0.0.1:${cable.port}/postgres`,
        freshSchema(),
      );
      const session = await sessionOf(store);
      const keys = Array.from({ length: menus }, (_, at) => intent(`menu-${at + 10_000}`));
      await session.append(begun("production"), ...keys);
      let [bytes, messages] = [0, 0];
      cable.asked = (chunk) => {
        bytes += chunk.length;
        messages += 1;
        return "pass";
      };
      await session.append(created("menu-10000"));
      expect(messages).toBe(1);
      sizes.push(bytes);
      cable.asked = () => "pass";
      await session.close();
    }
    const [few = 0, many = 0] = sizes;
    expect(Math.abs(many - few)).toBeLessThan(50);
  });

  test("is shared by all calls that wait for the next statement", async () => {
    const cable = new Cable(server().port);
    await cable.plugIn();
    onTestFinished(() => cable.unplug());
    const store = storeAt(`postgresql://postgres@127.0.0.1:${cable.port}/postgres`, freshSchema());
    const session = await sessionOf(store);
    await session.append(begun("production"));
    let statements = 0;
    cable.asked = (chunk) => {
      if (chunk.includes(".blocks (")) statements += 1;
      return "pass";
    };
    await Promise.all(Array.from({ length: 200 }, (_, at) => session.append(intent(`k${at}`))));
    expect(statements).toBeLessThan(5);
    await session.close();
  });
});

test("acknowledged events are on disk, even if synchronous_commit is off in the database", async () => {
  const name = freshSchema();
  server().sql(`CREATE DATABASE ${name}`);
  const root = import.meta.dirname;
  const used = "SELECT current_setting('synchronous_commit') AS used";
  for (const [set, within] of [
    ["off", "on"],
    ["local", "local"],
    ["remote_apply", "remote_apply"],
  ]) {
    server().sql(`ALTER DATABASE ${name} SET synchronous_commit = ${set}`);
    const settings = settingsOf(server().url("postgres", name));
    const connection = await Connection.open(root, settings, clock);
    expect(await connection.run(`WITH ${durable} ${used} FROM durable`)).toEqual([
      { used: within },
    ]);
    // Only for that statement: the next one may belong to another client.
    expect(await connection.run(used)).toEqual([{ used: set }]);
    await connection.end();
  }
});
