import { answerOf } from "./answer.ts";
import type { Seen } from "./exchange-result.ts";

/**
 * The fate of one attempt to create a menu, by what is known for certain.
 *
 * - `created`: the service confirmed it.
 * - `failed`: the service refused it, or cannot have had it; nothing was created.
 *   `stop` says that no other attempt can fare better.
 * - `not-processed`: the service did not take it up; it may be sent again.
 * - `unknown`: it may or may not have been created. Never sent again by itself.
 */
export type Outcome =
  | { readonly kind: "created"; readonly status: number; readonly message: string }
  | {
      readonly kind: "failed";
      readonly status: number | null;
      readonly message: string;
      readonly stop: boolean;
    }
  | {
      readonly kind: "not-processed";
      readonly status: number | null;
      readonly message: string;
      /** Seconds to wait, where the service said how many. */
      readonly retryAfter: number | null;
    }
  | { readonly kind: "unknown"; readonly status: number | null; readonly message: string };

/** Or it had no permit in the end, and was never sent. */
export type Attempted =
  | Outcome
  | { readonly kind: "withheld"; readonly status: null; readonly message: string };

/** Pure, and the only place that decides: the table of the contract, row by row. */
export function decide(seen: Seen): Attempted {
  switch (seen.phase) {
    case "unconnected":
      return { kind: "not-processed", status: null, message: seen.detail, retryAfter: null };
    case "withheld":
      return { kind: "withheld", status: null, message: seen.detail };
    case "insecure":
      return { kind: "failed", status: null, message: seen.detail, stop: false };
    case "begun":
      return seen.status === null || seen.status === 429 || !speaksForItself(seen.status)
        ? { kind: "unknown", status: seen.status, message: seen.detail }
        : byStatus(seen.status, `HTTP ${seen.status}`, null);
    case "answered":
      return byAnswer(seen);
  }
}

/** Statuses that say all there is to know, whatever becomes of the body. */
function speaksForItself(status: number): boolean {
  return status >= 300 && status < 500;
}

function byAnswer(seen: Extract<Seen, { phase: "answered" }>): Outcome {
  const { status } = seen;
  const answer = answerOf(seen.body);
  const message = answer.message ?? `HTTP ${status}`;
  if (status >= 200 && status < 300) {
    if (answer.kind === "object" && answer.success === true)
      return { kind: "created", status, message };
    if (answer.kind === "object" && answer.success === false) {
      return { kind: "failed", status, message, stop: false };
    }
    return { kind: "unknown", status, message: `${odd[answer.kind]} (HTTP ${status})` };
  }
  if (speaksForItself(status)) return byStatus(status, message, seen.retryAfter);
  return answer.kind === "object" && answer.said && answer.success === false
    ? { kind: "failed", status, message, stop: false }
    : { kind: "unknown", status, message };
}

const odd = {
  object: "The answer does not say whether it succeeded",
  other: "The answer is not a JSON object",
  empty: "The answer is empty",
} as const;

function byStatus(status: number, message: string, retryAfter: number | null): Outcome {
  if (status === 408 || status === 499) return { kind: "unknown", status, message };
  if (status === 429) return { kind: "not-processed", status, message, retryAfter };
  if (status >= 400 || status === 301 || status === 307 || status === 308) {
    return { kind: "failed", status, message, stop: status === 401 || status === 403 };
  }
  return { kind: "unknown", status, message };
}
