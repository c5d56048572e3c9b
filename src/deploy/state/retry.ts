import { setTimeout as sleep } from "node:timers/promises";
import { StateProblem, type StoreWatcher } from "./store.ts";

/**
 * The store cannot be reached, or is of no use for now. Nobody knows whether it carried
 * out the last request. Another attempt may succeed.
 */
export class ConnectionLost extends Error {
  /** What to report if nobody waits. */
  readonly problem: StateProblem;
  /** What to report after waiting in vain. */
  readonly givenUp: StateProblem;

  constructor(problem: StateProblem, givenUp = tooLong(problem)) {
    super(problem.message);
    this.problem = problem;
    this.givenUp = givenUp;
  }
}

function tooLong({ code, message, hint }: StateProblem): StateProblem {
  return new StateProblem(
    code,
    `${message} The connection did not come back in time. This run records nothing more.`,
    hint,
  );
}

/** What to throw for an error where nobody waits for the store to come back. */
export function withoutWaiting(error: unknown): unknown {
  return error instanceof ConnectionLost ? error.problem : error;
}

export interface Patience {
  /** Milliseconds to wait for a lost store; then the loss is thrown. */
  readonly patience: number;
  /** Ends the waiting: the loss is thrown then too. */
  readonly stop?: AbortSignal | undefined;
  readonly watcher?: StoreWatcher | undefined;
}

/** Milliseconds that a session waits for a lost store. */
export const standardPatience = 30_000;

/** How long to wait for a lost store when reading, and before a session has begun. */
export const brief: Patience = { patience: 5000 };

const firstPause = 100;
const longestPause = 3000;

/**
 * Repeats `act` while the store is lost. Busy stores often fail once, so the watcher is
 * notified only of the second failure in a row.
 */
export async function persist<T>(
  act: () => Promise<T>,
  { patience, stop, watcher }: Patience,
): Promise<T> {
  const started = performance.now();
  let isReported = false;
  for (let wait = firstPause, attempts = 1; ; attempts += 1) {
    try {
      const done = await act();
      if (isReported) watcher?.back();
      return done;
    } catch (error) {
      if (!(error instanceof ConnectionLost)) throw error;
      const left = started + patience - performance.now();
      if (attempts > 1 && !isReported) {
        isReported = true;
        watcher?.lost(error.message, Math.max(0, Math.round(left / 1000)));
      }
      if (left > 0) await pause(Math.min(wait, left), stop).catch(() => {});
      if (left <= 0 || stop?.aborted === true) throw error;
      wait = Math.min(2 * wait, longestPause);
    }
  }
}

/** Waits. If the signal ends the waiting, its reason is thrown. */
export async function pause(milliseconds: number, signal: AbortSignal | undefined): Promise<void> {
  try {
    await sleep(milliseconds, undefined, signal === undefined ? {} : { signal });
  } catch (error) {
    signal?.throwIfAborted();
    throw error;
  }
}
