import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { utc } from "../../../../src/util/time.ts";
import { FileStore } from "../../../../src/deploy/state/file/store.ts";
import { claim, locked, sessionOf } from "../conformance.ts";
import { begun, created, intent } from "../events.ts";
import { filled, fresh, seen, shown } from "./place.ts";
import { testHost } from "../../../support/host.ts";

const doubt = {
  code: "IVR629",
  message: expect.stringContaining(`newer events may be missing from ${shown}.journal.jsonl`),
  hint: expect.objectContaining({ argv: ["state", "accept", "--env", "production"] }),
  at: { file: `${shown}.json` },
};

describe("a journal without a checkpoint that shows how far it must reach", () => {
  test.each<[string, (text: string) => string | undefined]>([
    ["missing", () => undefined],
    ["emptied", () => ""],
    ["cut off", (text) => text.slice(0, text.length / 2)],
    ["invalid JSON", (text) => text.replace('"serial"', "serial")],
    ["without its serial", (text) => text.replace('"serial": 5,', "")],
  ])("%s: can be read with a warning, but not changed before it is accepted", async (_, damage) => {
    const { store, checkpoint, state, files } = await filled();
    const left = damage(readFileSync(checkpoint, "utf8"));
    if (left === undefined) rmSync(checkpoint);
    else writeFileSync(checkpoint, left);
    const before = files();
    const reading = await store.read();
    expect(seen(reading.state)).toEqual(state);
    expect(reading.notes).toEqual([expect.objectContaining(doubt)]);
    await expect(store.lock(claim("x"))).rejects.toMatchObject(doubt);
    expect(files()).toEqual(before);
    await (await locked(store, "person", { accepts: ["possibly-incomplete"] })).session.close();
    expect(await store.read()).toMatchObject({ state: { serial: 5 }, notes: [] });
    await (await sessionOf(store)).close();
  });

  test("an older copy of the journal: the message names its last event", async () => {
    const { store, journal, checkpoint } = await filled();
    const lines = readFileSync(journal, "utf8").split("\n");
    rmSync(checkpoint);
    for (let count = 1; count <= 5; count += 1) {
      writeFileSync(journal, `${lines.slice(0, count).join("\n")}\n`);
      const { at = "" } = (await store.history()).at(-1)?.entry ?? {};
      await expect(store.lock(claim("x"))).rejects.toMatchObject({
        ...doubt,
        message: expect.stringContaining(`event ${count} (${utc(at)}, run-1@example).`),
      });
    }
  });

  test("accepts the journal if the state comes back from another store", async () => {
    const { store, checkpoint } = await filled();
    rmSync(checkpoint);
    const { session } = await locked(store, "mover", { accepts: ["moved"] });
    await session.close();
    expect((await store.read()).notes).toEqual([]);
  });
});

describe("an edited checkpoint", () => {
  test("still shows how far the journal must reach", async () => {
    const { store, journal, checkpoint } = await filled();
    const text = readFileSync(checkpoint, "utf8");
    writeFileSync(checkpoint, text.replace('"name"', '"nmae"'));
    expect((await store.read()).notes).toEqual([expect.stringContaining("was edited")]);
    const lines = readFileSync(journal, "utf8").split("\n");
    writeFileSync(journal, `${lines.slice(0, 4).join("\n")}\n`);
    await expect(store.read()).rejects.toMatchObject({
      code: "IVR603",
      message: `${shown}.journal.jsonl:5 is missing: the journal ends here, but ${shown}.json was made from 5 events.`,
    });
  });

  test("counts as part of another history if its head was changed", async () => {
    const { store, checkpoint } = await filled();
    const text = readFileSync(checkpoint, "utf8");
    writeFileSync(checkpoint, text.replace(/"head": "./, '"head": "x'));
    await expect(store.lock(claim("x"))).rejects.toThrow("different histories");
  });
});

describe("a crash in the first session", () => {
  test("after any event leaves a journal that can be used without `state accept`", async () => {
    const { store, folder } = fresh();
    const session = await sessionOf(store);
    for (const event of [begun("production"), intent("a"), created("a")]) {
      await session.append(event);
      const { notes } = await new FileStore(folder, "production", testHost()).read();
      expect(notes).toEqual([]);
    }
    // The session is never closed.
    await store.unlock("run-1");
    const next = await sessionOf(store, "run-2");
    expect(next.state.serial).toBe(3);
    await next.close();
    expect(JSON.parse(readFileSync(`${folder}/production.json`, "utf8"))).toMatchObject({
      serial: 3,
    });
  });

  test("before the first event leaves an empty state", async () => {
    const { store, folder, journal, checkpoint } = fresh();
    const session = await sessionOf(store);
    await session.append(begun("production", "L1"));
    expect(JSON.parse(readFileSync(checkpoint, "utf8"))).toMatchObject({ serial: 0, head: "" });
    await store.unlock("run-1");
    for (const left of ["", '{"sum":"0123']) {
      writeFileSync(journal, left);
      expect((await store.read()).state).toMatchObject({ origin: null, serial: 0 });
    }
    rmSync(journal);
    expect(await store.read()).toMatchObject({ state: { origin: null, serial: 0 }, notes: [] });
    const next = await sessionOf(store, "run-2");
    await next.append(begun("production", "L2"), intent("a"));
    await next.close();
    const { state } = await new FileStore(folder, "production", testHost()).read();
    expect(state).toMatchObject({ origin: { lineage: "L2" }, serial: 2 });
  });

  test("records nothing if the first checkpoint cannot be written", async () => {
    const { store, checkpoint, journal } = fresh();
    const session = await sessionOf(store);
    mkdirSync(`${checkpoint}/x`, { recursive: true });
    const refusal = { code: "IVR604", at: { file: `${shown}.json` } };
    await expect(session.append(begun("production"))).rejects.toMatchObject(refusal);
    await expect(session.append(begun("production"))).rejects.toMatchObject(refusal);
    expect(existsSync(journal)).toBe(false);
    await session.close();
  });
});
