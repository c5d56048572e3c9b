import { ConnectionLost, firstPause, longestPause } from "./connection-lost.ts";
import { pause } from "./pause.ts";
import type { StoreWatcher } from "./store.ts";

export interface Patience {
  /** Milliseconds that a store is missed; then what it was lost with is thrown. */
  readonly patience: number;
  /** Ends the waiting: that is thrown too. */
  readonly stop?: AbortSignal | undefined;
  readonly watcher?: StoreWatcher | undefined;
}

/**
 * Does it again for as long as the store is lost. A store may well say once that
 * it has too much to do: only of a second time anybody is told.
 */
export async function persist<T>(
  act: () => Promise<T>,
  { patience, stop, watcher }: Patience,
): Promise<T> {
  const started = performance.now();
  let isTold = false;
  for (let wait = firstPause, attempts = 1; ; attempts += 1) {
    try {
      const done = await act();
      if (isTold) watcher?.back();
      return done;
    } catch (error) {
      if (!(error instanceof ConnectionLost)) throw error;
      const left = started + patience - performance.now();
      if (attempts > 1 && !isTold) {
        isTold = true;
        watcher?.lost(error.message, Math.max(0, Math.round(left / 1000)));
      }
      if (left > 0) await pause(Math.min(wait, left), stop).catch(() => {});
      if (left <= 0 || stop?.aborted === true) throw error;
      wait = Math.min(2 * wait, longestPause);
    }
  }
}

/** For whoever reads, or has not begun yet. */
export const brief: Patience = { patience: 5000 };
