import type { IncomingMessage, ServerResponse } from "node:http";
import type { Clock } from "../util/host.ts";

/** The answer to a request. */
export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** What happened, for the request log. */
  readonly outcome: string;
}

/** The answer as the client saw it. The status is null if the client got no answer. */
export interface SeenAnswer {
  readonly status: number | null;
  readonly outcome: string;
}

const lingerMs = 1000;
const lingerBytes = 1024 * 1024;

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

export function created(): Answer {
  return json(200, { Success: true, Message: "IVR created successfully" }, "created");
}

export function refused(
  status: number,
  message: string,
  headers: Readonly<Record<string, string>> = {},
): Answer {
  return json(status, { Success: false, Message: message }, message, headers);
}

/** The answer to an invalid payload. `Success` is true, as in the service's documentation. */
export function invalidPayload(message: string): Answer {
  return json(400, { Success: true, Message: message }, message);
}

export function reset(request: IncomingMessage): void {
  request.socket.resetAndDestroy();
}

/** Sends the complete answer. */
export function send(
  answer: Answer,
  request: IncomingMessage,
  response: ServerResponse,
  clock: Clock,
): SeenAnswer {
  const { status, outcome } = answer;
  const body = Buffer.from(answer.body);
  const unread = hasBody(request) && !request.complete;
  response.writeHead(status, {
    ...answer.headers,
    "content-length": body.length,
    "cache-control": "no-store",
    "x-content-type-options": "nosniff",
    ...(unread ? { connection: "close" } : {}),
  });
  if (!unread || request.method === "HEAD") response.end(body);
  else {
    response.write(body);
    linger(request, clock, () => response.end());
  }
  return { status, outcome };
}

function hasBody({ headers }: IncomingMessage): boolean {
  return headers["transfer-encoding"] !== undefined || Number(headers["content-length"] ?? 0) > 0;
}

/**
 * Reads and discards the rest of a request, within limits, before the connection closes.
 * Otherwise the client may lose the answer.
 */
function linger(request: IncomingMessage, clock: Clock, end: () => void): void {
  let size = 0;
  const cancel = clock.after(lingerMs, end);
  const stop = () => {
    cancel();
    end();
  };
  request
    .on("data", (chunk: Buffer) => {
      size += chunk.length;
      if (size > lingerBytes) stop();
    })
    .on("end", stop)
    .on("close", stop)
    .on("error", stop);
}

export function sendHalf(
  answer: Answer,
  response: ServerResponse,
  clock: Clock,
  end: () => void,
): void {
  const body = Buffer.from(answer.body);
  response.writeHead(answer.status, { ...answer.headers, "content-length": body.length });
  // An immediate reset would discard the half that has not been sent yet.
  response.write(body.subarray(0, body.length >> 1), () => void clock.after(20, end));
}
