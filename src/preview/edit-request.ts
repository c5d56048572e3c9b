import { timingSafeEqual } from "node:crypto";
import type { IncomingMessage } from "node:http";
import * as z from "zod/mini";
import { EditRequest } from "../schema/edit-request.ts";
import { parseJson } from "../util/parse-json.ts";
import { sha256 } from "../util/sha256.ts";

/** The header with the key that only the page knows. A form or a foreign page cannot send it. */
const keyHeader = "x-ivrctl-key";

/** Bytes of one request. */
const mostBytes = 64_000;

interface Wanted {
  readonly origin: string;
  readonly key: string;
}

/** Why a request is not from the page that this server opened. */
export function refusalOf(
  { method, headers }: IncomingMessage,
  { origin, key }: Wanted,
): { readonly status: number; readonly why: string } | undefined {
  const { host, "sec-fetch-site": site, "content-type": type } = headers;
  const given = headers[keyHeader];
  if (method !== "POST") return { status: 405, why: "Only POST is allowed." };
  if (`http://${host}` !== origin) return { status: 421, why: "This is not the host of the page." };
  if (headers.origin !== origin || (site !== undefined && site !== "same-origin")) {
    return { status: 403, why: "Only the page of ivrctl can edit." };
  }
  if (typeof given !== "string" || !isSame(given, key)) {
    return { status: 403, why: "Open the address that ivrctl printed: this page may only read." };
  }
  if (type !== "application/json") return { status: 415, why: "Only JSON is allowed." };
  return Number(headers["content-length"]) > mostBytes
    ? { status: 413, why: "The request is too large." }
    : undefined;
}

/** Reads a request. Returns why it cannot be done if it is too large or not one of the page. */
export async function readRequest(request: IncomingMessage): Promise<EditRequest | string> {
  const parts: Buffer[] = [];
  let size = 0;
  for await (const part of request as AsyncIterable<Buffer>) {
    size += part.length;
    if (size > mostBytes) return "The request is too large.";
    parts.push(part);
  }
  const { data, error } = z.safeParse(
    EditRequest,
    parseJson(Buffer.concat(parts).toString("utf8")),
  );
  // The schema has words for what people can type.
  const words = error?.issues.find(({ code }) => code === "invalid_format")?.message;
  return data ?? words ?? "This is not a request of the page.";
}

/** Compares two keys in a time that says nothing about them. */
function isSame(a: string, b: string): boolean {
  return timingSafeEqual(Buffer.from(sha256(a)), Buffer.from(sha256(b)));
}
