import { describe, expect, test } from "vitest";
import { chainHash } from "../../src/deploy/state/entries.ts";
import { blockSum } from "../../src/deploy/state/log/block.ts";
import { logHost } from "../../src/deploy/state/process-identity.ts";
import { StoreUnavailable } from "../../src/deploy/state/retry.ts";
import { menuKeys } from "../../src/deploy/state/view.ts";
import { testHost } from "../support/host.ts";
import { MemoryBlocks, MemoryLog, MemoryWitness, openStore } from "../support/memory-log.ts";
import { skipWaits } from "../support/waits.ts";
import { claim, locked, sessionOf } from "./conformance.ts";
import { begun, created, intent } from "./events.ts";

/** A log with seven blocks: locked, five with an event each, released. */
async function filled() {
  const stored = new MemoryBlocks();
  const open = () => openStore(new MemoryLog(stored));
  const session = await sessionOf(open());
  await session.append(begun("production"));
  for (const key of ["k1", "k2", "k3", "k5"]) await session.append(intent(key));
  await session.close();
  return { stored, open };
}

describe("a block", () => {
  const damages: readonly (readonly [string, (text: string) => string])[] = [
    ["empty", () => ""],
    ["something else", () => "hello\n"],
    ["without its first line", (text) => text.split("\n").slice(1).join("\n")],
    ["edited", (text) => text.replace("k3", "k4")],
    ["edited outside of events", (text) => text.replace(/"session":"\w/, '"session":"x')],
    ["edited, with a new sum", (text) => sealedAgain(text.replace("k3", "k4"))],
    ["a copy of the one before it", () => "before"],
  ];
  test.for(damages)("that is %s is reported as damage", async ([, damage]) => {
    const { stored, open } = await filled();
    stored.snapshot = undefined;
    const text = damage(String(stored.blocks.get(5)));
    const before = stored.blocks.get(4) ?? Buffer.alloc(0);
    stored.blocks.set(5, text === "before" ? before : Buffer.from(text));
    const damaged = { code: "IVR603", message: expect.stringMatching(/^block 5 /) };
    await expect(open().read()).rejects.toMatchObject(damaged);
    await expect(open().history()).rejects.toMatchObject(damaged);
    await expect(open().lock(claim("run-2"))).rejects.toMatchObject(damaged);
    expect(stored.blocks.size).toBe(7);
  });

  test.each([7, 10])("of format %i is refused", async (version) => {
    const { stored, open } = await filled();
    const text = String(stored.blocks.get(7)).replace('"version":8', `"version":${version}`);
    const before = blockSum(stored.blocks.get(6) ?? Buffer.alloc(0));
    stored.blocks.set(7, Buffer.from(sealedAgain(text, before)));
    stored.snapshot = undefined;
    await expect(open().read()).rejects.toMatchObject({ code: "IVR602" });
    await expect(open().lock(claim("run-2"))).rejects.toMatchObject({ code: "IVR602" });
  });

  test("of another environment is refused", async () => {
    const { stored } = await filled();
    const other = openStore(new MemoryLog(stored), { environment: "staging" });
    stored.snapshot = undefined;
    await expect(other.read()).rejects.toMatchObject({ code: "IVR603" });
  });

  test("that is missing before the snapshot makes the history incomplete, but not the state", async () => {
    const { stored, open } = await filled();
    stored.blocks.delete(3);
    expect((await open().read()).state.serial).toBe(5);
    await expect(open().history()).rejects.toMatchObject({ code: "IVR603" });
    const { session, notes } = await locked(open(), "run-2");
    expect(notes).toMatchObject([{ code: "IVR605", message: expect.stringContaining("block 3") }]);
    await session.close();
  });
});

test("a log that stops to list new blocks is refused, not read forever", async () => {
  const { stored } = await filled();
  const log = new MemoryLog(stored);
  const end = stored.blocks.size;
  await (await sessionOf(openStore(new MemoryLog(stored)), "run-2")).close();
  stored.snapshot = undefined;
  const stale = Object.assign(new MemoryLog(stored), {
    numbers: async () => (await log.numbers()).filter((n) => n <= end),
    read: async (after: number, limit = Infinity) =>
      limit === 1 ? log.read(after, limit) : (await log.read(after)).slice(0, end - after),
  });
  await expect(openStore(stale).lock(claim("run-3"))).rejects.toMatchObject({ code: "IVR676" });
  expect(stored.blocks.size).toBe(end + 2);
});

describe("a snapshot", () => {
  const edits: readonly (readonly [string, (text: string) => string])[] = [
    ["is empty", () => ""],
    ["is cut off", (text) => text.slice(0, text.length / 2)],
    ["was edited", (text) => text.replace("k1", "k2")],
    ["belongs to another environment", (text) => resealed(text, '"production"', '"staging"')],
    ["has a newer format", (text) => resealed(text, '"version":8', '"version":10')],
    ["has another number", (text) => resealed(text, /"number":\d+/, '"number":6')],
  ];
  test.for(edits)("that %s has no effect, and is written again", async ([, edit]) => {
    const { stored, open } = await filled();
    const text = edit(String(stored.snapshot?.bytes));
    stored.snapshot = { number: 7, bytes: Buffer.from(text) };
    const { state, notes } = await open().read();
    expect(menuKeys(state)).toEqual(["k1", "k2", "k3", "k5"]);
    expect(notes).toMatchObject([{ message: expect.stringContaining("was edited or damaged") }]);
    const next = await locked(open(), "run-2");
    expect(next.notes.map(({ message }) => message)).toEqual(notes.map(({ message }) => message));
    await next.session.append(created("k1"));
    await next.session.close();
    expect(await open().read()).toMatchObject({ notes: [], state: { serial: 6 } });
  });

  test("of another history is refused", async () => {
    const { stored, open } = await filled();
    const text = resealed(
      String(stored.snapshot?.bytes),
      /"log":"\w+"/,
      '"log":"0000000000000000"',
    );
    stored.snapshot = { number: 7, bytes: Buffer.from(text) };
    await expect(open().read()).rejects.toMatchObject({ code: "IVR603" });
  });

  test("that is missing makes ivrctl read the whole log", async () => {
    const { stored, open } = await filled();
    stored.snapshot = undefined;
    expect(await open().read()).toMatchObject({ notes: [], state: { serial: 5 } });
  });
});

test.each(["adds", "sends"])(
  "a suspended run %s nothing if the blocks of those who came after it are lost",
  async (what) => {
    skipWaits(5000);
    const stored = new MemoryBlocks();
    const { clock, machine } = testHost();
    let suspended = 0;
    const slow = { ...clock, elapsed: () => clock.elapsed() + suspended };
    const host = logHost({ clock: slow, machine });
    const session = await sessionOf(openStore(new MemoryLog(stored), { host }));
    await session.append(begun("production"), intent("a"));
    const end = stored.blocks.size;
    const open = () => openStore(new MemoryLog(stored));
    await open().unlock("run-1");
    const next = await sessionOf(open(), "run-2");
    await next.append(created("a"), intent("b"));
    await next.close();
    for (const n of [...stored.blocks.keys()].filter((number) => number > end))
      stored.blocks.delete(n);
    suspended = 6000;
    expect(session.isConfirmed).toBe(false);
    const tried = what === "adds" ? session.append(intent("b")) : session.confirm();
    await expect(tried).rejects.toMatchObject({ code: "IVR603" });
    await session.close();
    expect(stored.blocks.size).toBe(end);
  },
);

test("a confirmation counts from before the first attempt", async () => {
  const { clock, machine } = testHost();
  let later = 0;
  const host = logHost({ clock: { ...clock, elapsed: () => clock.elapsed() + later }, machine });
  const log = new MemoryLog();
  const session = await sessionOf(openStore(log, { host }));
  const append = log.append.bind(log);
  log.append = async (n, bytes) => {
    log.append = append;
    await append(n, bytes);
    later = 6000;
    throw new StoreUnavailable("IVR671", "The answer was lost.");
  };
  expect(session.isConfirmed).toBe(true);
  await session.append(begun("production"));
  expect(session.isConfirmed).toBe(false);
  await session.confirm();
  expect(session.isConfirmed).toBe(true);
  await session.close();
});

test("unlock ends the lock of a run that keeps writing", async () => {
  const stored = new MemoryBlocks();
  const session = await sessionOf(openStore(new MemoryLog(stored)));
  await session.append(begun("production"));
  let written = 0;
  const writing = (async () => {
    for (; ; written += 1) await session.append(intent(`k${written}`));
  })().catch((error: unknown) => error);
  const other = openStore(new MemoryLog(stored));
  expect(await other.unlock("run-1")).toMatchObject({ id: "run-1" });
  expect(await writing).toMatchObject({ code: "IVR601" });
  expect(await other.history()).toHaveLength(written + 1);
  await session.close();
});

test("a run that finds blocks missing under its lock does not hide them from later runs", async () => {
  const { stored } = await filled();
  const witness = new MemoryWitness();
  const slow = new MemoryLog(stored);
  // After the slow run has read the log, another run takes the lock, and its block is lost.
  const probe = async () => {
    await locked(openStore(new MemoryLog(stored), { witness }), "run-2");
    stored.blocks.delete(8);
  };
  const store = openStore(Object.assign(slow, { probe }), { witness });
  await expect(store.lock(claim("run-3"))).rejects.toMatchObject({ code: "IVR629" });
  expect(await slow.numbers()).toHaveLength(9);
  await expect(store.read()).rejects.toMatchObject({ code: "IVR629" });
});

/** Changes the content and computes the sum again. */
function resealed(text: string, what: string | RegExp, by: string): string {
  return sealedAgain(text.replace(what, by));
}

function sealedAgain(text: string, before = ""): string {
  const body = text.replace(/\{"sum":"\w+"\}\n$/, "");
  return `${body}{"sum":"${chainHash(before, body)}"}\n`;
}
