import { expect, test } from "vitest";
import { StoreBusy } from "../../src/deploy/state/retry.ts";
import { MemoryBlocks, MemoryLog, openStore } from "../support/memory-log.ts";
import { stopClock } from "../support/waits.ts";
import { type Place, sessionOf, storeConformance } from "./conformance.ts";
import { begun, created, intent } from "./events.ts";
import { logConformance } from "./log-conformance.ts";

const place = async (): Promise<Place> => {
  const places = new Map<string, MemoryBlocks>();
  const at = (environment: string) => {
    const found = places.get(environment) ?? new MemoryBlocks();
    places.set(environment, found);
    return found;
  };
  return {
    log: (environment) => new MemoryLog(at(environment), `memory/${environment}`),
    remove: async (environment, n) => void at(environment).blocks.delete(n),
  };
};

logConformance("memory", place);
storeConformance("a log in memory", place);

test("a log that keeps every snapshot gets few of them", async () => {
  const blocks = new MemoryBlocks();
  const kept: number[] = [];
  const log = new (class extends MemoryLog {
    readonly keepsAll = true;

    override async keep(n: number, bytes: Buffer) {
      kept.push(n);
      await super.keep(n, bytes);
    }
  })(blocks);
  const creates = Array.from({ length: 60 }, (_, at) => intent(`k${at}`));
  const moreCreates = Array.from({ length: 60 }, (_, at) => intent(`n${at}`));
  const first = await sessionOf(openStore(log));
  await first.append(begun("production"), ...creates);
  await first.close();
  expect(kept).toEqual([3]);
  // A run that does nothing adds two small blocks.
  for (let run = 0; run < 55; run += 1) await (await sessionOf(openStore(log))).close();
  expect(kept).toEqual([3, 103]);
  const large = await sessionOf(openStore(log));
  await large.append(...creates.map((_, at) => created(`k${at}`, at + 2)), ...moreCreates);
  await large.close();
  expect(kept).toEqual([3, 103, 116]);
  expect((await openStore(log).read()).state.records.size).toBe(120);
});

test("the lock is waited for while other runs write to the same branch, and only as long as allowed", async () => {
  const blocks = new MemoryBlocks();
  let busyUntil = 0;
  let arrives = false;
  const log = new (class extends MemoryLog {
    override async append(n: number, bytes: Buffer) {
      if (performance.now() >= busyUntil) return super.append(n, bytes);
      // The push was accepted after all, but its answer was lost.
      if (arrives) await super.append(n, bytes);
      throw new StoreBusy("IVR671", "Other runs push to the branch at the same time.");
    }
  })(blocks);
  const lockIn = (wait: number) => openStore(log).lock({ id: "me", command: "apply", wait });
  const clock = stopClock();
  busyUntil = performance.now() + 60_000;
  const short = lockIn(0);
  await expect(clock.passUntil(short)).rejects.toMatchObject({ code: "IVR671" });
  expect(await clock.passUntil(lockIn(1_800_000))).toMatchObject({ kind: "locked" });
  expect(Math.max(...clock.waits)).toBeGreaterThanOrEqual(800);
  expect(blocks.blocks.size).toBe(1);
  blocks.blocks.clear();
  arrives = true;
  busyUntil = performance.now() + 20_000;
  expect(await clock.passUntil(lockIn(1_800_000))).toMatchObject({ kind: "locked" });
  expect(blocks.blocks.size).toBe(1);
});
