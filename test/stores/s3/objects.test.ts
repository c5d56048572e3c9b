import { gunzipSync, gzipSync } from "node:zlib";
import { describe, expect, onTestFinished, test } from "vitest";
import type { S3Store } from "../../../src/deploy/state/s3/store.ts";
import { headOf } from "../../../src/deploy/state/entries.ts";
import { historyFile } from "../../../src/deploy/state/transfer.ts";
import { type Asked, type Fate, Gate } from "../../support/gate.ts";
import { objectsOf } from "../../support/objects.ts";
import { freshPrefix, radosgw } from "../../support/radosgw.ts";
import { storeAt, useCredentials } from "../../support/s3.ts";
import { claim, locked, sessionOf } from "../../deploy/state/conformance.ts";
import { begun, created, intent } from "../../deploy/state/events.ts";

const server = radosgw(useCredentials);
const place = () => objectsOf(server());

const eventsOf = async (store: S3Store) => (await store.history()).map(({ entry }) => entry.event);

/** One menu after the other, each event in an object of its own. */
async function creates(store: S3Store, count: number, from = 0): Promise<void> {
  const session = await sessionOf(store);
  if (session.state.serial === 0) await session.append(begun("production"));
  for (let at = from; at < from + count; at += 1) {
    await session.append(intent(`k${at}`));
    await session.append(created(`k${at}`));
  }
  await session.close();
}

describe("the objects", () => {
  test("looking makes none; the first session does, and what it leaves is a log", async () => {
    const { open, names, get } = place();
    await open().read();
    await open().history();
    await open().holder();
    expect(await open().unlock("x")).toBeNull();
    expect(names()).toEqual([]);
    await creates(open(), 1);
    expect(names("log/")).toEqual([1, 2, 3, 4, 5].map((number) => `log/00000000000${number}`));
    const kinds = await Promise.all(
      names("log/").map(
        async (name) => JSON.parse((await get(name)).toString().split("\n")[0] ?? "").kind,
      ),
    );
    expect(kinds).toEqual(["locked", "entries", "entries", "entries", "released"]);
  });

  test("the log holds the events as a journal does", async () => {
    const { open, names, get } = place();
    await creates(open(), 20);
    const file = historyFile(await open().history());
    const inLog = await Promise.all(
      names("log/").map(async (name) => (await get(name)).toString()),
    );
    const lines = inLog.flatMap((text) => text.trimEnd().split("\n").slice(1, -1));
    expect(`${lines.join("\n")}\n`).toBe(file);
  });

  test("many events at once are one object", async () => {
    const { open, names } = place();
    const session = await sessionOf(open());
    await Promise.all([
      session.append(begun("production")),
      ...Array.from({ length: 50 }, (_, at) => session.append(intent(`k${at}`))),
    ]);
    await session.close();
    expect(names("log/")).toHaveLength(3);
  });
});

describe("snapshots", () => {
  test("a reader asks for few objects, and a writer does not write the state again and again", async () => {
    const gate = new Gate(server().port);
    await gate.open();
    onTestFinished(() => gate.close());
    const prefix = freshPrefix();
    const session = await sessionOf(storeAt(gate.endpoint, prefix));
    await session.append(begun("production"));
    const worker = async (nth: number) => {
      for (let at = nth; at < 1000; at += 4) {
        await session.append(intent(`k${at}`));
        await session.append(created(`k${at}`));
      }
    };
    await Promise.all([0, 1, 2, 3].map(worker));
    await session.close();
    const puts = gate.asked.filter(({ method }) => method === "PUT");
    const written = puts.reduce((sum, { headers }) => sum + Number(headers["content-length"]), 0);
    const journal = historyFile(await storeAt(server().endpoint, prefix).history()).length;
    expect(written).toBeLessThan(2 * journal);

    const gets = (folder: string) =>
      gate.asked.filter(({ method, path }) => method === "GET" && path.includes(`/${folder}/`));
    gate.asked.length = 0;
    const reading = await storeAt(gate.endpoint, prefix).read();
    expect(reading.state.keys.size).toBe(1000);
    expect(reading.notes).toEqual([]);
    expect(gets("snapshots")).toHaveLength(1);
    expect(gets("log").length).toBeLessThanOrEqual(8);
    expect(gate.asked.length - gets("log").length).toBe(4);
    // With the lock, and one menu more.
    gate.asked.length = 0;
    await creates(storeAt(gate.endpoint, prefix), 1, 1000);
    expect(gets("log").length).toBeLessThanOrEqual(8);
    // Every entry: the whole log, each object once.
    gate.asked.length = 0;
    expect(await storeAt(gate.endpoint, prefix).history()).toHaveLength(2003);
    expect(gets("snapshots")).toEqual([]);
    expect(gets("log").length).toBeGreaterThan(500);
    expect(new Set(gets("log").map(({ path }) => path)).size).toBe(gets("log").length);
  });

  test("many short runs: a reader still asks for few", async () => {
    const gate = new Gate(server().port);
    await gate.open();
    onTestFinished(() => gate.close());
    const prefix = freshPrefix();
    for (let at = 0; at < 30; at += 1) await creates(storeAt(gate.endpoint, prefix), 1, at);
    gate.asked.length = 0;
    expect((await storeAt(gate.endpoint, prefix).read()).state.keys.size).toBe(30);
    expect(gate.asked.length).toBeLessThan(20);
  });

  test("short runs at a large state: each leaves a snapshot once eight objects have come", async () => {
    const { open, names } = place();
    const session = await sessionOf(open());
    const keys = Array.from({ length: 2000 }, (_, at) => `k${at}`);
    await session.append(
      begun("production"),
      ...keys.map((key) => intent(key)),
      ...keys.map((key) => created(key)),
    );
    await session.close();
    const numbers = () => names("snapshots/").map((name) => Number(name.slice(10, -3)));
    for (let at = 0; at < 22; at += 1) {
      await creates(open(), 1, 2000 + at);
      const end = names("log/").length;
      expect(end - (numbers().at(-1) ?? 0)).toBeLessThanOrEqual(8);
    }
    const gaps = numbers().map((number, at, all) => number - (all[at - 1] ?? 0));
    expect(Math.min(...gaps)).toBeGreaterThanOrEqual(8);
    expect((await open().read()).state.keys.size).toBe(2022);
  });

  test("can be deleted, all of them or some: the log is read instead", async () => {
    const { open, names, remove } = place();
    for (let at = 0; at < 6; at += 1) await creates(open(), 8, at * 8);
    const before = await open().read();
    const history = await open().history();
    expect(names("snapshots/").length).toBeGreaterThan(4);
    for (const name of names("snapshots/").filter((_, at) => at % 2 === 0)) await remove(name);
    for (let round = 0; round < 2; round += 1) {
      const { state, notes } = await open().read();
      expect([...state.keys]).toEqual([...before.state.keys]);
      expect(state.head).toBe(before.state.head);
      expect(notes).toEqual([]);
      expect(await open().history()).toEqual(history);
      for (const name of names("snapshots/")) await remove(name);
    }
    await creates(open(), 8, 48);
    expect(names("snapshots/")).not.toEqual([]);
    expect((await open().read()).state.keys.size).toBe(56);
    expect(await open().history()).toHaveLength(113);
  });

  test("if the store refuses them, the run goes on and does not ask for each object", async () => {
    const gate = new Gate(server().port);
    await gate.open();
    onTestFinished(() => gate.close());
    const isSnapshot = ({ method, path }: Asked) =>
      method === "PUT" && path.includes("/snapshots/");
    const refusal: Fate = { kind: "answer", reaches: "never", status: 403, code: "AccessDenied" };
    gate.fate = (asked) => (isSnapshot(asked) ? refusal : { kind: "pass" });
    const { open, prefix, names } = place();
    await creates(storeAt(gate.endpoint, prefix), 20);
    expect(names("snapshots/")).toEqual([]);
    const tried = gate.asked.filter(isSnapshot).length;
    expect(tried).toBeGreaterThan(1);
    expect(tried).toBeLessThanOrEqual(names("log/").length / 8);
    const { state, notes } = await open().read();
    expect([state.keys.size, notes]).toEqual([20, []]);
  });

  test("every damaged one is reported, and the log is read from its first object", async () => {
    const { open, names, put } = place();
    await creates(open(), 8);
    await creates(open(), 8, 8);
    const all = names("snapshots/");
    for (const name of all) await put(name, Buffer.from("edited"));
    const { state, notes } = await open().read();
    expect(state.keys.size).toBe(16);
    const damaged = all.map((name) => expect.stringContaining(`production/${name} was edited`));
    expect(notes).toEqual(damaged.toReversed());
  });

  const edits: readonly (readonly [string, (bytes: Buffer) => Buffer])[] = [
    ["is no archive", () => Buffer.from("edited")],
    ["is empty", () => Buffer.alloc(0)],
    ["is cut off", (bytes) => bytes.subarray(0, bytes.length / 2)],
    ["was edited", (bytes) => edited(bytes, (text) => text.replace("k1", "k2"))],
    ["is of another environment", (bytes) => resealed(bytes, '"production"', '"staging"')],
    ["is of another moment", (bytes) => resealed(bytes, /"number":\d+/, '"number":7')],
    [
      "is of another history",
      (bytes) => resealed(bytes, /"log":"\w+"/, '"log":"0000000000000000"'),
    ],
  ];
  test.for(edits)("one that %s is passed over with a word", async ([, edit]) => {
    const { open, names, get, put } = place();
    await creates(open(), 8);
    await creates(open(), 8, 8);
    const before = await open().read();
    const history = await open().history();
    const name = names("snapshots/").at(-1) ?? "";
    await put(name, edit(await get(name)));
    const { state, notes } = await open().read();
    expect([...state.keys]).toEqual([...before.state.keys]);
    expect(notes[0]).toMatch(
      /^production\/snapshots\/\d+\.gz was edited or damaged, which changes/,
    );
    expect(await open().history()).toEqual(history);
    const next = await locked(open(), "run-2");
    expect(next.notes).toEqual(notes);
    await next.session.append(intent("more"));
    await next.session.close();
    expect((await open().read()).state.serial).toBe(history.length + 1);
  });

  test("of a newer version are refused, and left alone", async () => {
    const { open, names, get, put } = place();
    await creates(open(), 8);
    const name = names("snapshots/").at(-1) ?? "";
    const newer = resealed(await get(name), '"version":2', '"version":3');
    await put(name, newer);
    const refused = { code: "IVR602", message: expect.stringContaining(name) };
    await expect(open().read()).rejects.toMatchObject(refused);
    await expect(open().lock(claim("run-2"))).rejects.toMatchObject(refused);
    expect(await get(name)).toEqual(newer);
  });
});

describe("the log", () => {
  const damages: readonly (readonly [string, (text: string) => string])[] = [
    ["empty", () => ""],
    ["something else", () => "hello\n"],
    ["a line short", (text) => text.split("\n").slice(1).join("\n")],
    ["edited", (text) => text.replace("k3", "k4")],
    ["edited in what is no event", (text) => text.replace(/"session":"\w/, '"session":"x')],
    ["edited, with a sum that fits the edit", (text) => sealedAgain(text.replace("k3", "k4"))],
    ["the one before it", () => "before"],
  ];
  test.for(damages)("an object that is %s is damage, and is named", async ([, damage]) => {
    const { open, names, get, put } = place();
    const session = await sessionOf(open());
    await session.append(begun("production"));
    for (const key of ["k1", "k2", "k3", "k5"]) await session.append(intent(key));
    await session.close();
    const name = "log/000000000005";
    const text = damage((await get(name)).toString());
    const body = text === "before" ? await get("log/000000000004") : Buffer.from(text);
    expect(names("snapshots/")).toEqual([]);
    await put(name, body);
    const damaged = { code: "IVR603", message: expect.stringContaining(`production/${name}`) };
    await expect(open().read()).rejects.toMatchObject(damaged);
    await expect(open().history()).rejects.toMatchObject(damaged);
    await expect(open().lock(claim("run-2"))).rejects.toMatchObject(damaged);
    expect(names("log/")).toHaveLength(7);
  });

  test("a gap in it is damage", async () => {
    const { open, remove } = place();
    await creates(open(), 2);
    await remove("log/000000000003");
    const gap = { code: "IVR603", message: expect.stringMatching(/000000000003 .* is missing/) };
    await expect(open().read()).rejects.toMatchObject(gap);
    await expect(open().history()).rejects.toMatchObject(gap);
  });

  test("an end that is gone is noticed by the snapshots", async () => {
    const { open, names, remove } = place();
    await creates(open(), 10);
    expect(names("snapshots/")).not.toEqual([]);
    for (const name of [...names("log/").slice(10), ...names("heads/")]) await remove(name);
    const lost = {
      code: "IVR603",
      message: expect.stringMatching(/ is missing: production\/snapshots\//),
    };
    await expect(open().read()).rejects.toMatchObject(lost);
    await expect(open().history()).rejects.toMatchObject(lost);
    await expect(open().lock(claim("run-2"))).rejects.toMatchObject(lost);
  });

  test("an old part that is gone: the state is read from a snapshot, and the history is refused", async () => {
    const { open, names, remove } = place();
    await creates(open(), 10);
    const snapshot = Number(names("snapshots/").at(-1)?.slice(10, -3));
    for (const name of names("log/").slice(0, snapshot - 1)) await remove(name);
    expect((await open().read()).state.keys.size).toBe(10);
    const gap = { code: "IVR603", message: expect.stringMatching(/000000000001 .* is missing/) };
    await expect(open().history()).rejects.toMatchObject(gap);
  });

  test("history objects of an older ivrctl are not read; without heads, their names show the end", async () => {
    const { open, names, put, remove } = place();
    await creates(open(), 3);
    const old = "history/000000000008-from-000000000001.gz";
    await put(old, Buffer.from("anything"));
    for (const name of [...names("heads/"), ...names("snapshots/")]) await remove(name);
    const { state, notes } = await open().read();
    expect([state.keys.size, notes]).toEqual([3, []]);
    expect(await open().history()).toHaveLength(7);
    for (const name of names("log/").slice(5)) await remove(name);
    const lost = {
      code: "IVR603",
      message: expect.stringContaining(`is missing: production/${old} shows`),
    };
    await expect(open().read()).rejects.toMatchObject(lost);
    await expect(open().history()).rejects.toMatchObject(lost);
    await expect(open().lock(claim("run-2"))).rejects.toMatchObject(lost);
  });

  test("of a newer version is refused, and left alone", async () => {
    const { open, get, put } = place();
    await creates(open(), 1);
    const name = "log/000000000005";
    const text = (await get(name)).toString();
    await put(name, Buffer.from(text.replace('"version":2', '"version":3')));
    await expect(open().read()).rejects.toMatchObject({ code: "IVR602" });
    await expect(open().lock(claim("run-2"))).rejects.toMatchObject({ code: "IVR602" });
  });

  test("what others put beside it is passed over", async () => {
    const { open, put } = place();
    await put("log/README", Buffer.from("hello"));
    await put("log/00000000001", Buffer.from("hello"));
    await put("snapshots/old/000000000900.gz", Buffer.from("hello"));
    await put("history/notes.txt", Buffer.from("hello"));
    await creates(open(), 9);
    const { state, notes } = await open().read();
    expect(state.keys.size).toBe(9);
    expect(notes).toEqual([]);
  });

  test("somebody else's object at the next number: nothing more is added", async () => {
    const { open, put } = place();
    const session = await sessionOf(open());
    await session.append(begun("production"));
    await put("log/000000000003", Buffer.from("hello"));
    await expect(session.append(intent("a"))).rejects.toMatchObject({ code: "IVR603" });
    await session.close();
  });
});

test("unlock ends the lock of a run that writes all the time", async () => {
  const { open } = place();
  const session = await sessionOf(open());
  await session.append(begun("production"));
  let written = 0;
  const writing = (async () => {
    for (; ; written += 1) await session.append(intent(`k${written}`));
  })().catch((error: unknown) => error);
  expect(await open().unlock("run-1")).toMatchObject({ id: "run-1" });
  expect(await writing).toMatchObject({ code: "IVR601" });
  expect(await eventsOf(open())).toHaveLength(written + 1);
  expect(await open().holder()).toBeNull();
  await session.close();
});

function edited(bytes: Buffer, edit: (text: string) => string): Buffer {
  return gzipSync(edit(gunzipSync(bytes).toString()));
}

/** With a sum that fits: it is wrong in what it says, and not in how. */
function resealed(bytes: Buffer, what: string | RegExp, by: string): Buffer {
  return edited(bytes, (text) => sealedAgain(text.replace(what, by)));
}

function sealedAgain(text: string): string {
  const body = text.replace(/\{"sum":"\w+"\}\n$/, "");
  return `${body}{"sum":"${headOf("", body)}"}\n`;
}
