import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, onTestFinished, test } from "vitest";
import type { Session, StateStore } from "../../../src/deploy/state/store.ts";
import { type Asked, type Fate, Gate } from "../../support/gate.ts";
import { objectsOf } from "../../support/objects.ts";
import { until } from "../../support/project.ts";
import { freshPrefix, radosgw } from "../../support/radosgw.ts";
import { leaveDeadLock, storeAt, useCredentials } from "../../support/s3.ts";
import { historyOf, mark } from "../../deploy/state/conformance-filling.ts";
import { claim, locked, sessionOf } from "../../deploy/state/conformance.ts";
import { begun, created, intent } from "../../deploy/state/events.ts";

const server = radosgw(useCredentials);
const place = () => objectsOf(server());

/** Begins a state and creates two menus: the lock, objects 2 to 4, and the release of the lock. */
async function twoMenus(store: StateStore): Promise<void> {
  const session = await sessionOf(store);
  await session.append(begun("production"), intent("a"));
  await session.append(created("a"), intent("b"));
  await session.append(created("b"));
  await session.close();
}

async function expectRefused(open: () => StateStore, missing: RegExp): Promise<void> {
  const cut = {
    code: "IVR603",
    message: expect.stringMatching(missing),
    hint: expect.stringContaining("Restore production/log/"),
  };
  await expect(open().read()).rejects.toMatchObject(cut);
  await expect(open().history()).rejects.toMatchObject(cut);
  await expect(open().lock(claim("run-2"))).rejects.toMatchObject(cut);
  await expect(open().unlock("run-1")).rejects.toMatchObject(cut);
}

describe("a log without its end is refused:", () => {
  test.each([1, 2, 3, 4])("from object %i on", async (from) => {
    const { open, names, remove, get, put } = place();
    await twoMenus(open());
    expect(names("snapshots/")).toEqual([]);
    const lost = names("log/").slice(from - 1);
    const kept = await Promise.all(lost.map(get));
    for (const name of lost) await remove(name);
    await expectRefused(
      open,
      new RegExp(
        `log/00000000000${from} .*is missing: production/heads/999999999995-\\w{16} .*object 4\\. Menus`,
      ),
    );
    expect(names("log/")).toHaveLength(from - 1);
    // The state is as before once the objects are restored.
    await Promise.all(lost.map(async (name, at) => put(name, kept[at] ?? Buffer.alloc(0))));
    expect((await open().read()).state.serial).toBe(5);
  });

  test("but not if only the release of the lock is missing", async () => {
    const { open, names, remove } = place();
    await twoMenus(open());
    await remove(names("log/").at(-1) ?? "");
    expect((await open().read()).state.serial).toBe(5);
    expect(await open().unlock("run-1")).toMatchObject({ id: "run-1" });
  });

  test("if the last object is another one", async () => {
    const [one, other] = [place(), place()];
    for (const { open } of [one, other]) await twoMenus(open());
    for (const name of one.names("log/")) await one.put(name, await other.get(name));
    await expect(one.open().read()).rejects.toMatchObject({
      code: "IVR603",
      message: expect.stringMatching(/log\/000000000004 .*is not the one that production\/heads\//),
    });
  });

  test("if the mark of a moved state is missing", async () => {
    const { open, names, remove } = place();
    const session = await sessionOf(open());
    await session.append(begun("production"));
    await session.relocate("the moon");
    await session.close();
    for (const name of names("log/").slice(2)) await remove(name);
    expect(names("log/")).toHaveLength(2);
    await expectRefused(open, /log\/000000000003 .*is missing/);
  });

  const history = historyOf([begun("production"), intent("a"), created("a")]);
  const steps: readonly (readonly [string, (session: Session) => Promise<void>])[] = [
    ["if the mark of a fill is missing", (session) => session.fill(mark)],
    ["if staged entries are missing", (session) => session.copy(history)],
    ["if the seal of a fill is missing", (session) => session.seal(history.at(-1)?.head ?? "")],
    ["if the end of a fill is missing", (session) => session.open()],
  ];
  test.each(steps.map(([what], at) => [what, at] as const))("%s", async (_, at) => {
    const { open, names, remove } = place();
    const { session } = await locked(open(), "run-1", { accepts: ["filling"] });
    for (const [, step] of steps.slice(0, at + 1)) await step(session);
    await session.close();
    for (const name of names("log/").slice(at + 1)) await remove(name);
    expect(names("log/")).toHaveLength(at + 1);
    await expectRefused(open, new RegExp(`log/00000000000${at + 2} .*is missing`));
  });
});

describe("heads", () => {
  test("are not needed for a log of an older version, or if they were deleted", async () => {
    const { open, names, remove } = place();
    await twoMenus(open());
    const heads = names("heads/");
    expect(heads).toHaveLength(3);
    for (const name of heads) await remove(name);
    const { state, notes } = await open().read();
    expect([state.serial, notes]).toEqual([5, []]);
    const session = await sessionOf(open(), "run-2");
    await session.append(intent("c"));
    await session.close();
    expect(names("heads/")).toHaveLength(1);
  });

  test("are found among other objects", async () => {
    const { open, names, put, remove } = place();
    await twoMenus(open());
    await put("heads/.keep", Buffer.alloc(0));
    await put("heads/README", Buffer.from("hello"));
    expect((await open().read()).state.serial).toBe(5);
    for (const name of names("log/").slice(3)) await remove(name);
    await expectRefused(open, /000000000004/);
  });

  const pass: Fate = { kind: "pass" };
  const ofHead = ({ method, path }: Asked) => method === "PUT" && path.includes("/heads/");

  test("nothing is acknowledged before its head exists", async () => {
    const gate = new Gate(server().port);
    await gate.open();
    onTestFinished(() => gate.close());
    const prefix = freshPrefix();
    const patient = await sessionOf(storeAt(gate.endpoint, prefix));
    await patient.append(begun("production"));
    let letGo = () => {};
    const held = new Promise<void>((resolve) => (letGo = resolve));
    gate.fate = (asked) => (ofHead(asked) ? { kind: "pass", after: held } : pass);
    let isTold = false;
    const asked = patient.append(intent("a")).then(() => (isTold = true));
    const direct = storeAt(server().endpoint, prefix);
    while ((await direct.read()).state.serial < 2) await sleep(20);
    expect(isTold).toBe(false);
    letGo();
    await asked;
    await patient.close();
    const session = await sessionOf(storeAt(gate.endpoint, prefix, { maxWait: 3000 }), "run-2");
    gate.fate = (one) => (ofHead(one) ? { kind: "cut", reaches: "never" } : pass);
    await expect(session.append(intent("b"))).rejects.toMatchObject({ code: "IVR671" });
    await expect(session.append(intent("c"))).rejects.toMatchObject({ code: "IVR671" });
    await session.close();
    const { state } = await direct.read();
    expect([...state.keys.keys()]).toEqual(["a", "b"]);
  });

  test("a late head does not replace a newer one", async () => {
    const gate = new Gate(server().port);
    await gate.open();
    onTestFinished(() => gate.close());
    const { open, prefix, names, remove } = place();
    const slow = await sessionOf(storeAt(gate.endpoint, prefix));
    let letGo = () => {};
    const held = new Promise<void>((resolve) => (letGo = resolve));
    gate.fate = (asked) => (ofHead(asked) ? { kind: "pass", after: held } : pass);
    const asked = slow.append(begun("production"));
    await until(() => names("log/").length === 2);
    expect(await open().unlock("run-1")).toMatchObject({ id: "run-1" });
    const next = await sessionOf(open(), "run-2");
    await next.append(intent("a"));
    letGo();
    await asked;
    await slow.close();
    await next.close();
    expect(names("heads/")).toHaveLength(2);
    for (const name of names("log/").slice(4)) await remove(name);
    await expectRefused(open, /log\/000000000005 .*reached object 5/);
  });
});

test("`unlock` ends the lock of a dead process on this machine", async () => {
  const { open, prefix, names } = place();
  await leaveDeadLock(server().endpoint, prefix, "production", "job-17");
  expect(await open().holder()).toBeNull();
  expect(await open().unlock("job-18")).toMatchObject({ id: "job-17" });
  expect(await open().unlock("job-17")).toMatchObject({ id: "job-17" });
  expect(names("log/")).toHaveLength(2);
  expect(await open().unlock("job-17")).toBeNull();
});
