import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { Connection } from "../../../src/deploy/state/postgres/connection.ts";
import { durable } from "../../../src/deploy/state/postgres/statement.ts";
import { definition, tablesVersion } from "../../../src/deploy/state/postgres/tables.ts";
import { Cable } from "../../support/cable.ts";
import { freshSchema, postgres, settingsOf, storeAt } from "../../support/postgres.ts";
import { claim, locked, sessionOf } from "../../deploy/state/conformance.ts";
import { begun, created, intent, unknown } from "../../deploy/state/events.ts";
import { clock } from "../../support/host.ts";

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
  const file = join(import.meta.dirname, "../../../schema/state-postgres.sql");
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
    [2, "was written by an older build", "Begin a new state"],
    [4, "has version 4", "Upgrade ivrctl"],
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
    expect(sql("SELECT fence, id IS NULL FROM SCHEMA.locks")).toBe("1|t");
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

  test("refuse to change or delete rows of the history", async () => {
    const { sql } = await filled();
    for (const deed of [
      "UPDATE SCHEMA.history SET head = ''",
      "DELETE FROM SCHEMA.history WHERE seq = 7",
      "TRUNCATE SCHEMA.history",
    ]) {
      expect(() => sql(deed)).toThrow("cannot be changed or deleted");
    }
  });

  test("have the state as JSON that a person can query", async () => {
    const { sql } = await filled();
    const each = (list: string) =>
      `FROM SCHEMA.snapshots, json_array_elements(state::json -> '${list}') AS one`;
    expect(
      sql(
        `SELECT one ->> 'key' AS key, one #>> '{record,current,payload,name}' ${each("keys")} ORDER BY 1`,
      ),
    ).toBe("a|a\nb|");
    expect(sql(`SELECT one ->> 'id', one ->> 'reason' ${each("follow_ups")}`)).toBe("F5|replaced");
    expect(sql("SELECT environment, serial, state::json ->> 'lineage' FROM SCHEMA.snapshots")).toBe(
      "production|7|L1",
    );
    expect(sql("SELECT environment, serial FROM SCHEMA.states")).toBe("production|7");
  });
});

describe("edited rows in `states` and `snapshots` have no effect", () => {
  const change = (path: string, value: string) =>
    `UPDATE SCHEMA.snapshots SET state = jsonb_set(state::jsonb, '${path}', '${value}')::text`;
  const without = (path: string) =>
    `UPDATE SCHEMA.snapshots SET state = (state::jsonb #- '${path}')::text`;
  const another = (
    serial: number,
  ) => `UPDATE SCHEMA.snapshots SET serial = ${serial}, head = 'beef',
      state = jsonb_set(jsonb_set(state::jsonb, '{serial}', '${serial}'), '{head}', '"beef"')::text;
    UPDATE SCHEMA.snapshots SET sum = left(encode(sha256(state::bytea), 'hex'), 16)`;
  const harms = {
    "a record": change("{keys,0,record,current,payload,name}", '"z"'),
    "a key": change("{keys,0,key}", '"z"'),
    "one menu removed": without("{keys,1}"),
    "one menu added":
      "UPDATE SCHEMA.snapshots SET state = jsonb_insert(state::jsonb, '{keys,0}', jsonb_set(state::jsonb #> '{keys,0}', '{key}', '\"z\"'))::text",
    "follow-ups removed": change("{follow_ups}", "[]"),
    "invalid JSON": "UPDATE SCHEMA.snapshots SET state = '{'",
    "the order": `UPDATE SCHEMA.snapshots SET state = jsonb_set(state::jsonb, '{keys}',
        jsonb_build_array(state::jsonb #> '{keys,1}', state::jsonb #> '{keys,0}'))::text`,
    "the address": change("{address}", '"https://evil.example"'),
    "a record, with a new sum": `${change("{keys,0,record,current,payload}", "{}")};
      UPDATE SCHEMA.snapshots SET sum = left(encode(sha256(state::bytea), 'hex'), 16)`,
    "a snapshot of another history": another(7),
    "an older snapshot of another history": another(6),
    "the number of the snapshot": "UPDATE SCHEMA.snapshots SET serial = 6",
    "the head of the snapshot": "UPDATE SCHEMA.snapshots SET head = '0000000000000000'",
    "no row in states": "DELETE FROM SCHEMA.states",
    "an older row in states":
      "UPDATE SCHEMA.states SET serial = 1, head = (SELECT head FROM SCHEMA.history WHERE seq = 1)",
  };

  test.each(Object.entries(harms))("%s", async (_, harm) => {
    const { store, sql, state } = await filled();
    sql(harm);
    const seen = await store.read();
    expect(seen.notes).toEqual([expect.stringContaining("were edited. The edit has no effect")]);
    expect([...seen.state.keys]).toEqual([...state.keys]);
    expect([...seen.state.followUps]).toEqual([...state.followUps]);
    expect(seen.state.origin).toEqual(state.origin);
    // The next session writes the rows again.
    const next = await locked(store, "run-2");
    expect(next.notes).toHaveLength(1);
    await next.session.close();
    const after = await store.read();
    expect(after.notes).toEqual([]);
    expect([...after.state.keys]).toEqual([...state.keys]);
    const last = await sessionOf(store, "run-3");
    await last.append(created("b"));
    await last.close();
    expect((await store.read()).notes).toEqual([]);
  });
});

describe("a snapshot", () => {
  test("makes reading the events before it unnecessary", async () => {
    const { store, sql, state } = await filled();
    sql(`ALTER TABLE SCHEMA.history DISABLE TRIGGER only_added;
         UPDATE SCHEMA.history SET entry = 'x' WHERE seq < 7`);
    const { notes, state: seen } = await store.read();
    expect(notes).toEqual([]);
    expect([...seen.keys]).toEqual([...state.keys]);
    expect([...seen.followUps]).toEqual([...state.followUps]);
    expect(seen.origin).toEqual(state.origin);
  });

  test("that is older is completed by the events after it", async () => {
    const { store, sql } = await filled();
    const old = sql("SELECT serial, head, sum, state FROM SCHEMA.snapshots").split("|");
    const session = await sessionOf(store, "run-2");
    await session.append(created("b"));
    await session.close();
    const [serial = "", head = "", sum = "", ...text] = old;
    sql(
      `UPDATE SCHEMA.snapshots SET serial = ${serial}, head = '${head}', sum = '${sum}', state = $$${text.join("|")}$$`,
    );
    const seen = await store.read();
    expect(seen.notes).toEqual([]);
    expect(seen.state.serial).toBe(8);
    expect([...seen.state.keys]).toEqual([...session.state.keys]);
  });

  test("that is missing makes ivrctl read the whole history, without a warning", async () => {
    const { store, sql, state } = await filled();
    sql("DELETE FROM SCHEMA.snapshots");
    const seen = await store.read();
    expect(seen.notes).toEqual([]);
    expect([...seen.state.keys]).toEqual([...state.keys]);
    await (await sessionOf(store, "run-2")).close();
    expect(sql("SELECT serial FROM SCHEMA.snapshots")).toBe("7");
  });

  test("with events that are not in the history shows that they are missing", async () => {
    const { store, sql } = await filled();
    sql(`ALTER TABLE SCHEMA.history DISABLE TRIGGER only_added;
         DELETE FROM SCHEMA.history; DELETE FROM SCHEMA.states`);
    const damaged = { code: "IVR603", message: expect.stringContaining("ends at event 0") };
    await expect(store.read()).rejects.toMatchObject(damaged);
    await expect(store.lock(claim("run-2"))).rejects.toMatchObject(damaged);
  });

  test("that a newer ivrctl wrote is refused", async () => {
    const { store, sql } = await filled();
    sql(`UPDATE SCHEMA.snapshots SET state = jsonb_set(state::jsonb, '{version}', '9')::text;
         UPDATE SCHEMA.snapshots SET sum = left(encode(sha256(state::bytea), 'hex'), 16)`);
    await expect(store.read()).rejects.toMatchObject({
      code: "IVR602",
      message: expect.stringContaining(".snapshots at postgresql://"),
    });
  });

  test("is written during a long session, so that a reader needs few events", async () => {
    const schema = freshSchema();
    const session = await sessionOf(storeAt(server().url(), schema));
    const serial = () => server().sql(`SELECT serial FROM ${schema}.snapshots`);
    await session.append(begun("production"), intent("a"));
    expect(serial()).toBe("");
    const many = Array.from({ length: 300 }, (_, at) => intent(`k${at}`));
    await session.append(...many);
    expect(serial()).toBe("302");
    await session.append(created("a"));
    expect(serial()).toBe("302");
    await session.close();
    expect(serial()).toBe("303");
  });
});

describe("a history that was changed is refused", () => {
  const unguarded = "ALTER TABLE SCHEMA.history DISABLE TRIGGER only_added;";

  test("if the last events are missing", async () => {
    const { store, sql } = await filled();
    sql(`${unguarded} DELETE FROM SCHEMA.history WHERE seq > 5`);
    const damaged = { code: "IVR603", message: expect.stringContaining("ends at event 5") };
    await expect(store.read()).rejects.toMatchObject(damaged);
    await expect(store.lock(claim("run-2"))).rejects.toMatchObject(damaged);
    expect(await store.holder()).toBeNull();
  });

  test("if the last event is another one", async () => {
    const { store, sql } = await filled();
    sql(`${unguarded} UPDATE SCHEMA.history SET head = '0000000000000000' WHERE seq = 7`);
    await expect(store.read()).rejects.toMatchObject({ code: "IVR603" });
  });

  test.each([
    [
      "a changed word",
      "UPDATE SCHEMA.history SET entry = replace(entry, 'ok', 'no') WHERE seq = 3",
    ],
    ["a gap", "DELETE FROM SCHEMA.history WHERE seq = 3"],
    [
      "two swapped events",
      "UPDATE SCHEMA.history SET seq = 100 - seq WHERE seq IN (3, 4); UPDATE SCHEMA.history SET seq = 3 WHERE seq = 96; UPDATE SCHEMA.history SET seq = 4 WHERE seq = 97",
    ],
  ])("%s in the part that is read", async (_, harm) => {
    const { store, sql } = await filled();
    sql(`${unguarded} ${harm}`);
    await expect(store.history()).rejects.toMatchObject({ code: "IVR603" });
  });

  test("if its end changes during a session", async () => {
    const { store, sql } = await filled();
    const session = await sessionOf(store, "run-2");
    sql(`${unguarded} DELETE FROM SCHEMA.history WHERE seq > 5`);
    await expect(session.append(created("b"))).rejects.toMatchObject({ code: "IVR603" });
    await session.close();
    expect(sql("SELECT max(seq) FROM SCHEMA.history")).toBe("5");
  });
});

test("a session adds nothing after events that were added without the lock", async () => {
  const { store, sql } = await filled();
  const session = await sessionOf(store, "run-2");
  sql(
    "INSERT INTO SCHEMA.history SELECT environment, 8, head, entry FROM SCHEMA.history WHERE seq = 7",
  );
  await expect(session.append(created("b"))).rejects.toMatchObject({ code: "IVR603" });
  await session.close();
  expect(sql("SELECT max(seq) FROM SCHEMA.history")).toBe("8");
});

describe("a failover to a standby without the last events", () => {
  test("adds the lost events of the session again", async () => {
    const { store, sql } = await filled();
    const session = await sessionOf(store, "run-2");
    await session.append(created("b"), intent("c"));
    // Restore the rows from before.
    const before = sql("SELECT row_to_json(s) FROM SCHEMA.states s");
    expect(before).toContain('"serial":9');
    sql(`ALTER TABLE SCHEMA.history DISABLE TRIGGER only_added;
         DELETE FROM SCHEMA.history WHERE seq > 8;
         ALTER TABLE SCHEMA.history ENABLE TRIGGER only_added`);
    await session.append(created("c"));
    await session.close();
    expect((await store.history()).map(({ entry }) => entry.seq)).toEqual([
      1, 2, 3, 4, 5, 6, 7, 8, 9, 10,
    ]);
    expect((await store.read()).notes).toEqual([]);
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
      if (chunk.includes("unnest")) statements += 1;
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
