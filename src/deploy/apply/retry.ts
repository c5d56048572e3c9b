import type { Outcome } from "../service/outcome.ts";

export type NotProcessed = Extract<Outcome, { kind: "not-processed" }>;

export const maxAttempts = 5;
/** Seconds of waiting between the attempts of one create, in all. */
export const maxWaiting = 30;

/**
 * Seconds before the next attempt: what the service asks for, else doubling, and
 * not the same for all who wait. Never none at all: a date that has passed may only
 * say that the clocks differ.
 */
export function waitAfter({ retryAfter }: NotProcessed, attempt: number): number {
  const shared = 0.5 + Math.random() / 2;
  return retryAfter === null
    ? 2 ** (attempt - 1) * shared
    : Math.max(retryAfter, (attempt / 5) * shared);
}

/** What it comes to, when it is not sent again any more. */
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
        : `it asks to wait ${wait} s, too long`;
  return { kind: "failed", status, message: `${message} (${why})`, stop: false };
}
