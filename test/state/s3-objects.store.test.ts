import { describe, expect, onTestFinished, test } from "vitest";
import type { LogStore } from "../../src/deploy/state/log/log-store.ts";
import { historyFile } from "../../src/deploy/state/transfer.ts";
import { eventLines } from "../support/file-log.ts";
import { type Asked, type Fate, Gate } from "../support/gate.ts";
import { objectsOf } from "../support/objects.ts";
import { radosgw } from "../support/radosgw.ts";
import { storeAt, useCredentials } from "../support/s3.ts";
import { sessionOf } from "./conformance.ts";
import { begun, created, intent } from "./events.ts";

const server = radosgw(useCredentials);
const place = () => objectsOf(server());

/** Records one menu after the other, with one object for each event. */
async function creates(store: LogStore, count: number, from = 0): Promise<void> {
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
    expect(names("snapshots/")).toEqual(["snapshots/999999999994.gz"]);
    const blocks = await Promise.all(names("log/").map(get));
    const kinds = blocks.map((block) => JSON.parse(String(block).split("\n")[0] ?? "").kind);
    expect(kinds).toEqual(["locked", "entries", "entries", "entries", "released"]);
    expect(eventLines(blocks)).toBe(historyFile(await open().history()));
  });

  test("with other names in the folder are ignored", async () => {
    const { open, put } = place();
    await put("log/README", Buffer.from("hello"));
    await put("log/00000000001", Buffer.from("hello"));
    await put("snapshots/000000000000", Buffer.from("hello"));
    await put("snapshots/old/000000000900.gz", Buffer.from("hello"));
    await creates(open(), 3);
    const { state, notes } = await open().read();
    expect([state.keys.size, notes]).toEqual([3, []]);
  });

  test("at the next number that ivrctl did not write end the session", async () => {
    const { open, put } = place();
    const session = await sessionOf(open());
    await session.append(begun("production"));
    await put("log/000000000003", Buffer.from("hello"));
    await expect(session.append(intent("a"))).rejects.toMatchObject({ code: "IVR603" });
    await session.close();
  });
});

describe("snapshots", () => {
  test("are not needed: the run succeeds if the store refuses them", async () => {
    const gate = new Gate(server().port);
    await gate.open();
    onTestFinished(() => gate.close());
    const isSnapshot = ({ method, path }: Asked) =>
      method === "PUT" && path.includes("/snapshots/");
    const refusal: Fate = { kind: "answer", reaches: "never", status: 403, code: "AccessDenied" };
    gate.fate = (asked) => (isSnapshot(asked) ? refusal : { kind: "pass" });
    const { open, prefix, names } = place();
    await creates(storeAt(gate.endpoint, prefix), 5);
    expect(names("snapshots/")).toEqual([]);
    expect(gate.asked.filter(isSnapshot)).toHaveLength(1);
    const { state, notes } = await open().read();
    expect([state.keys.size, notes]).toEqual([5, []]);
  });

  test("that are damaged are reported, and the log is read from its first object", async () => {
    const { open, names, put } = place();
    await creates(open(), 2);
    await creates(open(), 2, 2);
    const [newest = ""] = names("snapshots/");
    await put(newest, Buffer.from("edited"));
    const { state, notes } = await open().read();
    expect(state.keys.size).toBe(4);
    expect(notes).toEqual([expect.stringContaining("was edited or damaged")]);
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
  expect(await open().history()).toHaveLength(written + 1);
  expect(await open().holder()).toBeNull();
  await session.close();
});
