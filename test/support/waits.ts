import { syncBuiltinESMExports } from "node:module";
import timers from "node:timers/promises";
import { onTestFinished, vi } from "vitest";
import { pauses } from "./host.ts";
import { until } from "./project.ts";

type Wait = typeof timers.setTimeout;

/**
 * Skips every wait of at least `least` milliseconds in this process, until the test ends. Returns
 * the lengths of these waits in milliseconds, in order.
 */
export function skipWaits(least = 1000): readonly number[] {
  const waits: number[] = [];
  const { setTimeout: wait } = timers;
  replaceWait((milliseconds = 0, value, options) => {
    if (milliseconds < least) return wait(milliseconds, value, options);
    waits.push(milliseconds);
    return wait(0, value, options);
  });
  return waits;
}

interface StoppedClock {
  /** The milliseconds of all waits so far, in the order in which they began. */
  readonly waits: readonly number[];
  /** How many of them are not over. */
  readonly waiting: number;
  /** Moves the clock, and ends the waits whose time has come. */
  pass(milliseconds: number): void;
  /** Moves the clock past all waits until the promise is fulfilled or rejected. */
  passUntil<T>(promise: Promise<T>): Promise<T>;
}

/**
 * Stops the clock of this process until the test ends. `performance.now()` and all waits with
 * `node:timers/promises` follow a clock that only the test moves.
 */
export function stopClock(): StoppedClock {
  // Whole milliseconds, because differences of fractions are not exact.
  let now = Math.ceil(performance.now());
  const spy = vi.spyOn(performance, "now").mockImplementation(() => now);
  onTestFinished(() => spy.mockRestore());
  const waits: number[] = [];
  const waiting = new Map<() => void, number>();
  replaceWait((milliseconds = 0, value, { signal } = {}) => {
    waits.push(milliseconds);
    return new Promise<NonNullable<typeof value>>((resolve, reject) => {
      const end = () => resolve(value as NonNullable<typeof value>);
      const abort = () => {
        waiting.delete(end);
        reject(new DOMException("The operation was aborted", "AbortError"));
      };
      if (signal?.aborted) return abort();
      signal?.addEventListener("abort", abort, { once: true });
      waiting.set(end, now + milliseconds);
    });
  });
  const pass = (milliseconds: number) => {
    now += milliseconds;
    for (const [end, at] of waiting) {
      if (at > now) continue;
      waiting.delete(end);
      end();
    }
  };
  return {
    waits,
    get waiting() {
      return waiting.size;
    },
    pass,
    passUntil: async (promise) => {
      let isOver = false;
      const end = () => void (isOver = true);
      promise.then(end, end);
      await until(() => {
        if (!isOver && waiting.size > 0) pass(Math.min(...waiting.values()) - now);
        return isOver;
      });
      return promise;
    },
  };
}

function replaceWait(replacement: Wait): void {
  const { setTimeout: wait } = timers;
  const { speed } = pauses;
  timers.setTimeout = replacement;
  pauses.speed = 1;
  syncBuiltinESMExports();
  onTestFinished(() => {
    pauses.speed = speed;
    timers.setTimeout = wait;
    syncBuiltinESMExports();
  });
}
