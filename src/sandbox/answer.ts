import type { IncomingMessage, ServerResponse } from "node:http";

/** The answer to a request. */
export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** What happened, for the request log. */
  readonly outcome: string;
}

/** The answer as the client saw it. */
export interface SeenAnswer {
  /** Null if the client got no answer. */
  readonly status: number | null;
  readonly outcome: string;
  /** The simulated fault. */
  readonly fault?: string;
}

export function json(
  status: number,
  value: unknown,
  outcome: string,
  headers: Readonly<Record<string, string>> = {},
): Answer {
  return {
    status,
    headers: { "content-type": "application/json", ...headers },
    body: JSON.stringify(value),
    outcome,
  };
}

export function refused(
  status: number,
  message: string,
  headers: Readonly<Record<string, string>> = {},
): Answer {
  return json(status, { Success: false, Message: message }, message, headers);
}

/** Sends the complete answer. */
export function send(answer: Answer, response: ServerResponse): SeenAnswer {
  const { status, outcome } = answer;
  const body = Buffer.from(answer.body);
  response.writeHead(status, {
    ...answer.headers,
    "content-length": body.length,
    "cache-control": "no-store",
    "x-content-type-options": "nosniff",
  });
  response.end(body);
  return { status, outcome };
}

/** Sends half of an answer, and calls `end` when that half has been written. */
export function sendHalf(answer: Answer, response: ServerResponse, end: () => void): SeenAnswer {
  const { status, outcome } = answer;
  const body = Buffer.from(answer.body);
  response.writeHead(status, { ...answer.headers, "content-length": body.length });
  response.write(body.subarray(0, body.length >> 1), end);
  return { status, outcome };
}

/** The path without the query, which may contain secrets. */
export function pathOf(request: IncomingMessage): string {
  return (request.url ?? "").split("?")[0] ?? "";
}
