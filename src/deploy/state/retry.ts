import { StateProblem, type StoreWatcher } from "./lock.ts";
import type { Clock } from "../../util/host.ts";

/**
 * The store cannot be reached or used at the moment. It may or may not have carried out the last
 * request. Another attempt may succeed.
 */
export class StoreUnavailable extends StateProblem {}

/** Other runs write to the same place all the time, so this one has not had its turn. */
export class StoreBusy extends StoreUnavailable {}

export interface WaitOptions {
  readonly clock: Clock;
  /** Milliseconds to wait for the store. Then `StoreUnavailable` is thrown. */
  readonly maxWait: number;
  /** Ends the waiting: `StoreUnavailable` is thrown. */
  readonly stop?: AbortSignal | undefined;
  readonly watcher?: StoreWatcher | undefined;
}

/** Milliseconds that a session waits for a store that is unavailable. */
export const defaultMaxWait = 30_000;

/** How long to wait when reading, and before a session has begun. */
export function briefWait(clock: Clock): WaitOptions {
  return { clock, maxWait: 5000 };
}

const firstPause = 100;
const longestPause = 3000;

/**
 * Repeats `act` while the store is unavailable. Busy stores often fail once, so the watcher
 * is notified only after the second failure in a row.
 */
export async function retry<T>(
  act: () => Promise<T>,
  { clock, maxWait, stop, watcher }: WaitOptions,
): Promise<T> {
  const started = clock.elapsed();
  let isReported = false;
  for (let wait = firstPause, attempts = 1; ; attempts += 1) {
    try {
      const done = await act();
      if (isReported) watcher?.back();
      return done;
    } catch (error) {
      if (!(error instanceof StoreUnavailable)) throw error;
      const left = started + maxWait - clock.elapsed();
      if (attempts > 1 && !isReported) {
        isReported = true;
        watcher?.lost(error.message, Math.max(0, Math.round(left / 1000)));
      }
      if (left > 0) await clock.sleep(Math.min(wait, left), stop).catch(() => {});
      if (left <= 0 || stop?.aborted === true) throw error;
      wait = Math.min(2 * wait, longestPause);
    }
  }
}
