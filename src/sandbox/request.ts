import { isUtf8 } from "node:buffer";
import type { IncomingMessage } from "node:http";
import { isLoopback } from "../schema/address.ts";
import { parseJson } from "../util/parse-json.ts";
import { type Answer, refused } from "./answer.ts";

/** A request to the sandbox, for the request log. */
export interface SandboxRequest {
  readonly at: string;
  readonly method: string;
  /** Without its query. */
  readonly path: string;
  /** The menu's name; null if the body had none. */
  readonly name: string | null;
  /** Null if there was no answer. */
  readonly status: number | null;
  /** The outcome in words. */
  readonly outcome: string;
  /** The simulated fault. */
  readonly fault: string | null;
}

const maxBody = 1024 * 1024;

/** The answer to a request without a valid token; undefined if the token is valid. */
export function refuseToken(
  request: IncomingMessage,
  token: string | undefined,
): Answer | undefined {
  const given = /^Bearer +(\S+) *$/i.exec(request.headers.authorization ?? "")?.[1];
  if (given !== undefined && (token === undefined || given === token)) return undefined;
  return refused(
    401,
    given === undefined
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
  const refuse = (status: number, message: string) => ({ answer: refused(status, message) });
  const type = (request.headers["content-type"] ?? "").split(";")[0]?.trim().toLowerCase();
  if (type !== "application/json") {
    return refuse(415, "The header content-type must be application/json");
  }
  if ((request.headers["content-encoding"] ?? "identity").toLowerCase() !== "identity") {
    return refuse(415, "The body must not be compressed");
  }
  const tooLarge = refuse(413, `The body is larger than ${maxBody} bytes`);
  if (Number(request.headers["content-length"] ?? 0) > maxBody) return tooLarge;
  const bytes = await receive(request);
  if (bytes === "too-large") return tooLarge;
  if (bytes === undefined) return undefined;
  if (!isUtf8(bytes)) return refuse(400, "The body is not UTF-8");
  const value = parseJson(bytes);
  if (value === undefined) return refuse(400, "The body is not JSON");
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    return refuse(400, "The body is not a JSON object");
  }
  return { value };
}

async function receive(request: IncomingMessage): Promise<Buffer | "too-large" | undefined> {
  const chunks: Buffer[] = [];
  let size = 0;
  return new Promise((resolve) => {
    request
      .on("data", (chunk: Buffer) => {
        size += chunk.length;
        if (size > maxBody) resolve("too-large");
        else chunks.push(chunk);
      })
      .on("end", () => resolve(Buffer.concat(chunks)))
      .on("error", () => resolve(undefined))
      .on("close", () => resolve(undefined));
  });
}

/**
 * Whether the host name of a request is allowed. Another site can make its own name resolve to
 * this machine (DNS rebinding), so a server on loopback answers only to loopback names.
 */
export function isOwnHost(request: IncomingMessage): boolean {
  const host = request.headers.host ?? "";
  return isLoopback(host.replace(/:\d*$/, ""));
}
