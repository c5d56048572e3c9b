import { syncBuiltinESMExports } from "node:module";
import timers from "node:timers/promises";
import { onTestFinished } from "vitest";

/**
 * For the rest of a test, a wait of a second or more in this process is over at once. Returns their
 * milliseconds, in order.
 */
export function skipWaits(): readonly number[] {
  const waits: number[] = [];
  const { setTimeout: wait } = timers;
  const skipping: typeof wait = (milliseconds = 0, value, options) => {
    if (milliseconds < 1000) return wait(milliseconds, value, options);
    waits.push(milliseconds);
    return wait(0, value, options);
  };
  timers.setTimeout = skipping;
  syncBuiltinESMExports();
  onTestFinished(() => {
    timers.setTimeout = wait;
    syncBuiltinESMExports();
  });
  return waits;
}
