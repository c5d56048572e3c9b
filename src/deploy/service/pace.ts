import type { Outcome } from "./outcome.ts";
import type { Clock } from "../../util/host.ts";

/**
 * Keeps requests at least as far apart as the rate demands. A request may leave some time
 * after its turn, when its intent is recorded, so departures are kept apart as well.
 */
export class Pace {
  readonly #interval: number;
  readonly #clock: Clock;
  readonly #turns = { next: Number.NEGATIVE_INFINITY };
  readonly #departures = { next: Number.NEGATIVE_INFINITY };

  constructor(requestsPerSecond: number | null, clock: Clock) {
    this.#interval = requestsPerSecond === null ? 0 : 1000 / requestsPerSecond;
    this.#clock = clock;
  }

  /** Resolves when the next request may be prepared, in the order of the calls. */
  turn(signal?: AbortSignal): Promise<void> {
    return this.#wait(this.#turns, signal);
  }

  /** Resolves when a request that had its turn may leave. */
  depart(signal?: AbortSignal): Promise<void> {
    return this.#wait(this.#departures, signal);
  }

  async #wait(line: { next: number }, signal: AbortSignal | undefined): Promise<void> {
    if (this.#interval === 0) return;
    const now = this.#clock.elapsed();
    const at = Math.max(now, line.next);
    line.next = at + this.#interval;
    if (at > now) await this.#clock.sleep(at - now, signal);
  }
}

export type NotProcessed = Extract<Outcome, { kind: "not-processed" }>;

export const maxAttempts = 5;
/** The most seconds that one create waits between its attempts, in total. */
export const maxWaiting = 30;

/**
 * Seconds before the next attempt: what the service asks for, or else doubled every time,
 * with jitter. Never zero, because a date in the past may only mean that the clocks differ.
 */
export function waitAfter(
  { retryAfter }: Pick<NotProcessed, "retryAfter">,
  attempt: number,
): number {
  const jitter = 0.5 + Math.random() / 2;
  return retryAfter === null
    ? 2 ** (attempt - 1) * jitter
    : Math.max(retryAfter, (attempt / 5) * jitter);
}

/** The outcome of a create that is not sent again. */
export function givenUp(
  { status, message, retryAfter }: NotProcessed,
  attempt: number,
  wait: number,
): Extract<Outcome, { kind: "failed" }> {
  const why =
    attempt === maxAttempts
      ? `tried ${maxAttempts} times`
      : retryAfter === null
        ? `tried ${attempt} times in ${maxWaiting} s`
        : `the service asks to wait ${wait} s; the limit is ${maxWaiting} s`;
  return { kind: "failed", status, message: `${message}; ${why}`, stop: false };
}
