import { describe, expect, test } from "vitest";
import type { CommitLog } from "../../src/deploy/state/log/commit-log.ts";
import { StoreUnavailable } from "../../src/deploy/state/retry.ts";
import { StateProblem } from "../../src/deploy/state/lock.ts";
import { hintText } from "../../src/util/suggest.ts";
import { MemoryWitness, openStore } from "../support/memory-log.ts";
import { skipWaits } from "../support/waits.ts";
import { begun, created, intent } from "./events.ts";
import { type Place, locked, sessionOf } from "./conformance.ts";

/** Tests the promises of a commit log, and what a store makes of its faults. */
export function logConformance(name: string, make: () => Promise<Place>): void {
  const place = async () => {
    const { log, remove } = await make();
    return {
      open: () => log("production"),
      remove: (n: number) => remove("production", n),
    };
  };

  describe(`${name} keeps the promises of a commit log:`, () => {
    test("it is empty at first, and reading creates nothing", async () => {
      const { open } = await place();
      expect(await open().numbers()).toEqual([]);
      expect(await open().read(0)).toEqual([]);
      expect(await open().snapshot()).toBeUndefined();
      expect(await open().numbers()).toEqual([]);
    });

    test("blocks are returned in order, as they were added", async () => {
      const { open } = await place();
      const texts = ["one\n", 'zwei "😀"\n', "three\r\n\n", ...Array.from("456789abcdef")];
      const log = open();
      for (const [at, text] of texts.entries()) {
        expect(await log.append(at + 1, Buffer.from(text), "a block")).toBe("added");
      }
      await log.close();
      const numbers = texts.map((_, at) => at + 1);
      expect(await open().numbers()).toEqual(numbers);
      expect((await open().read(0)).map(String)).toEqual(texts);
      expect((await open().read(10)).map(String)).toEqual(texts.slice(10));
      expect((await open().read(1, 1)).map(String)).toEqual(texts.slice(1, 2));
      expect(await open().read(texts.length)).toEqual([]);
      expect(await open().read(texts.length, 1)).toEqual([]);
    });

    test("two runners append the same number: one adds its block", async () => {
      const { open } = await place();
      for (let n = 1; n <= 3; n += 1) {
        const runners = ["one", "two", "three", "four"].map((text) => `${text} ${n}\n`);
        const answers = await Promise.all(
          runners.map((text) => appended(open(), n, Buffer.from(text))),
        );
        expect(answers.filter((answer) => answer === "added")).toHaveLength(1);
        const [found] = await open().read(n - 1, 1);
        expect(String(found)).toBe(runners[answers.indexOf("added")]);
      }
    });

    test("the newest snapshot counts, whatever the order of writing", async () => {
      const { open } = await place();
      for (let n = 1; n <= 12; n += 1) await open().append(n, Buffer.from(`${n}\n`), "a block");
      for (const n of [2, 12, 9]) await open().keep(n, Buffer.from(`{"of":${n}}\n`));
      const kept = await open().snapshot();
      expect([kept?.number, String(kept?.bytes)]).toEqual([12, '{"of":12}\n']);
      await open().keep(12, Buffer.from('{"of":12}\n'));
    });

    test("a gap is refused", async () => {
      const { open, remove } = await place();
      for (let n = 1; n <= 4; n += 1) await open().append(n, Buffer.from(`${n}\n`), "a block");
      await remove(2);
      await expect(open().read(0)).rejects.toMatchObject({ code: "IVR603" });
      expect((await open().read(2)).map(String)).toEqual(["3\n", "4\n"]);
      expect(await open().numbers()).toEqual([1, 3, 4]);
    });

    test("a log of 1,010 blocks is read completely", async () => {
      const { log } = await make();
      const longLog = log("long");
      const isQuick = longLog.pause === undefined;
      const count = isQuick ? 1010 : 12;
      for (let n = 1; n <= count; n += 1) await longLog.append(n, Buffer.from(`${n}\n`), "a block");
      expect((await longLog.read(0)).map(String)).toEqual(
        Array.from({ length: count }, (_, at) => `${at + 1}\n`),
      );
      expect(await longLog.numbers()).toHaveLength(count);
      await longLog.close();
    });
  });

  describe(`a store in ${name}`, () => {
    test("adds everything once, wherever the answer to an append is lost", async () => {
      const expected = [
        begun("production"),
        intent("a"),
        created("a"),
        intent("b"),
        created("b", 4),
      ];
      // Locked, four blocks of entries, released.
      for (const isAdded of [true, false]) {
        for (let lost = 1; lost <= 6; lost += 1) {
          skipWaits(100);
          const { open } = await place();
          const log = cutting(open(), lost, isAdded);
          const watcher = { lost() {}, back() {} };
          const { session } = await locked(openStore(log), "run-1", { watcher });
          await session.append(begun("production"));
          await session.append(intent("a"));
          await session.append(created("a"), intent("b"));
          await session.append(created("b", 4));
          expect(session.isConfirmed).toBe(true);
          await session.close();
          const store = openStore(open());
          expect((await store.history()).map(({ entry }) => entry.event)).toEqual(expected);
          expect((await store.read()).holder).toBeNull();
          expect(await open().numbers()).toEqual([1, 2, 3, 4, 5, 6]);
        }
      }
    });

    test("releases the lock after an append that was never answered", async () => {
      for (const isAdded of [true, false]) {
        skipWaits(100);
        const { open } = await place();
        const log = cutting(open(), 3, isAdded, Infinity);
        const session = await sessionOf(openStore(log, { maxWait: 0 }));
        await session.append(begun("production"));
        await expect(session.append(intent("a"))).rejects.toMatchObject({ code: "IVR671" });
        log.mend();
        await session.close();
        const store = openStore(open());
        expect((await store.read()).holder).toBeNull();
        expect((await store.history()).map(({ entry }) => entry.event)).toEqual([
          begun("production"),
          ...(isAdded ? [intent("a")] : []),
        ]);
      }
    });

    test("notices on every machine that the newest blocks of a finished run are gone", async () => {
      const { open, remove } = await place();
      const session = await sessionOf(openStore(open()));
      await session.append(begun("production"), intent("a"));
      await session.append(created("a"));
      await session.close();
      const [...numbers] = await open().numbers();
      for (const n of numbers.toReversed()) {
        await remove(n);
        const elsewhere = openStore(open());
        await expect(elsewhere.read()).rejects.toMatchObject({ code: "IVR603" });
        await expect(elsewhere.history()).rejects.toMatchObject({ code: "IVR603" });
        await expect(sessionOf(elsewhere)).rejects.toMatchObject({ code: "IVR603" });
        // A command that is refused writes nothing.
        expect(await open().numbers()).toEqual(numbers.slice(0, n - 1));
      }
    });

    test("notices on a machine that has seen them that the newest blocks of a dead run are gone", async () => {
      const { open, remove } = await place();
      const witness = new MemoryWitness();
      const session = await sessionOf(openStore(open(), { witness }));
      await session.append(begun("production"), intent("a"));
      await session.append(created("a"));
      await remove(3);
      const problem = await openStore(open(), { witness })
        .read()
        .catch((error: unknown) => error);
      expect(problem).toBeInstanceOf(StateProblem);
      expect(problem).toMatchObject({ code: "IVR629" });
      const { hint = "" } = problem as StateProblem;
      expect(hintText(hint)).toContain(`delete ${witness.file}`);
      await session.close();
    });
  });
}

async function appended(log: CommitLog, n: number, bytes: Buffer): Promise<string> {
  for (;;) {
    try {
      return await log.append(n, bytes, "a block");
    } catch (error) {
      if (!(error instanceof StoreUnavailable)) throw error;
    } finally {
      await log.close();
    }
  }
}

/** A log whose answers to `times` appends are lost from this one on, after the block was added or before. */
function cutting(
  log: CommitLog,
  from: number,
  isAdded: boolean,
  times = 1,
): CommitLog & { mend(): void } {
  let appends = 0;
  let until = from + times;
  return new Proxy(log as CommitLog & { mend(): void }, {
    get(target, property) {
      if (property === "mend") return () => (until = 0);
      const value: unknown = Reflect.get(target, property, target);
      if (property !== "append") return typeof value === "function" ? value.bind(target) : value;
      return async (...args: Parameters<CommitLog["append"]>) => {
        appends += 1;
        if (appends < from || appends >= until) return target.append(...args);
        if (isAdded) await target.append(...args);
        throw new StoreUnavailable("IVR671", "The answer is lost.");
      };
    },
  });
}
