import { Readable } from "node:stream";
import { isLoopback } from "../../../schema/address.ts";
import { Connections, type Received } from "../../exchange.ts";

/** No answer came: how far the request got decides what that means. */
export class NoAnswer extends Error {
  readonly phase: Exclude<Received["phase"], "answered">;

  constructor({ phase, detail }: Exclude<Received, { phase: "answered" }>) {
    super(detail);
    this.phase = phase;
  }
}

/** As the SDK describes one. */
interface SdkRequest {
  readonly method: string;
  readonly protocol: string;
  readonly hostname: string;
  readonly port?: number;
  readonly path: string;
  readonly query?: Readonly<Record<string, string | string[] | null>>;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

interface SdkResponse {
  readonly statusCode: number;
  readonly headers: Record<string, string>;
  readonly body: Readable;
}

/**
 * Speaks HTTP for the SDK, in the same way as to the service: through the proxy
 * that the environment names, with TLS except on loopback, without following a
 * redirect, each request once and within a time limit.
 */
export class Transport {
  readonly metadata = { handlerProtocol: "http/1.1" };
  readonly #connections = new Map<string, Connections>();

  async handle(request: SdkRequest): Promise<{ response: SdkResponse }> {
    const { method, protocol, hostname, port, path, body } = request;
    if (protocol !== "https:" && !isLoopback(hostname)) {
      const detail = `plain http would send it in the clear to ${hostname}`;
      throw new NoAnswer({ phase: "insecure", detail });
    }
    const origin = `${protocol}//${hostname}${port === undefined ? "" : `:${port}`}`;
    const received = await this.#to(origin).receive({
      method,
      path: path + queryOf(request.query),
      headers: withoutExpect(request.headers),
      ...(typeof body === "string" || body instanceof Uint8Array ? { body } : {}),
      maxAnswer,
    });
    if (received.phase !== "answered") throw new NoAnswer(received);
    const { status, headers, bytes = Buffer.alloc(0) } = received;
    return {
      response: { statusCode: status, headers: single(headers), body: Readable.from([bytes]) },
    };
  }

  updateHttpClientConfig(): void {}

  httpHandlerConfigs(): Record<string, never> {
    return {};
  }

  /** Those that are in use stay. */
  async close(): Promise<void> {
    await Promise.all([...this.#connections.values()].map((one) => one.close()));
  }

  #to(origin: string): Connections {
    const known = this.#connections.get(origin);
    if (known !== undefined) return known;
    const made = new Connections(origin, timeLimit);
    this.#connections.set(origin, made);
    return made;
  }
}

/** Seconds for one request. */
const timeLimit = 15;

const maxAnswer = 256 * 1024 * 1024;

function queryOf(query: SdkRequest["query"] = {}): string {
  const pairs = Object.entries(query).flatMap(([name, value]) =>
    [value]
      .flat()
      .map((one) => (one === null ? encoded(name) : `${encoded(name)}=${encoded(one)}`)),
  );
  return pairs.length === 0 ? "" : `?${pairs.join("&")}`;
}

/** As the SDK does it for the signature. */
function encoded(text: string): string {
  return encodeURIComponent(text).replaceAll(
    /[!'()*]/g,
    (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}

/** It is never signed, and nothing that is sent is large enough to ask first. */
function withoutExpect(headers: SdkRequest["headers"]): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).filter(([name]) => name.toLowerCase() !== "expect"),
  );
}

function single(headers: Extract<Received, { phase: "answered" }>["headers"]) {
  return Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, [value].flat().join(", ")]],
    ),
  );
}
