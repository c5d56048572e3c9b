import { setTimeout as sleep } from "node:timers/promises";

interface Clock {
  /** Milliseconds, rising steadily. */
  now(): number;
  sleep(milliseconds: number, signal?: AbortSignal): Promise<void>;
}

const realClock: Clock = {
  now: () => performance.now(),
  sleep: (milliseconds, signal) =>
    sleep(milliseconds, undefined, signal === undefined ? {} : { signal }),
};

/**
 * Keeps requests at least as far apart as the rate says; without a rate, not at
 * all. Who has had a turn may take a moment before the request departs, so the
 * departures are kept apart too.
 */
export class Pace {
  readonly #interval: number;
  readonly #clock: Clock;
  readonly #turns = { next: Number.NEGATIVE_INFINITY };
  readonly #departures = { next: Number.NEGATIVE_INFINITY };

  constructor(requestsPerSecond: number | null, clock: Clock = realClock) {
    this.#interval = requestsPerSecond === null ? 0 : 1000 / requestsPerSecond;
    this.#clock = clock;
  }

  /** Resolves when the next request may be prepared; turns are given in the order asked for. */
  turn(signal?: AbortSignal): Promise<void> {
    return this.#wait(this.#turns, signal);
  }

  /** Resolves when what had its turn may leave. */
  depart(signal?: AbortSignal): Promise<void> {
    return this.#wait(this.#departures, signal);
  }

  async #wait(line: { next: number }, signal: AbortSignal | undefined): Promise<void> {
    if (this.#interval === 0) return;
    const now = this.#clock.now();
    const at = Math.max(now, line.next);
    line.next = at + this.#interval;
    if (at > now) await this.#clock.sleep(at - now, signal);
  }
}
