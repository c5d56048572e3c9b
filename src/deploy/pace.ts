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

/** Keeps requests at least as far apart as the rate says; without a rate, not at all. */
export class Pace {
  readonly #interval: number;
  readonly #clock: Clock;
  #next = Number.NEGATIVE_INFINITY;

  constructor(requestsPerSecond: number | null, clock: Clock = realClock) {
    this.#interval = requestsPerSecond === null ? 0 : 1000 / requestsPerSecond;
    this.#clock = clock;
  }

  /** Resolves when the next request may leave; turns are given in the order asked for. */
  async turn(signal?: AbortSignal): Promise<void> {
    if (this.#interval === 0) return;
    const now = this.#clock.now();
    const at = Math.max(now, this.#next);
    this.#next = at + this.#interval;
    if (at > now) await this.#clock.sleep(at - now, signal);
  }
}
