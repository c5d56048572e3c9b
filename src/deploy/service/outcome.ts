import { parseJson } from "../../util/parse-json.ts";
import type { Answered, Received } from "./exchange.ts";

/**
 * The outcome of one attempt to create, change or delete something.
 *
 * - `done`: the service confirmed it.
 * - `failed`: the service refused it or never got it; nothing was done.
 *   `stop` means that other requests would fail in the same way.
 * - `not-processed`: the service did not process it; it may be sent again.
 * - `unknown`: it may or may not have been done. It is never sent again automatically.
 */
export type Outcome =
  | {
      readonly kind: "done";
      readonly status: number;
      readonly message: string;
      /** What the service is asked with for the id of a recording. */
      readonly batch?: string;
    }
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
      /** Seconds to wait, if the service says so. */
      readonly retryAfter: number | null;
    }
  | { readonly kind: "unknown"; readonly status: number | null; readonly message: string };

/** An outcome, or a request that was not sent because its permit had expired. */
export type Attempted =
  | Outcome
  | { readonly kind: "withheld"; readonly status: null; readonly message: string };

/** Decides the outcome of a request. docs/service.md lists the rules. */
export function decideOutcome(result: Received, isCreate: boolean): Attempted {
  switch (result.phase) {
    case "unconnected":
      return { kind: "not-processed", status: null, message: result.detail, retryAfter: null };
    case "withheld":
      return { kind: "withheld", status: null, message: result.detail };
    case "insecure":
      return { kind: "failed", status: null, message: result.detail, stop: false };
    case "begun":
      return result.status === null || result.status === 429 || !isDecisiveStatus(result.status)
        ? { kind: "unknown", status: result.status, message: result.detail }
        : byStatus(result.status, `HTTP ${result.status}`, null);
    case "answered":
      // 204 says that there is no body, so nothing is missing.
      return result.status === 204 && !isCreate
        ? { kind: "done", status: 204, message: "HTTP 204" }
        : byAnswer(result);
  }
}

/** Whether the status alone decides the outcome, without the body. */
function isDecisiveStatus(status: number): boolean {
  return status >= 300 && status < 500;
}

function byAnswer(result: Answered): Outcome {
  const { status } = result;
  const answer = readAnswer(result.text());
  const message = answer.message ?? `HTTP ${status}`;
  if (status >= 200 && status < 300) {
    if (answer.kind === "object" && answer.success === true)
      return { kind: "done", status, message };
    if (answer.kind === "object" && answer.success === false) {
      return { kind: "failed", status, message, stop: isAboutToken(message) };
    }
    const problem = `HTTP ${status}, but the answer ${unclearAnswers[answer.kind]}`;
    return { kind: "unknown", status, message: problem };
  }
  if (isDecisiveStatus(status)) return byStatus(status, message, result.retryAfter);
  return answer.kind === "object" && answer.hasSuccess && answer.success === false
    ? { kind: "failed", status, message, stop: false }
    : { kind: "unknown", status, message };
}

const unclearAnswers = {
  object: "does not say whether the service did it",
  "not-json": "is not JSON",
  "not-object": "is not a JSON object",
  unreadable: "is too large or cannot be decoded",
  empty: "is empty",
} as const;

/** Whether a message is about an expired token. Some services send it with status 200. */
export function isAboutToken(message: string): boolean {
  return /\btoken\b.*\bexpired\b/i.test(message);
}

function byStatus(status: number, message: string, retryAfter: number | null): Outcome {
  if (status === 408 || status === 499) return { kind: "unknown", status, message };
  if (status === 429) return { kind: "not-processed", status, message, retryAfter };
  if (status >= 400 || status === 301 || status === 307 || status === 308) {
    return { kind: "failed", status, message, stop: status === 401 || status === 403 };
  }
  return { kind: "unknown", status, message };
}

type Answer =
  | {
      readonly kind: Exclude<keyof typeof unclearAnswers, "object">;
      readonly message?: undefined;
    }
  | {
      readonly kind: "object";
      /** Whether it has a `Success` field. Without one, the service documents true as the default. */
      readonly hasSuccess: boolean;
      /** Undefined if it is neither true nor false, or both. */
      readonly success: boolean | undefined;
      readonly message: string | undefined;
    };

function readAnswer(body: string | undefined): Answer {
  if (body === undefined) return { kind: "unreadable" };
  if (body.trim() === "") return { kind: "empty" };
  const value = parseJson(body);
  return value === undefined ? { kind: "not-json" } : answerIn(value);
}

/** What an answer says. `Success` and `Message` may be in any letter case. */
export function answerIn(value: unknown): Answer {
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    return { kind: "not-object" };
  }
  const fields = Object.entries(value).map(([key, field]) => [key.toLowerCase(), field] as const);
  const successes = fields.flatMap(([key, field]) => (key === "success" ? [truth(field)] : []));
  const message = fields.find(([key]) => key === "message")?.[1];
  return {
    kind: "object",
    hasSuccess: successes.length > 0,
    success: successes.every((one) => one === successes[0])
      ? successes.length === 0 || successes[0]
      : undefined,
    message: messageText(message) || undefined,
  };
}

/** The text of a message, which can be a list, or a mapping from fields to problems. */
function messageText(message: unknown, levels = 8): string {
  if (typeof message === "string") return message.trim() === "" ? "" : message;
  if (typeof message !== "object" || message === null) return "";
  if (levels === 0) return "…";
  const inner = (value: unknown) => messageText(value, levels - 1);
  if (Array.isArray(message)) return message.map(inner).filter(Boolean).join("; ");
  return Object.entries(message)
    .map(([name, value]) => `${name}: ${inner(value)}`)
    .join("; ");
}

function truth(value: unknown): boolean | undefined {
  if (value === true || value === "true") return true;
  return value === false || value === "false" ? false : undefined;
}
