import { setImmediate as nextTurn } from "node:timers/promises";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import type { StateEvent } from "../../src/schema/state.ts";
import { ownIdentity, logHost } from "../../src/deploy/state/process-identity.ts";
import type { CommitLog } from "../../src/deploy/state/log/commit-log.ts";
import { StateStore } from "../../src/deploy/state/log/state-store.ts";
import { type Claim, StateProblem } from "../../src/deploy/state/lock.ts";
import type { Session } from "../../src/deploy/state/log/session.ts";
import { menuKeys, openFollowUps } from "../../src/deploy/state/view.ts";
import { testHost } from "../support/host.ts";
import { MemoryWitness, openStore } from "../support/memory-log.ts";
import { until } from "../support/project.ts";
import { skipWaits, stopClock } from "../support/waits.ts";
import { begun, created, failed, intent, replaced, unknown } from "./events.ts";

/** A new place for the logs of some environments. */
export interface Place {
  /** Opens a log, as in another process. */
  readonly log: (environment: string) => CommitLog;
  /** Deletes a block, as somebody could who has access to the store. */
  readonly remove: (environment: string, n: number) => Promise<void>;
}

export const claim = (id: string, fields: Partial<Claim> = {}): Claim => ({
  id,
  by: `${id}@example`,
  command: "apply",
  wait: 0,
  ...fields,
});

export async function locked(store: StateStore, id = "run-1", fields: Partial<Claim> = {}) {
  const found = await store.lock(claim(id, fields));
  if (found.kind === "held") throw new Error(`held by ${found.lock.id}`);
  return found;
}

export async function sessionOf(store: StateStore, id = "run-1"): Promise<Session> {
  return (await locked(store, id)).session;
}

/** Tests the promises of every store. */
export function storeConformance(name: string, make: () => Promise<Place>): void {
  const place = async () => {
    const { log } = await make();
    const witness = new MemoryWitness();
    return () => openStore(log("production"), { witness });
  };

  describe(`${name} keeps the promises of a state store:`, () => {
    test("before the first event the state is empty, and reading creates nothing", async () => {
      const open = await place();
      const { state, notes } = await open().read();
      expect(state).toMatchObject({ origin: null, serial: 0, head: "" });
      expect([...state.records]).toEqual([]);
      expect(notes).toEqual([]);
      expect(await open().history()).toEqual([]);
      expect((await open().read()).holder).toBeNull();
      const session = await sessionOf(open());
      await session.close();
      expect((await open().read()).state.serial).toBe(0);
    });

    test("history: has every event in order, with its number, time, run and author", async () => {
      const open = await place();
      const first = await sessionOf(open());
      await first.append(begun("production"), intent("a"));
      await first.append(created("a"));
      await first.close();
      const second = await sessionOf(open(), "run-2");
      await second.append(intent("b"), unknown("b", 4));
      await second.close();
      const history = await open().history();
      expect(history.map(({ entry: { seq, run, by, event } }) => [seq, run, by, event])).toEqual([
        [1, "run-1", "run-1@example", begun("production")],
        [2, "run-1", "run-1@example", intent("a")],
        [3, "run-1", "run-1@example", created("a")],
        [4, "run-2", "run-2@example", intent("b")],
        [5, "run-2", "run-2@example", unknown("b", 4)],
      ]);
      for (const {
        entry: { at },
      } of history)
        expect(new Date(at).toISOString()).toBe(at);
    });

    test("the next session and every reader see the events of a session", async () => {
      const open = await place();
      const first = await sessionOf(open());
      await first.append(begun("production"), intent("a"), created("a"), intent("a", "replace"));
      await first.append(replaced("a", 4), intent("b"), unknown("b", 6));
      await first.close();
      const { state } = await open().read();
      const second = await sessionOf(open(), "run-2");
      for (const seen of [state, second.state]) {
        expect([...seen.records]).toEqual([...first.state.records]);
        expect(seen.origin).toEqual(first.state.origin);
        expect(seen.records.get("menu:b")?.pending?.seen).toEqual({
          status: 200,
          message: "no answer",
        });
        expect(openFollowUps(seen).map(({ id }) => id)).toEqual(["F1"]);
      }
      await second.close();
    });

    test("accepts any text as a key or a message", async () => {
      const open = await place();
      const texts = ["__proto__", "a/ü 😀", "line\nbreak\r\n\u2028", "\u0000", "\uD800", '"}{\\'];
      const session = await sessionOf(open());
      await session.append(begun("production"), ...texts.map((key) => intent(key)));
      const failure = { ...failed("\u0000", 5), message: "\u0000\uDFFF" };
      await session.append(failure);
      await session.close();
      const { state } = await open().read();
      expect(menuKeys(state)).toEqual(texts.filter((key) => key !== "\u0000"));
      expect((await open().history()).at(-1)?.entry.event).toMatchObject({
        message: "\u0000\uDFFF",
      });
    });

    test("lock: there is one holder; others learn who it is, since when and where", async () => {
      const open = await place();
      const session = await sessionOf(open());
      const refused = await open().lock(claim("run-2"));
      const holder = (await open().read()).holder;
      expect(refused).toEqual({ kind: "held", lock: holder });
      expect(holder).toMatchObject({ id: "run-1", by: "run-1@example", command: "apply" });
      expect(holder?.host).not.toBe("");
      expect(Math.abs(Date.now() - Date.parse(holder?.since ?? ""))).toBeLessThan(60_000);
      await session.close();
      expect((await open().read()).holder).toBeNull();
      const next = await sessionOf(open(), "run-2");
      expect((await open().read()).holder?.id).toBe("run-2");
      await next.close();
    });

    test("lock: only one of many simultaneous sessions gets it", async () => {
      const open = await place();
      const asked = await Promise.all(
        Array.from({ length: 20 }, (_, at) => open().lock(claim(`run-${at}`))),
      );
      const won = asked.filter((found) => found.kind === "locked");
      expect(won).toHaveLength(1);
      expect(won[0]?.notes).toEqual([]);
      await won[0]?.session.close();
    });

    test("lock: a waiting session gets it when it ends, or learns who still holds it", async () => {
      const open = await place();
      const session = await sessionOf(open());
      const clock = stopClock();
      const inVain = clock.passUntil(open().lock(claim("run-2", { wait: 300 })));
      expect(await inVain).toMatchObject({ kind: "held", lock: { id: "run-1" } });
      expect(clock.waits.reduce((sum, wait) => sum + wait, 0)).toBeCloseTo(300);
      const waiting = open().lock(claim("run-3", { wait: 30_000 }));
      await until(() => clock.waiting === 1);
      await session.append(begun("production"));
      await session.close();
      const got = await clock.passUntil(waiting);
      expect(got).toMatchObject({ kind: "locked", session: { state: { serial: 1 } } });
      if (got.kind === "locked") await got.session.close();
    });

    test("lock: a signal ends the waiting and leaves no lock", async () => {
      const open = await place();
      const session = await sessionOf(open());
      const interrupted = new AbortController();
      const reason = new Error("Ctrl-C");
      const clock = stopClock();
      const waiting = open().lock(claim("run-2", { wait: 30_000, signal: interrupted.signal }));
      await until(() => clock.waiting === 1);
      interrupted.abort(reason);
      await expect(waiting).rejects.toBe(reason);
      await session.close();
      // Nothing is left that could take the lock later.
      expect(clock.waiting).toBe(0);
      expect((await open().read()).holder).toBeNull();
      await expect(open().lock(claim("run-3", { signal: interrupted.signal }))).rejects.toBe(
        reason,
      );
      expect((await open().read()).holder).toBeNull();
    });

    test("unlock ends only the lock with this id, and changes no event", async () => {
      const open = await place();
      expect(await open().unlock("run-1")).toBeNull();
      const session = await sessionOf(open());
      await session.append(begun("production"), intent("a"));
      const holder = (await open().read()).holder;
      expect(await open().unlock("run-2")).toEqual(holder);
      expect((await open().read()).holder).toEqual(holder);
      expect(holder?.id).toBe("run-1");
      expect(await open().unlock("run-1")).toEqual(holder);
      expect((await open().read()).holder).toBeNull();
      expect(await open().unlock("run-1")).toBeNull();
      const { state } = await open().read();
      expect(state.records.get("menu:a")?.pending).toMatchObject({ key: "a" });
      await session.close();
    });

    test("fencing: a session that has lost the lock adds nothing, notices it, and does not end another lock", async () => {
      // The second session waits until the first one cannot send any more.
      skipWaits(5000);
      const open = await place();
      const old = await sessionOf(open());
      await old.append(begun("production"));
      await open().unlock("run-1");
      await expect(old.append(intent("a"))).rejects.toMatchObject({ code: "IVR601" });
      // The same id again, as in the second attempt of a pipeline.
      const next = await sessionOf(open());
      await next.append(intent("b"));
      await expect(old.append(intent("c"))).rejects.toBeInstanceOf(StateProblem);
      await old.close();
      expect((await open().read()).holder?.id).toBe("run-1");
      await next.append(created("b"));
      await next.close();
      expect((await open().history()).map(({ entry }) => entry.event)).toEqual([
        begun("production"),
        intent("b"),
        created("b"),
      ]);
    });

    test("fencing: a confirmation of the lock expires, and the store is asked again", async () => {
      const open = await place();
      const [putRunning, putClock] = [putter(performance), putter(Date)];
      const session = await sessionOf(open());
      await session.append(begun("production"), intent("a"));
      // One clock shows that the process was suspended, the other that the machine slept.
      for (const put of [putRunning, putClock]) {
        expect(session.isConfirmed).toBe(true);
        put(5100);
        expect(session.isConfirmed).toBe(false);
        await Promise.all([session.confirm(), session.confirm()]);
      }
      putClock(5100);
      await Promise.all([session.confirm(), session.append(intent("b"))]);
      expect(await open().unlock("run-1")).toMatchObject({ id: "run-1" });
      expect(session.isConfirmed).toBe(true);
      await session.confirm();
      putRunning(5100);
      expect(session.isConfirmed).toBe(false);
      await expect(session.confirm()).rejects.toMatchObject({ code: "IVR601" });
      expect(session.isConfirmed).toBe(false);
      await expect(session.append(created("a"))).rejects.toMatchObject({ code: "IVR601" });
      await session.close();
      expect((await open().read()).state.serial).toBe(3);
    });

    test("fencing: gives up on a store whose answers come too late", async () => {
      const session = await sessionOf((await place())());
      await session.append(begun("production"), intent("a"));
      const now = Date.now.bind(Date);
      let looks = 0;
      const clock = vi.spyOn(Date, "now").mockImplementation(() => now() + 5100 * (looks += 1));
      await expect(session.confirm()).rejects.toMatchObject({ code: "IVR671" });
      clock.mockRestore();
      // The session still holds the lock and can record outcomes.
      await session.append(created("a"));
      await session.close();
    });

    test("order: adds events in the order of the calls, even if they do not wait for each other", async () => {
      const open = await place();
      const session = await sessionOf(open());
      const events: StateEvent[] = [begun("production")];
      for (let at = 0; at < 100; at += 1)
        events.push(intent(`k${at}`), created(`k${at}`, 2 * at + 2));
      const finished: number[] = [];
      await Promise.all(
        events.map(async (event, at) => {
          await session.append(event);
          finished.push(at);
        }),
      );
      expect(finished).toEqual(events.map((_, at) => at));
      await session.close();
      expect((await open().history()).map(({ entry }) => entry.event)).toEqual(events);
    });

    test("durable: the session and every reader have the acknowledged events", async () => {
      const open = await place();
      const session = await sessionOf(open());
      const first = session.append(begun("production"), intent("a"));
      expect(session.state.serial).toBe(0);
      await first;
      expect(session.state.serial).toBe(2);
      const { state, notes } = await open().read();
      expect(state.records.get("menu:a")).toEqual(session.state.records.get("menu:a"));
      expect(notes).toEqual([]);
      // The result of an earlier read does not change.
      await session.append(created("a"));
      expect(state.serial).toBe(2);
      await session.close();
    });

    test("close: adds the events of earlier calls, can be called twice, and ends the session", async () => {
      const open = await place();
      const session = await sessionOf(open());
      const asked = session.append(begun("production"));
      await Promise.all([session.close(), session.close()]);
      await asked;
      await session.close();
      await expect(session.append(intent("a"))).rejects.toThrow("closed");
      expect((await open().read()).state.serial).toBe(1);
    });

    test("unlock ends the lock of a dead holder, but not a lock with another id", async () => {
      const { log } = await make();
      const witness = new MemoryWitness();
      const open = () => openStore(log("production"), { witness });
      const { clock, machine } = testHost();
      const identity = () => ({ ...ownIdentity(machine), started: "1" });
      const host = { ...logHost({ clock, machine }), identity };
      const dead = await sessionOf(openStore(log("production"), { host }), "job-17");
      expect((await open().read()).holder).toBeNull();
      expect(await open().unlock("job-18")).toMatchObject({ id: "job-17" });
      expect(await open().unlock("job-17")).toMatchObject({ id: "job-17" });
      expect(await open().unlock("job-17")).toBeNull();
      await expect(dead.append(begun("production"))).rejects.toMatchObject({ code: "IVR601" });
      await dead.close();
      // The run may still have sent something a moment ago.
      skipWaits(5000);
      const { session, notes } = await locked(open(), "run-2");
      // There was no lock to take over.
      expect(notes).toEqual([]);
      await session.close();
    });

    test("environments share neither state nor lock", async () => {
      const { log } = await make();
      const open = (environment: string) => openStore(log(environment), { environment });
      const names = ["staging", "production", "production.eu", "staging.lock"];
      const sessions = await Promise.all(names.map((name) => sessionOf(open(name))));
      await Promise.all(
        sessions.map((session, at) =>
          session.append(begun(names[at] ?? "", `L${at}`), intent(`of ${names[at]}`)),
        ),
      );
      await Promise.all(sessions.map((session) => session.close()));
      for (const [at, name] of names.entries()) {
        const { state } = await open(name).read();
        expect(state.origin).toMatchObject({ environment: name, id: `L${at}` });
        expect(menuKeys(state)).toEqual([`of ${name}`]);
      }
    });

    test("a reader sees all events up to some number while a session writes", async () => {
      const open = await place();
      const session = await sessionOf(open());
      await session.append(begun("production"));
      const writing = (async () => {
        for (let at = 0; at < 60; at += 1) await session.append(intent(`k${at}`));
      })();
      let least = 1;
      while (least < 61) {
        const { state, notes } = await open().read();
        const history = await open().history();
        expect(state.records.size).toBe(state.serial - 1);
        expect(state.serial).toBeGreaterThanOrEqual(least);
        expect(history.length).toBeGreaterThanOrEqual(state.serial);
        expect(notes).toEqual([]);
        least = history.length;
        while (session.state.serial < Math.min(least + 5, 61)) await nextTurn();
      }
      await writing;
      await session.close();
    });
  });
}

/** Stops a clock of this process until the test ends. Only the returned function moves it. */
function putter(clock: { now(): number }): (milliseconds: number) => void {
  let now = clock.now();
  const put = vi.spyOn(clock, "now").mockImplementation(() => now);
  onTestFinished(() => put.mockRestore());
  return (milliseconds) => (now += milliseconds);
}
