import { expect, test } from "vitest";
import type { StateEvent } from "../../../src/schema/state.ts";
import { type Fate, Gate } from "../../support/gate.ts";
import { objectsOf } from "../../support/objects.ts";
import { radosgw } from "../../support/radosgw.ts";
import { storeAt, useCredentials } from "../../support/s3.ts";
import { historyOf, mark } from "../../deploy/state/conformance-filling.ts";
import { locked, sessionOf } from "../../deploy/state/conformance.ts";
import { begun, created, intent } from "../../deploy/state/events.ts";

const server = radosgw(useCredentials);
const menus = (from: number, to: number): StateEvent[] =>
  Array.from({ length: to - from }, (_, at) => `k${from + at}`).flatMap((key) => [
    intent(key),
    created(key),
  ]);

const long = historyOf([begun("production"), ...menus(0, 40)]);
const headAt = (count: number) => long[count - 1]?.head ?? "";
const filler = { accepts: ["moved", "filling"] as const };

test("no snapshot is written during a fill, and later ones are correct", async () => {
  const { open, names, remove } = objectsOf(server());
  const first = (await locked(open(), "run-1", filler)).session;
  await first.fill(mark);
  await first.copy(long.slice(0, 21));
  await first.seal(headAt(21));
  await first.open();
  await first.close();
  for (let round = 0; round < 4; round += 1) {
    const session = (await locked(open(), "run-2", filler)).session;
    await session.fill(mark);
    for (let from = 21; from < 61; from += 1) await session.copy(long.slice(from, from + 1));
    await session.close();
  }
  expect(names("snapshots/")).toEqual([]);
  const third = (await locked(open(), "run-3", filler)).session;
  await third.discard();
  await third.close();
  expect(names("snapshots/")).toHaveLength(1);
  expect((await open().read()).state.head).toBe(headAt(21));

  const last = (await locked(open(), "run-4", filler)).session;
  await last.fill(mark);
  for (let from = 21; from < 81; from += 10) await last.copy(long.slice(from, from + 10));
  await last.seal(headAt(81));
  await last.open();
  await last.close();
  const more = await sessionOf(open(), "run-5");
  for (const event of menus(40, 60)) await more.append(event);
  await more.close();
  expect(names("snapshots/").length).toBeGreaterThan(2);
  const whole = await open().history();
  expect(whole.slice(0, 81)).toEqual(long);
  expect(whole).toHaveLength(121);
  const { state } = await open().read();
  expect([state.serial, state.keys.size]).toEqual([121, 60]);
  // Read from an older snapshot, and without one.
  for (const gone of [names("snapshots/").slice(-1), names("snapshots/")]) {
    for (const name of gone) await remove(name);
    expect(await open().history()).toEqual(whole);
    const again = await open().read();
    expect([...again.state.keys]).toEqual([...state.keys]);
    expect(again.state.head).toBe(state.head);
  }
});

test.for(["never", "first", 40] as const)(
  "a fill that is cut at any request (the store gets it: %s) is completed once",
  async (reaches, { onTestFinished }) => {
    const pass: Fate = { kind: "pass" };
    for (let at = 1; ; at += 1) {
      const gate = new Gate(server().port);
      await gate.open();
      onTestFinished(() => gate.close());
      const { open, prefix } = objectsOf(server());
      let requests = 0;
      gate.fate = () => ((requests += 1) === at ? { kind: "cut", reaches } : pass);
      const { session } = await locked(storeAt(gate.endpoint, prefix), "run-1", filler);
      await session.fill(mark);
      await session.copy(long.slice(0, 3));
      await session.copy(long.slice(3, 5));
      await session.seal(headAt(5));
      await session.open();
      await session.close();
      expect(await open().history()).toEqual(long.slice(0, 5));
      const { state, notes } = await open().read();
      expect([state.head, notes]).toEqual([headAt(5), []]);
      expect(await open().holder()).toBeNull();
      if (requests < at) break;
    }
  },
);

test("an edited staged entry is reported as damage of its object", async () => {
  const { open, get, put } = objectsOf(server());
  const { session } = await locked(open(), "run-1", filler);
  await session.fill(mark);
  await session.copy(long.slice(0, 3));
  const name = "log/000000000003";
  await put(name, Buffer.from((await get(name)).toString().replace("k0", "k1")));
  const damaged = { code: "IVR603", message: expect.stringContaining(name) };
  await expect(session.seal(headAt(3))).rejects.toMatchObject(damaged);
  await session.close();
  await expect(open().read()).rejects.toMatchObject(damaged);
});
