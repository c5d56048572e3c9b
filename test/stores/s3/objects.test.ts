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

/** Records one menu after the other, with one object for each event. */
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
  test("are created by the first session, not by reading", async () => {
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

  test("the log has the events in the format of a journal", async () => {
    const { open, names, get } = place();
    await creates(open(), 20);
    const file = historyFile(await open().history());
    const inLog = await Promise.all(
      names("log/").map(async (name) => (await get(name)).toString()),
    );
    const lines = inLog.flatMap((text) => text.trimEnd().split("\n").slice(1, -1));
    expect(`${lines.join("\n")}\n`).toBe(file);
  });

  test("events that are added together are one object", async () => {
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
  test("a reader needs few objects, and a writer writes few snapshots", async () => {
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
    // With the lock, and one more menu.
    gate.asked.length = 0;
    await creates(storeAt(gate.endpoint, prefix), 1, 1000);
    expect(gets("log").length).toBeLessThanOrEqual(8);
    // The history needs the whole log, each object once.
    gate.asked.length = 0;
    expect(await storeAt(gate.endpoint, prefix).history()).toHaveLength(2003);
    expect(gets("snapshots")).toEqual([]);
    expect(gets("log").length).toBeGreaterThan(500);
    expect(new Set(gets("log").map(({ path }) => path)).size).toBe(gets("log").length);
  });

  test("a reader needs few objects after many short runs", async () => {
    const gate = new Gate(server().port);
    await gate.open();
    onTestFinished(() => gate.close());
    const prefix = freshPrefix();
    for (let at = 0; at < 30; at += 1) await creates(storeAt(gate.endpoint, prefix), 1, at);
    gate.asked.length = 0;
    expect((await storeAt(gate.endpoint, prefix).read()).state.keys.size).toBe(30);
    expect(gate.asked.length).toBeLessThan(20);
  });

  test("a short run with a large state writes a snapshot after eight objects", async () => {
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

  test("can be deleted; then the log is read instead", async () => {
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

  test("are not needed: the run succeeds if the store refuses them", async () => {
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
    expect(gate.asked.filter(isSnapshot)).toHaveLength(1);
    const { state, notes } = await open().read();
    expect([state.keys.size, notes]).toEqual([20, []]);
  });

  test("are reported if damaged, and the log is read from its first object", async () => {
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
    ["is not an archive", () => Buffer.from("edited")],
    ["is empty", () => Buffer.alloc(0)],
    ["is cut off", (bytes) => bytes.subarray(0, bytes.length / 2)],
    ["was edited", (bytes) => edited(bytes, (text) => text.replace("k1", "k2"))],
    ["belongs to another environment", (bytes) => resealed(bytes, '"production"', '"staging"')],
    ["has another number", (bytes) => resealed(bytes, /"number":\d+/, '"number":7')],
    [
      "belongs to another history",
      (bytes) => resealed(bytes, /"log":"\w+"/, '"log":"0000000000000000"'),
    ],
  ];
  test.for(edits)("a snapshot that %s is ignored with a note", async ([, edit]) => {
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
      /^production\/snapshots\/\d+\.gz was edited or damaged\. This has no effect/,
    );
    expect(await open().history()).toEqual(history);
    const next = await locked(open(), "run-2");
    expect(next.notes).toEqual(notes);
    await next.session.append(intent("more"));
    await next.session.close();
    expect((await open().read()).state.serial).toBe(history.length + 1);
  });

  test("of a newer version are refused and not changed", async () => {
    const { open, names, get, put } = place();
    await creates(open(), 8);
    const name = names("snapshots/").at(-1) ?? "";
    const newer = resealed(await get(name), '"version":4', '"version":5');
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
    ["without its first line", (text) => text.split("\n").slice(1).join("\n")],
    ["edited", (text) => text.replace("k3", "k4")],
    ["edited outside of events", (text) => text.replace(/"session":"\w/, '"session":"x')],
    ["edited, with a new sum", (text) => sealedAgain(text.replace("k3", "k4"))],
    ["a copy of the one before it", () => "before"],
  ];
  test.for(damages)("an object that is %s is reported as damage", async ([, damage]) => {
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

  test("a gap is reported as damage", async () => {
    const { open, remove } = place();
    await creates(open(), 2);
    await remove("log/000000000003");
    const gap = { code: "IVR603", message: expect.stringMatching(/000000000003 .* is missing/) };
    await expect(open().read()).rejects.toMatchObject(gap);
    await expect(open().history()).rejects.toMatchObject(gap);
  });

  test("a missing end is noticed because of the snapshots", async () => {
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

  test("without an old part, the state is read from a snapshot, and the history is refused", async () => {
    const { open, names, remove } = place();
    await creates(open(), 10);
    const snapshot = Number(names("snapshots/").at(-1)?.slice(10, -3));
    for (const name of names("log/").slice(0, snapshot - 1)) await remove(name);
    expect((await open().read()).state.keys.size).toBe(10);
    const gap = { code: "IVR603", message: expect.stringMatching(/000000000001 .* is missing/) };
    await expect(open().history()).rejects.toMatchObject(gap);
  });

  test.each([3, 5])("of version %i is refused and not changed", async (version) => {
    const { open, get, put } = place();
    await creates(open(), 1);
    const name = "log/000000000005";
    const text = (await get(name)).toString();
    await put(name, Buffer.from(text.replace('"version":4', `"version":${version}`)));
    await expect(open().read()).rejects.toMatchObject({ code: "IVR602" });
    await expect(open().lock(claim("run-2"))).rejects.toMatchObject({ code: "IVR602" });
  });

  test("ignores other objects in its folder", async () => {
    const { open, put } = place();
    await put("log/README", Buffer.from("hello"));
    await put("log/00000000001", Buffer.from("hello"));
    await put("snapshots/old/000000000900.gz", Buffer.from("hello"));
    await creates(open(), 9);
    const { state, notes } = await open().read();
    expect(state.keys.size).toBe(9);
    expect(notes).toEqual([]);
  });

  test("a foreign object at the next number ends the session", async () => {
    const { open, put } = place();
    const session = await sessionOf(open());
    await session.append(begun("production"));
    await put("log/000000000003", Buffer.from("hello"));
    await expect(session.append(intent("a"))).rejects.toMatchObject({ code: "IVR603" });
    await session.close();
  });
});

test("unlock ends the lock of a run that keeps writing", async () => {
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

/** Changes the content and computes the sum again. */
function resealed(bytes: Buffer, what: string | RegExp, by: string): Buffer {
  return edited(bytes, (text) => sealedAgain(text.replace(what, by)));
}

function sealedAgain(text: string): string {
  const body = text.replace(/\{"sum":"\w+"\}\n$/, "");
  return `${body}{"sum":"${headOf("", body)}"}\n`;
}
