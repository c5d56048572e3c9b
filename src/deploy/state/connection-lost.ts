import { StateProblem } from "./store.ts";

/**
 * The connection to a store is gone, never was, or is of no use for now: whether
 * the last thing asked of it was carried out is not known. Another attempt may
 * do better.
 */
export class ConnectionLost extends Error {
  readonly problem: StateProblem;

  constructor(problem: StateProblem) {
    super(problem.message);
    this.problem = problem;
  }
}

/** Milliseconds that a session misses a connection that was lost. */
export const standardPatience = 30_000;

/** How the time between attempts grows. */
export const firstPause = 100;
export const longestPause = 3000;

/** What a lost connection means to whoever waits for nothing. */
export function told(error: unknown): unknown {
  return error instanceof ConnectionLost ? error.problem : error;
}

/** What it means once it was missed for too long. */
export function tooLong({ problem }: ConnectionLost): StateProblem {
  return new StateProblem(
    problem.code,
    `${problem.message} The connection did not come back in time, so nothing more is recorded.`,
    problem.hint,
  );
}
