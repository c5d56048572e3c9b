/** When the clocks of this machine were read. */
export interface Moment {
  readonly clock: number;
  readonly running: number;
}

/** Milliseconds for which the word of a store that the lock is ours is believed. */
const freshness = 5000;

export function moment(): Moment {
  return { clock: Date.now(), running: performance.now() };
}

/**
 * By whichever clock says so. `performance.now()` counts on while the process is
 * stopped, and nobody can set it; but on Linux (CLOCK_MONOTONIC) it stands still
 * while the machine sleeps, which `Date.now()` counts. One that was set meanwhile
 * costs a question too many, or leaves it to the other.
 */
export function isOld({ clock, running }: Moment): boolean {
  return Date.now() - clock > freshness || performance.now() - running > freshness;
}
