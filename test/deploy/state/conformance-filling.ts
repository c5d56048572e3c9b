import { setImmediate as nextTurn } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import type { StateEvent } from "../../../src/schema/state.ts";
import { type Linked, link } from "../../../src/deploy/state/entries.ts";
import { Contradiction } from "../../../src/deploy/state/open-follow-ups.ts";
import type { Session, StateStore } from "../../../src/deploy/state/store.ts";
import { type Place, claim, locked, sessionOf } from "./conformance.ts";
import { begun, created, intent, unknown } from "./events.ts";

export const mark = {
  command: "ivrctl state push backup.jsonl --env production",
  source: "backup.jsonl",
  by: "asha@example",
  since: "2026-03-01T08:00:00.000Z",
};

/** Returns a valid history of these events. */
export function historyOf(events: readonly StateEvent[]): readonly Linked[] {
  let head = "";
  return events.map((event, at) => {
    const entry = { seq: at + 1, at: mark.since, run: "run-0", by: mark.by, event };
    const linked = link(head, entry);
    ({ head } = linked);
    return linked;
  });
}

const history = historyOf([
  begun("production"),
  intent("a"),
  created("a"),
  intent("b"),
  unknown("b"),
  intent("a", "replace"),
  created("a"),
]);
const head = history.at(-1)?.head ?? "";
const incomplete = { code: "IVR677", message: expect.stringContaining(mark.source) };

async function fillerOf(store: StateStore, id = "run-1"): Promise<Session> {
  return (await locked(store, id, { accepts: ["moved", "filling"] })).session;
}

/** Fills the store with this history in portions of two, and opens it. */
async function fillAll(store: StateStore, entries: readonly Linked[], id = "run-1") {
  const session = await fillerOf(store, id);
  const missing = entries.slice(session.state.serial);
  await session.fill(mark);
  for (let at = 0; at < missing.length; at += 2) await session.copy(missing.slice(at, at + 2));
  await session.seal(entries.at(-1)?.head ?? "");
  await session.open();
  await session.close();
}

async function expectRefused(open: () => StateStore): Promise<void> {
  await expect(open().read()).rejects.toMatchObject(incomplete);
  await expect(open().history()).rejects.toMatchObject(incomplete);
  await expect(open().lock(claim("run-9"))).rejects.toMatchObject(incomplete);
  await expect(open().lock(claim("run-9", { accepts: ["moved"] }))).rejects.toMatchObject(
    incomplete,
  );
}

async function expectHeld(open: () => StateStore, entries: readonly Linked[]): Promise<void> {
  expect(await open().history()).toEqual(entries);
  const { state } = await open().read();
  expect(state).toMatchObject({ serial: entries.length, head: entries.at(-1)?.head ?? "" });
}

/** Tests the promises of a store about filling. */
export function fillingConformance(name: string, make: () => Promise<Place>): void {
  const place = async () => {
    const { open } = await make();
    return () => open("production");
  };
  /** A store with the first entries of the history. */
  const begunWith = async (count: number) => {
    const open = await place();
    if (count > 0) await fillAll(open(), history.slice(0, count), "run-0");
    return open;
  };

  describe(`${name}: a fill is complete or has no effect:`, () => {
    test.each([0, 3])(
      "from %i events: refuses the state until the fill is opened",
      async (count) => {
        const open = await begunWith(count);
        const session = await fillerOf(open());
        expect(session.filling).toBeNull();
        await session.fill(mark);
        expect(session.filling).toEqual({ ...mark, head: null });
        await session.copy(history.slice(count, 5));
        await expect(open().read()).rejects.toMatchObject(incomplete);
        await expect(open().history()).rejects.toMatchObject(incomplete);
        await session.copy(history.slice(5));
        // The session's state does not change before the fill is opened.
        expect(session.state.serial).toBe(count);
        await session.seal(head);
        expect(session.filling).toEqual({ ...mark, head });
        await expect(open().read()).rejects.toMatchObject(incomplete);
        await expect(open().history()).rejects.toMatchObject(incomplete);
        await session.open();
        expect(session.filling).toBeNull();
        expect(session.state).toMatchObject({ serial: 7, head });
        await expectHeld(open, history);
        await session.close();
        await expectHeld(open, history);
        const { state } = await open().read();
        expect(state.keys.get("a")?.current).not.toBeNull();
        expect([...state.followUps.keys()]).toEqual(["F7"]);
        const next = await sessionOf(open(), "run-2");
        await next.append(created("b"));
        await next.close();
        expect((await open().history()).map(({ entry }) => entry.seq)).toEqual([
          1, 2, 3, 4, 5, 6, 7, 8,
        ]);
        expect((await open().read()).state.keys.get("b")?.pending).toBeNull();
      },
    );

    test.each([0, 3])(
      "from %i events: an interruption at any point leaves the state marked",
      async (count) => {
        const open = await begunWith(count);
        const stops: ((session: Session) => Promise<void>)[] = [
          async () => {},
          (session) => session.copy(history.slice(count, 5)),
          async (session) => {
            await session.copy(history.slice(count, 5));
            await session.copy(history.slice(5));
          },
        ];
        for (const stop of stops) {
          const session = await fillerOf(open());
          await session.fill(mark);
          await stop(session);
          await session.close();
          await expectRefused(open);
          expect(await open().holder()).toBeNull();
          const next = await fillerOf(open(), "run-2");
          expect(next.filling).toEqual({ ...mark, head: null });
          expect(next.state.serial).toBe(count);
          await next.close();
        }
        await fillAll(open(), history);
        await expectHeld(open, history);
      },
    );

    test("readers see a long history in one step", async () => {
      const open = await place();
      const events: StateEvent[] = [begun("production")];
      for (let at = 0; at < 600; at += 1) events.push(intent(`k${at}`), created(`k${at}`));
      const long = historyOf(events);
      const session = await fillerOf(open());
      await session.fill(mark);
      for (let at = 0; at < long.length; at += 500) await session.copy(long.slice(at, at + 500));
      await session.seal(long.at(-1)?.head ?? "");
      const opening = session.open().then(() => "open" as const);
      const look = async () => {
        await nextTurn();
        const found = await open()
          .read()
          .then(({ state }) => state.serial)
          .catch((error: unknown) => error);
        if (typeof found === "number") expect(found).toBe(long.length);
        else expect(found).toMatchObject(incomplete);
      };
      while ((await Promise.race([opening, look()])) !== "open");
      await session.close();
      await expectHeld(open, long);
    });

    test.each([0, 3])(
      "from %i events: discard restores the state from before the fill",
      async (count) => {
        const open = await begunWith(count);
        const session = await fillerOf(open());
        await session.fill(mark);
        await session.copy(history.slice(count, 5));
        await session.discard();
        expect(session.filling).toBeNull();
        await session.close();
        await expectHeld(open, history.slice(0, count));
        const again = await fillerOf(open());
        await again.fill(mark);
        await again.copy(history.slice(count, 5));
        await again.close();
        const other = await fillerOf(open(), "run-2");
        await other.discard();
        await other.close();
        await expectHeld(open, history.slice(0, count));
        const next = await sessionOf(open(), "run-3");
        expect(next.filling).toBeNull();
        await next.append(count === 0 ? begun("production") : intent("c"));
        await next.close();
        expect((await open().read()).state.serial).toBe(count + 1);
      },
    );

    test.each(["closed", "abandoned"])("a fill that was %s can be started again", async (how) => {
      const open = await begunWith(3);
      const other = historyOf([
        ...history.slice(0, 3).map(({ entry }) => entry.event),
        intent("c"),
        created("c"),
        intent("d"),
      ]);
      expect(other[2]?.head).toBe(history[2]?.head);
      const old = await fillerOf(open());
      await old.fill(mark);
      await old.copy(other.slice(3));
      if (how === "closed") await old.close();
      else expect(await open().unlock("run-1")).toMatchObject({ id: "run-1" });
      const next = await fillerOf(open(), "run-2");
      const second = { ...mark, command: "ivrctl state push other.jsonl" };
      await next.fill(second);
      expect(next.filling).toEqual({ ...second, head: null });
      // Shorter than the entries that are dropped.
      await next.copy(history.slice(3, 5));
      await next.seal(history[4]?.head ?? "");
      await next.open();
      await next.close();
      await expectHeld(open, history.slice(0, 5));
      await old.close();
      await expectHeld(open, history.slice(0, 5));
    });

    test("seal refuses a head that the staged entries do not have", async () => {
      const open = await place();
      const session = await fillerOf(open());
      await session.fill(mark);
      await session.copy(history.slice(0, 5));
      await expect(session.seal(head)).rejects.toMatchObject({ code: "IVR675" });
      expect(session.filling?.head).toBeNull();
      await expect(session.open()).rejects.toThrow("not sealed");
      await session.close();
      const next = await fillerOf(open(), "run-2");
      expect(next.filling).toEqual({ ...mark, head: null });
      await next.close();
      await expectRefused(open);
    });

    test("a later session opens a sealed fill", async () => {
      const open = await begunWith(3);
      const session = await fillerOf(open());
      await session.fill(mark);
      await session.copy(history.slice(3, 5));
      await session.copy(history.slice(5));
      await session.seal(head);
      await session.close();
      await expectRefused(open);
      const second = await fillerOf(open(), "run-2");
      expect(second.filling).toEqual({ ...mark, head });
      await expect(second.discard()).rejects.toThrow("not discarded");
      expect(second.state.serial).toBe(3);
      await second.close();
      await expectRefused(open);
      const third = await fillerOf(open(), "run-3");
      await third.open();
      expect(third.state).toMatchObject({ serial: 7, head });
      await third.close();
      await expectHeld(open, history);
      const next = await sessionOf(open(), "run-4");
      expect(next.filling).toBeNull();
      await next.append(created("b"));
      await next.close();
    });

    test("refuses to stage entries that do not continue the history", async () => {
      const open = await begunWith(3);
      for (const entries of [history, history.slice(2), history.slice(4)]) {
        const session = await fillerOf(open());
        await session.fill(mark);
        await expect(session.copy(entries)).rejects.toBeInstanceOf(Contradiction);
        await session.close();
      }
      const session = await fillerOf(open());
      await session.discard();
      await session.close();
      await expectHeld(open, history.slice(0, 3));
    });

    test("a session that fills a state adds no other events", async () => {
      const open = await place();
      const session = await fillerOf(open());
      await expect(session.copy(history)).rejects.toThrow("Nothing is being filled");
      await session.fill(mark);
      await expect(session.append(begun("production"))).rejects.toThrow("adds nothing else");
      await session.close();
      const next = await fillerOf(open(), "run-2");
      await expect(next.append(begun("production"))).rejects.toThrow("adds nothing else");
      await next.close();
    });

    test("refuses a moved state until it has been filled and opened", async () => {
      const open = await begunWith(3);
      const leaving = await sessionOf(open());
      expect(leaving.movedTo).toBeNull();
      await leaving.relocate("the moon");
      expect(leaving.movedTo).toBe("the moon");
      await leaving.close();
      const gone = { code: "IVR674", message: expect.stringContaining("the moon") };
      await expect(open().read()).rejects.toMatchObject(gone);
      await expect(open().lock(claim("run-2"))).rejects.toMatchObject(gone);
      await expect(open().lock(claim("run-2", { accepts: ["filling"] }))).rejects.toMatchObject(
        gone,
      );
      expect(await open().history()).toEqual(history.slice(0, 3));

      const back = await fillerOf(open(), "run-2");
      expect(back.movedTo).toBe("the moon");
      await back.fill(mark);
      await back.copy(history.slice(3));
      await back.close();
      await expectRefused(open);
      await expect(open().lock(claim("run-3", { accepts: ["filling"] }))).rejects.toMatchObject(
        gone,
      );

      const discarding = await fillerOf(open(), "run-3");
      expect(discarding.movedTo).toBe("the moon");
      await discarding.discard();
      await discarding.close();
      await expect(open().read()).rejects.toMatchObject(gone);
      expect(await open().history()).toEqual(history.slice(0, 3));

      await fillAll(open(), history, "run-4");
      await expectHeld(open, history);
      const next = await sessionOf(open(), "run-5");
      expect(next.movedTo).toBeNull();
      await next.close();
    });

    test("a moved state comes back even if no entry is missing", async () => {
      const open = await begunWith(history.length);
      const leaving = await sessionOf(open());
      await leaving.relocate("the moon");
      await leaving.close();
      const back = await fillerOf(open(), "run-2");
      await back.fill(mark);
      await back.seal(head);
      await back.open();
      await back.close();
      expect((await open().read()).state.head).toBe(head);
      await expectHeld(open, history);
    });

    test("fencing: a session that has lost the lock changes nothing", async () => {
      const open = await begunWith(3);
      const prepare = async (session: Session, steps: number) => {
        if (steps > 0) await session.fill(mark);
        if (steps > 1) await session.copy(history.slice(3));
        if (steps > 2) await session.seal(head);
      };
      const deeds: [number, (session: Session) => Promise<void>][] = [
        [0, (session) => session.fill({ ...mark, source: "never" })],
        [1, (session) => session.copy(history.slice(3))],
        [2, (session) => session.seal(head)],
        [1, (session) => session.discard()],
        [3, (session) => session.open()],
      ];
      for (const [steps, deed] of deeds) {
        for (const taken of [false, true]) {
          const old = await fillerOf(open(), "old");
          await prepare(old, steps);
          expect(await open().unlock("old")).toMatchObject({ id: "old" });
          const between = taken ? await fillerOf(open(), "new") : undefined;
          await expect(deed(old)).rejects.toMatchObject({ code: "IVR601" });
          await old.close();
          await between?.close();
          const next = await fillerOf(open(), "next");
          expect(next.filling).toEqual(
            steps === 0 ? null : { ...mark, head: steps === 3 ? head : null },
          );
          if (next.filling !== null) {
            await next.fill(mark);
            await next.discard();
          }
          await next.close();
          await expectHeld(open, history.slice(0, 3));
        }
      }
    });

    test("fencing: entries staged by an old session never mix with those of the new one", async () => {
      const open = await place();
      const old = await fillerOf(open(), "old");
      await old.fill(mark);
      await old.copy(history.slice(0, 2));
      await open().unlock("old");
      const next = await fillerOf(open(), "new");
      await next.fill(mark);
      await next.copy(history.slice(0, 4));
      await expect(old.copy(history.slice(2, 4))).rejects.toMatchObject({ code: "IVR601" });
      await old.close();
      await next.copy(history.slice(4));
      await next.seal(head);
      await next.open();
      await next.close();
      await expectHeld(open, history);
    });

    test("a fill of one environment does not affect another", async () => {
      const { open } = await make();
      const staging = await sessionOf(open("staging"));
      await staging.append(begun("staging"));
      await staging.close();
      const session = await fillerOf(open("production"));
      await session.fill(mark);
      await session.copy(history);
      expect((await open("staging").read()).state.serial).toBe(1);
      await session.seal(head);
      await session.open();
      await session.close();
      expect((await open("staging").read()).state.serial).toBe(1);
    });

    test("unlock ends the lock of a dead holder, but not a lock with another id", async ({
      skip,
    }) => {
      const { open, leaveDeadLock } = await make();
      if (leaveDeadLock === undefined)
        return skip("This store ends the lock of a dead holder itself.");
      expect(await open("production").leftLock()).toBeNull();
      await leaveDeadLock("production", "job-17");
      expect(await open("production").holder()).toBeNull();
      expect(await open("production").leftLock()).toMatchObject({ id: "job-17" });
      expect(await open("production").unlock("job-18")).toMatchObject({ id: "job-17" });
      expect(await open("production").unlock("job-17")).toMatchObject({ id: "job-17" });
      expect(await open("production").unlock("job-17")).toBeNull();
      expect(await open("production").leftLock()).toBeNull();
      const { session, notes } = await locked(open("production"), "run-2");
      // There was no lock to take over.
      expect(notes).toEqual([]);
      await session.close();
    });
  });
}
