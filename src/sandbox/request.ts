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
  /** The simulated faults, as on the command line. */
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

export function refuseHead(request: IncomingMessage): Answer | undefined {
  const type = (request.headers["content-type"] ?? "").split(";")[0]?.trim().toLowerCase();
  if (type !== "application/json") {
    return refused(415, "The header content-type must be application/json");
  }
  if ((request.headers["content-encoding"] ?? "identity").toLowerCase() !== "identity") {
    return refused(415, "The body must not be compressed");
  }
  return Number(request.headers["content-length"] ?? 0) > maxBody ? tooLarge() : undefined;
}

export function tooLarge(): Answer {
  return refused(413, `The body is larger than ${maxBody} bytes`);
}

/** The body, or why there is none: it is too large, or the client closed the connection. */
export async function readBody(request: IncomingMessage): Promise<Buffer | "too-large" | "gone"> {
  const chunks: Buffer[] = [];
  let size = 0;
  return new Promise((resolve) => {
    const onData = (chunk: Buffer) => {
      size += chunk.length;
      if (size > maxBody) {
        request.off("data", onData);
        resolve("too-large");
      } else chunks.push(chunk);
    };
    request
      .on("data", onData)
      .on("end", () => resolve(Buffer.concat(chunks)))
      .on("error", () => resolve("gone"))
      .on("close", () => resolve("gone"));
  });
}

export type Body =
  | { readonly kind: "object"; readonly value: object }
  | { readonly kind: "refused"; readonly answer: Answer };

export function parseBody(bytes: Buffer): Body {
  const refuse = (message: string): Body => ({ kind: "refused", answer: refused(400, message) });
  if (!isUtf8(bytes)) return refuse("The body is not UTF-8");
  const value = parseJson(bytes);
  if (value === undefined) return refuse("The body is not JSON");
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    return refuse("The body is not a JSON object");
  }
  return { kind: "object", value };
}

export function nameIn(body: Body): string | null {
  if (body.kind !== "object" || !("name" in body.value)) return null;
  return typeof body.value.name === "string" ? body.value.name : null;
}

/**
 * Whether the host name of a request is allowed. Another site can make its own name resolve to
 * this machine (DNS rebinding), so a server on loopback answers only to loopback names.
 */
export function isOwnHost(request: IncomingMessage): boolean {
  const host = request.headers.host ?? "";
  return isLoopback(host.replace(/:\d*$/, ""));
}
