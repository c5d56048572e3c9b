import { describe, expect, test } from "vitest";
import type { StateEvent } from "../../src/schema/state.ts";
import { Contradiction } from "../../src/deploy/state/records.ts";
import { MemoryBlocks, MemoryLog, openStore } from "../support/memory-log.ts";
import { until } from "../support/project.ts";
import { stopClock } from "../support/waits.ts";
import { sessionOf } from "./conformance.ts";
import { begun, created, intent } from "./events.ts";

async function begin(log = new MemoryLog()) {
  const session = await sessionOf(openStore(log));
  await session.append(begun("production"), intent("a"));
  return session;
}

describe("a session", () => {
  test("refuses a contradiction, all of its call, and all later calls", async () => {
    const log = new MemoryLog();
    const session = await begin(log);
    await expect(session.append(created("a"), intent("b"), intent("b"))).rejects.toThrow(
      Contradiction,
    );
    await expect(session.append(intent("c"))).rejects.toThrow("b is already pending");
    await session.close();
    expect((await openStore(log).read()).state.serial).toBe(2);
  });

  const tooMuch = { ...created("a"), mood: "good" };
  test.each<[string, StateEvent]>([
    ["a field too many", tooMuch],
    ["a number that is none", { ...created("a"), intent: Number.NaN } as StateEvent],
  ])("refuses an event that could not be read back: %s", async (_, event) => {
    const session = await begin();
    await session.append(intent("c"));
    await expect(session.append(event)).rejects.toThrow(/mood|NaN|number/);
    await expect(session.append(intent("d"))).rejects.toThrow(/mood|NaN|number/);
    await session.close();
  });

  test("adds an outcome and the next intents as one block, if a store is slow", async () => {
    const stored = new MemoryBlocks();
    const log = Object.assign(new MemoryLog(stored), { pause: 250 });
    const clock = stopClock();
    const session = await sessionOf(openStore(log));
    const first = session.append(begun("production"), intent("a"));
    await clock.passUntil(first);
    const outcome = session.append(created("a"));
    await until(() => clock.waiting === 1);
    clock.pass(249);
    const next = [session.append(intent("b")), session.append(intent("c"))];
    clock.pass(1);
    await Promise.all([outcome, ...next]);
    expect([...stored.blocks.values()].map((block) => String(block).split("\n").length)).toEqual([
      3, 5, 6,
    ]);
    await clock.passUntil(session.close());
  });
});
