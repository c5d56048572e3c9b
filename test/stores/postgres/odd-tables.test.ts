import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { fill } from "../../../src/deploy/state/transfer.ts";
import { definition } from "../../../src/deploy/state/postgres/tables.ts";
import { freshSchema, postgres, storeAt } from "../../support/postgres.ts";
import { historyOf, mark } from "../../deploy/state/conformance-filling.ts";
import { claim, locked, sessionOf } from "../../deploy/state/conformance.ts";
import { begun, created, intent } from "../../deploy/state/events.ts";

const server = postgres();

const version1 = readFileSync(join(import.meta.dirname, "tables-1.sql"), "utf8");

/** Every column and trigger of a schema. */
const shapeOf = (schema: string) =>
  server().sql(`SELECT table_name, column_name, data_type, is_nullable, column_default
      FROM information_schema.columns WHERE table_schema = '${schema}' ORDER BY 1, 2;
    SELECT tgname, tgtype FROM pg_trigger WHERE NOT tgisinternal
      AND tgrelid = '${schema}.history'::regclass`);

async function filled(name = freshSchema()) {
  const store = storeAt(server().url(), name);
  const session = await sessionOf(store);
  await session.append(begun("production"), intent("a"));
  await session.close();
  const sql = (text: string) => server().sql(text.replaceAll("SCHEMA", `"${name}"`));
  return { store, sql, schema: name };
}

/** The SQL of version 1 for this schema. */
const makeVersion1 = (schema: string) =>
  server().sql(
    version1.replaceAll("ivrctl.", `${schema}.`).replace("EXISTS ivrctl", `EXISTS ${schema}`),
  );

/** A store with tables that version 1 created and filled. */
async function ofVersion1() {
  const { schema: made } = await filled();
  const schema = freshSchema();
  makeVersion1(schema);
  const sql = (text: string) => server().sql(text.replaceAll("SCHEMA", `"${schema}"`));
  sql(`INSERT INTO SCHEMA.history SELECT * FROM ${made}.history;
    INSERT INTO SCHEMA.states SELECT environment, 'L1', 'https://x.example', serial, head, 'c0ffee'
      FROM ${made}.states;
    INSERT INTO SCHEMA.menus VALUES ('production', 'a', 2, '{}');
    INSERT INTO SCHEMA.locks VALUES ('production', 1)`);
  return { store: storeAt(server().url(), schema), sql, schema };
}

/** What version 1 does when it records an outcome for another environment. */
const recordedByVersion1 = `INSERT INTO SCHEMA.states (environment, lineage, address, serial, head, sum)
    VALUES ('other', 'L2', 'https://x.example', 1, 'h', 'c0ffee')
    ON CONFLICT (environment) DO UPDATE SET serial = states.serial + 1, sum = EXCLUDED.sum;
  INSERT INTO SCHEMA.menus VALUES ('other', 'b', 2, '{}')
    ON CONFLICT (environment, key) DO UPDATE SET record = EXCLUDED.record`;

describe("tables of version 1", () => {
  test("are the same as new ones after the upgrade", async () => {
    const [old, made] = [freshSchema(), freshSchema()];
    makeVersion1(old);
    await (await sessionOf(storeAt(server().url(), old))).close();
    server().sql(definition(made));
    expect(shapeOf(old)).toBe(shapeOf(made));
    expect(server().sql(`SELECT version FROM ${old}.version`)).toBe("2");
  });

  test("can be read and unlocked, and are upgraded by the next session", async () => {
    const { store, sql } = await ofVersion1();
    expect((await store.read()).state.serial).toBe(2);
    expect(await store.history()).toHaveLength(2);
    expect(await store.holder()).toBeNull();
    expect(await store.unlock("run-1")).toBeNull();
    expect(sql("SELECT version FROM SCHEMA.version")).toBe("1");
    const session = await sessionOf(store);
    await session.append(created("a"));
    await session.close();
    expect(sql("SELECT version FROM SCHEMA.version")).toBe("2");
    expect((await store.read()).state.serial).toBe(3);
  });

  test("can still be used by a running older ivrctl for another environment", async () => {
    const { store, sql, schema } = await ofVersion1();
    sql("INSERT INTO SCHEMA.locks VALUES ('other', 1, 'run-0')");
    const session = await sessionOf(store);
    await session.append(created("a"));
    await session.close();
    expect(sql("SELECT version FROM SCHEMA.version")).toBe("2");
    sql(recordedByVersion1);
    expect((await store.read()).state.serial).toBe(3);
    // After that run, the upgrade can remove the old tables.
    sql("UPDATE SCHEMA.locks SET id = NULL");
    const made = freshSchema();
    server().sql(definition(schema) + definition(made));
    expect(shapeOf(schema)).toBe(shapeOf(made));
    expect((await store.read()).notes).toEqual([]);
  });

  test("are upgraded even if a view uses them", async () => {
    const { store, sql } = await ofVersion1();
    sql("CREATE VIEW SCHEMA.mine AS SELECT key, lineage FROM SCHEMA.menus, SCHEMA.states");
    const session = await sessionOf(store);
    await session.append(created("a"));
    await session.close();
    expect((await store.read()).state.serial).toBe(3);
    expect(sql("SELECT * FROM SCHEMA.mine")).toBe("a|L1");
  });

  test("are upgraded once if several sessions try at the same time", async () => {
    const { schema, sql } = await ofVersion1();
    const asked = await Promise.all(
      Array.from({ length: 12 }, (_, at) =>
        locked(storeAt(server().url(), schema), `run-${at}`, { wait: 200_000 }).then(
          ({ session }) => session.close(),
        ),
      ),
    );
    expect(asked).toHaveLength(12);
    expect(sql("SELECT version FROM SCHEMA.version")).toBe("2");
  });

  test("the error for a role that may not upgrade them says who has to do what", async () => {
    const { schema, sql } = await ofVersion1();
    const role = `r_${schema}`;
    const grant = () =>
      sql(`GRANT USAGE ON schema SCHEMA TO ${role};
        GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN schema SCHEMA TO ${role}`);
    sql(`CREATE ROLE ${role} LOGIN`);
    grant();
    const store = storeAt(server().url(role), schema);
    expect((await store.read()).state.serial).toBe(2);
    await expect(store.lock(claim("run-2"))).rejects.toMatchObject({
      code: "IVR672",
      message: expect.stringContaining("is not allowed to upgrade"),
      hint: expect.stringMatching(/^Ask the owner .*grant.*schema\/state-postgres\.sql$/),
    });
    expect((await store.read()).state.serial).toBe(2);
    server().sql(definition(schema));
    await expect(store.read()).rejects.toMatchObject({
      code: "IVR672",
      hint: expect.stringContaining("again after an upgrade"),
    });
    grant();
    const session = await sessionOf(store, "run-3");
    await session.append(created("a"));
    await session.close();
  });
});

describe("tables that ivrctl did not create, or that were changed", () => {
  test("leaves a table of another program alone, even if version 1 used its name", async () => {
    const schema = freshSchema();
    server().sql(`CREATE SCHEMA ${schema}; CREATE TABLE ${schema}.menus AS SELECT 1 AS dish`);
    await filled(schema);
    server().sql(definition(schema));
    expect(server().sql(`SELECT dish FROM ${schema}.menus`)).toBe("1");
  });

  test.each([
    ["text", "CREATE TABLE SCHEMA.version (version text); INSERT INTO SCHEMA.version VALUES ('1')"],
    ["another column", "CREATE TABLE SCHEMA.version (id serial)"],
    ["a view", "CREATE VIEW SCHEMA.version AS SELECT 1 AS version"],
  ])("refuses a foreign table `version`: %s", async (_, make) => {
    const schema = freshSchema();
    server().sql(`CREATE SCHEMA ${schema}; ${make.replaceAll("SCHEMA", schema)}`);
    const store = storeAt(server().url(), schema);
    const foreign = {
      code: "IVR672",
      message: expect.stringMatching(new RegExp(`schema ${schema} at .*did not create: .*version`)),
      hint: expect.stringContaining("`schema: NAME`"),
    };
    await expect(store.read()).rejects.toMatchObject(foreign);
    await expect(store.lock(claim("run-1"))).rejects.toMatchObject(foreign);
  });

  test.each([
    ["has another type", "ALTER TABLE SCHEMA.version ALTER version TYPE text USING 'x'"],
    ["has two rows", "INSERT INTO SCHEMA.version VALUES (7)"],
    ["has an invalid version", "UPDATE SCHEMA.version SET version = 0"],
  ])("refuses a table `version` that %s", async (_, harm) => {
    const { store, sql } = await filled();
    sql(harm);
    await expect(store.read()).rejects.toMatchObject({ code: "IVR672" });
    await expect(store.lock(claim("run-2"))).rejects.toMatchObject({ code: "IVR672" });
  });

  test("reports an empty table `version`, with a statement that repairs it", async () => {
    for (const { store, sql } of [await filled(), await ofVersion1()]) {
      const version = sql("DELETE FROM SCHEMA.version RETURNING version");
      const problem = await store.read().catch((error: unknown) => error);
      expect(problem).toMatchObject({ code: "IVR603", message: expect.stringContaining("empty") });
      await expect(store.lock(claim("run-2"))).rejects.toEqual(problem);
      await expect(store.unlock("run-2")).rejects.toEqual(problem);
      const hint = problem instanceof Error && "hint" in problem ? String(problem.hint) : "";
      sql(/INSERT.*/.exec(hint)?.[0] ?? "");
      expect(sql("SELECT version FROM SCHEMA.version")).toBe(version);
      expect((await store.read()).state.serial).toBe(2);
    }
  });

  test("copies staged and sealed entries again if they were changed", async () => {
    const schema = freshSchema();
    const store = storeAt(server().url(), schema);
    const environment = "production";
    const history = historyOf([begun(environment), intent("a"), created("a")]);
    const { session } = await locked(store, "run-1", { accepts: ["filling"] });
    await session.fill(mark);
    await session.copy(history);
    await session.seal(history.at(-1)?.head ?? "");
    await session.close();
    for (const harm of [
      "UPDATE SCHEMA.staged SET entry = 'x' WHERE seq = 2",
      "DELETE FROM SCHEMA.staged WHERE seq = 2",
      "DELETE FROM SCHEMA.staged",
    ]) {
      server().sql(harm.replace("SCHEMA", schema));
      const { session: opening } = await locked(store, "run-2", { accepts: ["filling"] });
      await expect(opening.open()).rejects.toMatchObject({ code: "IVR675" });
      await opening.close();
      await expect(store.read()).rejects.toMatchObject({ code: "IVR677" });
    }
    const again = await locked(store, "run-3", { accepts: ["filling"] });
    const halt = new AbortController().signal;
    await fill({ environment, store, session: again.session, history, filling: mark, halt });
    await again.session.close();
    expect(await store.history()).toEqual(history);
  });

  test.each(["version", "states", "snapshots", "staged"])(
    "reports that %s is missing",
    async (table) => {
      const { store, sql } = await filled();
      sql(`DROP TABLE SCHEMA.${table}`);
      const missing = {
        code: "IVR672",
        message: expect.stringMatching(`Missing tables: .*${table}`),
      };
      await expect(store.read()).rejects.toMatchObject(missing);
      await expect(store.lock(claim("run-2"))).rejects.toMatchObject(missing);
    },
  );
});

test.each(["user", "order", "select", "a".repeat(63)])(
  "accepts the schema name %s",
  async (name) => {
    const { store, sql } = await filled(name);
    expect((await store.read()).state.serial).toBe(2);
    expect(await store.history()).toHaveLength(2);
    expect(sql("SELECT count(*) FROM SCHEMA.history")).toBe("2");
    const session = await sessionOf(store);
    expect(await store.unlock("run-1")).toMatchObject({ id: "run-1" });
    await expect(session.append(created("a"))).rejects.toMatchObject({ code: "IVR601" });
    await session.close();
  },
);
