import { expect, test } from "vitest";
import type { CommitLog } from "../../src/deploy/state/log/commit-log.ts";
import { moveState } from "../../src/deploy/state/transfer.ts";
import { StoreUnavailable } from "../../src/deploy/state/retry.ts";
import { StateProblem } from "../../src/deploy/state/lock.ts";
import { MemoryBlocks, MemoryLog, openStore } from "../support/memory-log.ts";
import { locked, sessionOf } from "./conformance.ts";
import { begun, created, intent } from "./events.ts";

/** Two places. The first one has a state. */
async function places() {
  const stored = { a: new MemoryBlocks(), b: new MemoryBlocks() };
  const log = (name: keyof typeof stored) => new MemoryLog(stored[name], name);
  const open = (name: keyof typeof stored) => openStore(log(name));
  const session = await sessionOf(open("a"));
  await session.append(begun("production"), intent("x"), created("x"));
  await session.close();
  return { log, open };
}

async function move(from: CommitLog, to: CommitLog): Promise<void> {
  const [source, target] = [openStore(from, { maxWait: 0 }), openStore(to, { maxWait: 0 })];
  const accepts = ["moved"] as const;
  const there = (await locked(target, "run-1", { accepts })).session;
  const here = (await locked(source, "run-1", { accepts })).session;
  try {
    const place = { store: source, session: here };
    await moveState("production", place, { store: target, session: there });
  } finally {
    await here.close();
    await there.close();
  }
}

/** A log that fails when a state arrives: at the first attempt with the first error, and so on. */
function failing(log: MemoryLog, errors: readonly Error[], isAdded = false): CommitLog {
  const append = log.append.bind(log);
  let attempts = 0;
  log.append = async (n, bytes) => {
    if (!bytes.includes('"arrives":true')) return append(n, bytes);
    if (isAdded) await append(n, bytes);
    attempts += 1;
    throw errors[Math.min(attempts, errors.length) - 1] ?? new Error("no error");
  };
  return log;
}

const moved = { code: "IVR674" };
const lost = () => new StoreUnavailable("IVR671", "no answer");

test("a state is moved with its history, and moved back", async () => {
  const { log, open } = await places();
  const history = await open("a").history();
  await move(log("a"), log("b"));
  await expect(open("a").read()).rejects.toMatchObject(moved);
  expect(await open("a").history()).toEqual(history);
  expect(await open("b").history()).toEqual(history);
  const session = await sessionOf(open("b"));
  await session.append(intent("y"));
  await session.close();
  await move(log("b"), log("a"));
  await expect(open("b").read()).rejects.toMatchObject(moved);
  expect((await open("a").read()).state.serial).toBe(4);
});

test("a move that got no answer is finished by the next one, whether it arrived or not", async () => {
  for (const isAdded of [true, false]) {
    const { log, open } = await places();
    await expect(move(log("a"), failing(log("b"), [lost()], isAdded))).rejects.toMatchObject({
      code: "IVR671",
    });
    // The target may have become live, so the source stays marked.
    await expect(open("a").read()).rejects.toMatchObject(moved);
    await move(log("a"), log("b"));
    expect((await open("b").read()).state.serial).toBe(3);
    await expect(open("a").read()).rejects.toMatchObject(moved);
  }
});

test("a state that the other place refuses stays where it is", async () => {
  const { log, open } = await places();
  const refusal = new StateProblem("IVR604", "too large");
  await expect(move(log("a"), failing(log("b"), [refusal]))).rejects.toMatchObject(refusal);
  expect((await open("a").read()).state.serial).toBe(3);
  expect((await open("b").read()).state.serial).toBe(0);
});

test("a refusal after a lost answer proves nothing, so the state counts as moved", async () => {
  const { log, open } = await places();
  const refusal = new StateProblem("IVR604", "too large");
  const store = openStore(failing(log("b"), [lost(), refusal]));
  const there = (await locked(store, "run-1")).session;
  const here = (await locked(open("a"), "run-1")).session;
  const source = { store: open("a"), session: here };
  const moving = moveState("production", source, { store, session: there });
  await expect(moving).rejects.toMatchObject({ code: "IVR604" });
  await here.close();
  await there.close();
  await expect(open("a").read()).rejects.toMatchObject(moved);
});

test("a state on its way to one place is not moved to another", async () => {
  const { log, open } = await places();
  await expect(move(log("a"), failing(log("b"), [lost()]))).rejects.toThrow("no answer");
  await expect(move(log("a"), new MemoryLog(undefined, "c"))).rejects.toMatchObject(moved);
  await move(log("a"), log("b"));
  expect((await open("b").read()).state.serial).toBe(3);
});

test("a place with a state in use is refused", async () => {
  const { log, open } = await places();
  const session = await sessionOf(open("b"));
  await session.append(begun("production", "another"));
  await session.close();
  await expect(move(log("a"), log("b"))).rejects.toMatchObject({ code: "IVR675" });
  expect((await open("a").read()).state.serial).toBe(3);
});

test("an empty place has nothing to move", async () => {
  const { log } = await places();
  await expect(move(log("b"), log("a"))).rejects.toMatchObject({ code: "IVR631" });
});
