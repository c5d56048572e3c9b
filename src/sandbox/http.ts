import { isUtf8 } from "node:buffer";
import type { IncomingMessage, ServerResponse } from "node:http";
import { buffer } from "node:stream/consumers";
import { parseJson } from "../util/parse-json.ts";

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

export function refusedAnswer(
  status: number,
  message: string,
  headers: Readonly<Record<string, string>> = {},
): Answer {
  return json(status, { Success: false, Message: message }, message, headers);
}

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

/** A request to the sandbox, for the request log. */
export interface SandboxRequest extends SeenAnswer {
  readonly at: string;
  readonly method: string;
  /** Without its query. */
  readonly path: string;
  /** The menu's name; null if the body had none. */
  readonly name: string | null;
}

const maxBody = 1024 * 1024;

/** The answer to a request without a valid token; undefined if the token is valid. */
export function refuseToken(
  request: IncomingMessage,
  token: string | undefined,
): Answer | undefined {
  const sentToken = /^Bearer +(\S+) *$/i.exec(request.headers.authorization ?? "")?.[1];
  if (sentToken !== undefined && (token === undefined || sentToken === token)) return undefined;
  return refusedAnswer(
    401,
    sentToken === undefined
      ? "The header authorization must be: Bearer ACCESS_TOKEN"
      : "This access token is not valid",
    { "www-authenticate": "Bearer" },
  );
}

/**
 * The JSON object in the body, or the answer that refuses the request. Undefined if the client closed
 * the connection.
 */
export async function readBody(
  request: IncomingMessage,
): Promise<{ readonly value: object } | { readonly answer: Answer } | undefined> {
  const refuse = (status: number, message: string) => ({ answer: refusedAnswer(status, message) });
  const type = (request.headers["content-type"] ?? "").split(";")[0]?.trim().toLowerCase();
  if (type !== "application/json") {
    return refuse(415, "The header content-type must be application/json");
  }
  if ((request.headers["content-encoding"] ?? "identity").toLowerCase() !== "identity") {
    return refuse(415, "The body must not be compressed");
  }
  const bytes = await buffer(request).catch(() => undefined);
  if (bytes === undefined) return undefined;
  if (bytes.length > maxBody) return refuse(413, `The body is larger than ${maxBody} bytes`);
  if (!isUtf8(bytes)) return refuse(400, "The body is not UTF-8");
  const value = parseJson(bytes);
  if (value === undefined) return refuse(400, "The body is not JSON");
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    return refuse(400, "The body is not a JSON object");
  }
  return { value };
}

/** The path without the query, which may contain secrets. */
export function pathWithoutQuery(request: IncomingMessage): string {
  return (request.url ?? "").split("?")[0] ?? "";
}
