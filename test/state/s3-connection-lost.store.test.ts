import { setTimeout as sleep } from "node:timers/promises";
import { type TestContext, describe, expect, test, vi } from "vitest";
import type { LogStore } from "../../src/deploy/state/log/log-store.ts";
import { Cable } from "../support/cable.ts";
import { type Asked, type Fate, Gate } from "../support/gate.ts";
import { freshPrefix, radosgw } from "../support/radosgw.ts";
import { storeAt, useCredentials } from "../support/s3.ts";
import { claim, locked, sessionOf } from "./conformance.ts";
import { begun, created, intent } from "./events.ts";

const server = radosgw(useCredentials);

/** The context of the test, because most tests here run at the same time. */
type Ending = Pick<TestContext, "onTestFinished">;

/** A store behind a cable, and the same store without the cable. */
async function behindCable({ onTestFinished }: Ending, maxWait?: number) {
  const cable = new Cable(server().port);
  await cable.plugIn();
  onTestFinished(() => cable.unplug());
  return { cable, ...statesAt(`http://127.0.0.1:${cable.port}`, maxWait) };
}

/** A store behind a gate, and the same store without the gate. */
async function behindGate({ onTestFinished }: Ending, maxWait?: number) {
  const gate = new Gate(server().port);
  await gate.open();
  onTestFinished(() => gate.close());
  return { gate, ...statesAt(gate.endpoint, maxWait) };
}

function statesAt(endpoint: string, maxWait?: number) {
  const prefix = freshPrefix();
  const store = storeAt(endpoint, prefix, maxWait === undefined ? {} : { maxWait });
  return { prefix, store, direct: storeAt(server().endpoint, prefix) };
}

const eventsOf = async (store: LogStore) => (await store.history()).map(({ entry }) => entry.event);

/** Whether the request adds to the log. */
const adds = ({ method, path }: Asked) => method === "PUT" && path.includes("/log/");

/** Returns a function that gives this fate to the first `count` requests that add to the log. */
function first(count: number, fate: Fate): (asked: Asked) => Fate {
  let left = count;
  return (asked) => {
    if (!adds(asked) || left === 0) return { kind: "pass" };
    left -= 1;
    return fate;
  };
}

const fates: readonly (readonly [what: string, fate: Fate])[] = [
  ["the connection is cut before the store gets the request", { kind: "cut", reaches: "never" }],
  ["the connection is cut before the answer", { kind: "cut", reaches: "first" }],
  ["the connection is cut, and the store gets the request later", { kind: "cut", reaches: 150 }],
  ["the store is busy", answered(503, "SlowDown", "never")],
  ["the store fails before it creates the object", answered(500, "InternalError", "never")],
  ["the store fails after it created the object", answered(500, "InternalError", "first")],
  ["the store fails, and creates the object later", answered(500, "InternalError", 150)],
  [
    "another request for the same object is running",
    answered(409, "ConditionalRequestConflict", "never"),
  ],
  ["a proxy times out after the store created the object", answered(504, "x", "first")],
];

/** A promise that the test resolves. */
function held() {
  let resolve = () => {};
  const promise = new Promise<void>((done) => (resolve = done));
  return { promise, resolve: () => resolve() };
}

function answered(status: number, code: string, reaches: "never" | "first" | number): Fate {
  return { kind: "answer", status, code, reaches };
}

describe.concurrent("an answer that never came", () => {
  test.for(fates)(
    "%s: the event is added once, and the session continues",
    async ([, fate], context) => {
      const { gate, store, direct } = await behindGate(context);
      const session = await sessionOf(store);
      await session.append(begun("production"));
      gate.fate = first(2, fate);
      await Promise.all([session.append(intent("a")), session.append(created("a"))]);
      await session.append(intent("b"));
      expect(session.state.serial).toBe(4);
      await session.close();
      expect(await eventsOf(direct)).toEqual([
        begun("production"),
        intent("a"),
        created("a"),
        intent("b"),
      ]);
      expect((await direct.read()).notes).toEqual([]);
      expect(await direct.holder()).toBeNull();
    },
  );

  test.for(fates.slice(0, 3))(
    "%s: the lock is taken once, and released once",
    async ([, fate], context) => {
      const { gate, store, direct } = await behindGate(context);
      gate.fate = first(2, fate);
      const session = await sessionOf(store);
      expect(await direct.lock(claim("run-2"))).toMatchObject({
        kind: "held",
        lock: { id: "run-1" },
      });
      await session.append(begun("production"));
      gate.fate = first(2, fate);
      await session.close();
      expect(await direct.holder()).toBeNull();
      const next = await locked(direct, "run-2");
      expect(next.notes).toEqual([]);
      await next.session.close();
    },
  );

  test.for(fates.slice(0, 3))("%s: unlock ends the lock", async ([, fate], context) => {
    const { gate, store, direct } = await behindGate(context);
    const session = await sessionOf(direct);
    await session.append(begun("production"));
    gate.fate = first(2, fate);
    expect(await store.unlock("run-1")).toMatchObject({ id: "run-1" });
    await expect(session.append(intent("a"))).rejects.toMatchObject({ code: "IVR601" });
    await session.close();
    expect(await eventsOf(direct)).toEqual([begun("production")]);
  });

  test("after a repeated request, the session knows that it still holds the lock", async (context) => {
    const { gate, store } = await behindGate(context);
    const session = await sessionOf(store);
    await session.append(begun("production"));
    gate.fate = first(1, { kind: "cut", reaches: "first" });
    await session.append(intent("a"));
    expect(session.isConfirmed).toBe(true);
    await session.confirm();
    await session.close();
  });

  test("a late request is not added if another run holds the lock", async (context) => {
    const { gate, store, direct } = await behindGate(context, 300);
    const session = await sessionOf(store);
    await session.append(begun("production"));
    const { promise, resolve } = held();
    gate.fate = (asked) =>
      adds(asked)
        ? { kind: "cut", reaches: asked.body.includes("intent") ? promise : "never" }
        : pass;
    await expect(session.append(intent("a"))).rejects.toMatchObject({ code: "IVR671" });
    await session.close();
    expect(await direct.unlock("run-1")).toMatchObject({ id: "run-1" });
    const next = await sessionOf(direct, "run-2");
    await next.append(intent("b"));
    resolve();
    await gate.arrived();
    await next.append(created("b"));
    await next.close();
    expect(await eventsOf(direct)).toEqual([begun("production"), intent("b"), created("b")]);
  });

  test("a late request that arrives before the next session is added once, and that session sees it", async (context) => {
    const { gate, store, direct } = await behindGate(context, 300);
    const session = await sessionOf(store);
    await session.append(begun("production"));
    const { promise, resolve } = held();
    gate.fate = (asked) =>
      adds(asked)
        ? { kind: "cut", reaches: asked.body.includes("intent") ? promise : "never" }
        : pass;
    await expect(session.append(intent("a"))).rejects.toMatchObject({ code: "IVR671" });
    await session.close();
    resolve();
    await gate.arrived();
    expect((await direct.read()).state.serial).toBe(2);
    expect(await direct.unlock("run-1")).toMatchObject({ id: "run-1" });
    const next = await sessionOf(direct, "run-2");
    expect([...next.state.keys.keys()]).toEqual(["a"]);
    await next.close();
    expect(await eventsOf(direct)).toEqual([begun("production"), intent("a")]);
  });
});

// Runs alone, because it changes the clock.
test("a late answer counts only if the session still holds the lock", async (context) => {
  const { now } = Date;
  let late = 0;
  const clock = vi.spyOn(Date, "now").mockImplementation(() => now() + late);
  context.onTestFinished(() => clock.mockRestore());
  const outcomeIf = async (isReleased: boolean) => {
    const { gate, store, direct } = await behindGate(context);
    const session = await sessionOf(store);
    await session.append(begun("production"));
    const { promise, resolve } = held();
    gate.fate = (asked) => (adds(asked) ? { kind: "pass", answered: promise } : pass);
    const asked = session.append(intent("a"));
    while ((await direct.read()).state.serial < 2) await sleep(20);
    if (isReleased) expect(await direct.unlock("run-1")).toMatchObject({ id: "run-1" });
    // A confirmation of the lock expires after 5 seconds.
    late += 5500;
    resolve();
    await asked;
    expect(session.isConfirmed).toBe(false);
    const outcome = await session.confirm().then(
      () => "confirmed",
      (error: unknown) => error,
    );
    gate.fate = () => pass;
    await session.close();
    expect(await eventsOf(direct)).toEqual([begun("production"), intent("a")]);
    return outcome;
  };
  expect(await outcomeIf(true)).toMatchObject({ code: "IVR601" });
  expect(await outcomeIf(false)).toBe("confirmed");
});

// For what all stores have in common see ../connection-lost.test.ts.
describe.concurrent("a connection that is lost during a session", () => {
  test("while it is idle: nothing happens, and the lock stays", async (context) => {
    const { cable, store, direct } = await behindCable(context);
    const session = await sessionOf(store);
    await session.append(begun("production"));
    cable.cut();
    expect(await direct.lock(claim("run-2"))).toMatchObject({ kind: "held" });
    await session.append(intent("a"));
    await session.close();
    expect(await direct.holder()).toBeNull();
  });

  test("for a while: the watcher is notified, and again when it is back", async (context) => {
    const { cable, store, direct } = await behindCable(context);
    const notified: string[] = [];
    const watcher = {
      lost: (why: string, seconds: number) => notified.push(`${why} ${seconds > 20}`),
      back: () => notified.push("back"),
    };
    const { session } = await locked(store, "run-1", { watcher });
    await session.append(begun("production"));
    await cable.unplug();
    const asked = session.append(intent("a"));
    while (notified.length === 0) await sleep(20);
    await cable.plugIn();
    await asked;
    expect(notified).toEqual([expect.stringMatching(/^s3:.*cannot be reached.* true$/), "back"]);
    await session.close();
    expect(await eventsOf(direct)).toEqual([begun("production"), intent("a")]);
  });

  test("before a read: it fails after some seconds and says how to fix it", async (context) => {
    const { cable, store } = await behindCable(context);
    await cable.unplug();
    await expect(store.read()).rejects.toMatchObject({
      code: "IVR671",
      hint: expect.stringContaining("`endpoint:`"),
    });
  });
});

const pass: Fate = { kind: "pass" };
