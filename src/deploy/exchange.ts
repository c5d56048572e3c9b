import { brotliDecompressSync, gunzipSync, inflateSync } from "node:zlib";
import { type Dispatcher, EnvHttpProxyAgent } from "undici";
import type { Seen } from "./seen.ts";

export interface Request {
  readonly method: "GET" | "POST";
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  /** How much of an answer is read at the most, in bytes. */
  readonly maxAnswer: number;
  readonly signal?: AbortSignal;
}

/**
 * Connections to one origin, each used for one exchange at a time. One that has
 * been idle for over a second is not used again: the other side may be closing
 * it at that very moment, and whether a request on it was processed could then
 * not be told.
 */
export class Connections {
  readonly #origin: string;
  readonly #timeout: number;
  readonly #idle: { readonly dispatcher: Dispatcher; readonly since: number }[] = [];

  /** `timeout`: seconds for an exchange as a whole. */
  constructor(origin: string, timeout: number) {
    this.#origin = origin;
    this.#timeout = timeout * 1000;
  }

  async exchange(request: Request): Promise<Seen> {
    const dispatcher = this.#take();
    const seen = await new Exchange(dispatcher, this.#origin, request, this.#timeout).run();
    if (seen.phase === "answered" && seen.body !== undefined) {
      this.#idle.push({ dispatcher, since: performance.now() });
    } else await dispatcher.destroy();
    return seen;
  }

  async close(): Promise<void> {
    await Promise.all(this.#idle.splice(0).map(({ dispatcher }) => dispatcher.destroy()));
  }

  #take(): Dispatcher {
    for (let last = this.#idle.pop(); last !== undefined; last = this.#idle.pop()) {
      if (performance.now() - last.since < maxIdle) return last.dispatcher;
      void last.dispatcher.destroy();
    }
    return new EnvHttpProxyAgent({
      connections: 1,
      pipelining: 1,
      allowH2: false,
      keepAliveTimeout: maxIdle,
      keepAliveMaxTimeout: maxIdle,
      // Time is kept by the exchange as a whole.
      connect: { timeout: this.#timeout },
      headersTimeout: 0,
      bodyTimeout: 0,
    });
  }
}

const maxIdle = 1000;

/** One request and what came of it. It is given to the connection once and never again. */
class Exchange {
  readonly #dispatcher: Dispatcher;
  readonly #origin: string;
  readonly #request: Request;
  readonly #timeout: number;
  readonly #chunks: Buffer[] = [];
  #size = 0;
  #controller: Dispatcher.DispatchController | undefined;
  #head: Head | undefined;
  #settle: (seen: Seen) => void = () => {};

  constructor(dispatcher: Dispatcher, origin: string, request: Request, timeout: number) {
    this.#dispatcher = dispatcher;
    this.#origin = origin;
    this.#request = request;
    this.#timeout = timeout;
  }

  async run(): Promise<Seen> {
    const { signal } = this.#request;
    const timer = setTimeout(
      () => this.#stop(`no answer within ${this.#timeout / 1000} s`),
      this.#timeout,
    );
    const interrupt = () => this.#stop("interrupted");
    signal?.addEventListener("abort", interrupt);
    try {
      return await new Promise((settle) => {
        this.#settle = settle;
        if (signal?.aborted === true) interrupt();
        else this.#dispatch();
      });
    } finally {
      clearTimeout(timer);
      signal?.removeEventListener("abort", interrupt);
    }
  }

  #dispatch(): void {
    const { method, path, headers, body } = this.#request;
    this.#dispatcher.dispatch(
      { origin: this.#origin, method, path, headers: { ...headers }, body: body ?? null },
      {
        onRequestStart: (controller) => {
          // Called anew when the library takes a request up a second time.
          if (this.#controller === undefined) this.#controller = controller;
          else controller.abort(new Error("a request is never sent again by itself"));
        },
        onResponseStart: (_, status, headers) => {
          if (status >= 200) this.#head = { status, headers };
        },
        onResponseData: (controller, chunk) => {
          this.#size += chunk.length;
          if (this.#size <= this.#request.maxAnswer) this.#chunks.push(chunk);
          else controller.abort(new TooLarge());
        },
        onResponseEnd: () => this.#answered(),
        onResponseError: (_, error) => this.#failed(error),
      },
    );
  }

  #stop(detail: string): void {
    this.#settle(
      this.#controller === undefined ? { phase: "unconnected", detail } : this.#begun(detail),
    );
    void this.#dispatcher.destroy();
  }

  #begun(detail: string): Seen {
    return {
      phase: "begun",
      detail,
      status: this.#head?.status ?? null,
      retryAfter: retryAfter(this.#head?.headers),
    };
  }

  #answered(): void {
    const head = this.#head;
    if (head === undefined) this.#settle(this.#begun("the answer has no status"));
    else {
      const bytes = Buffer.concat(this.#chunks);
      this.#settle(this.#answer(head, decode(bytes, head.headers, this.#request.maxAnswer)));
    }
  }

  #answer({ status, headers }: Head, body: string | undefined): Seen {
    const contentType = header(headers, "content-type") ?? null;
    return { phase: "answered", status, contentType, retryAfter: retryAfter(headers), body };
  }

  #failed(error: Error): void {
    if (error instanceof TooLarge && this.#head !== undefined) {
      this.#settle(this.#answer(this.#head, undefined));
    } else if (this.#controller !== undefined) {
      this.#settle(
        this.#begun(`the connection was lost after the request began: ${reason(error)}`),
      );
    } else if (isAboutTrust(error)) {
      this.#settle({ phase: "insecure", detail: `no secure connection: ${reason(error)}` });
    } else {
      this.#settle({ phase: "unconnected", detail: `no connection: ${reason(error)}` });
    }
  }
}

class TooLarge extends Error {}

interface Head {
  readonly status: number;
  readonly headers: Headers;
}

type Headers = Readonly<Record<string, string | string[] | undefined>>;

function header(headers: Headers | undefined, name: string): string | undefined {
  const value = headers?.[name];
  return typeof value === "string" ? value : value?.[0];
}

/** Seconds or a date; undefined as null where it is neither. */
function retryAfter(headers: Headers | undefined): number | null {
  const text = header(headers, "retry-after")?.trim();
  if (text === undefined) return null;
  if (/^\d+$/.test(text)) return Number(text);
  const date = Date.parse(text);
  return Number.isNaN(date) ? null : Math.max(0, Math.ceil((date - Date.now()) / 1000));
}

/** No encoding is asked for, but some proxies compress all the same. */
function decode(bytes: Buffer, headers: Headers, maxOutputLength: number): string | undefined {
  const encoding = header(headers, "content-encoding")?.trim().toLowerCase() ?? "identity";
  try {
    switch (encoding) {
      case "identity":
      case "":
        return bytes.toString("utf8");
      case "gzip":
      case "x-gzip":
        return gunzipSync(bytes, { maxOutputLength }).toString("utf8");
      case "deflate":
        return inflateSync(bytes, { maxOutputLength }).toString("utf8");
      case "br":
        return brotliDecompressSync(bytes, { maxOutputLength }).toString("utf8");
      default:
        return undefined;
    }
  } catch {
    return undefined;
  }
}

const trustCodes =
  /^(?:ERR_TLS_|ERR_SSL_|CERT_|UNABLE_TO_|SELF_SIGNED_|DEPTH_ZERO_|HOSTNAME_MISMATCH|INVALID_CA|EPROTO)/;

function isAboutTrust(error: unknown): boolean {
  return codesOf(error).some((code) => trustCodes.test(code));
}

const reasons: Readonly<Record<string, string>> = {
  ECONNREFUSED: "it was refused",
  ECONNRESET: "it was reset",
  EPIPE: "it was closed",
  ENOTFOUND: "the name is not known",
  EAI_AGAIN: "the name could not be looked up",
  EHOSTUNREACH: "the host cannot be reached",
  ENETUNREACH: "the network cannot be reached",
  ETIMEDOUT: "it took too long",
  UND_ERR_CONNECT_TIMEOUT: "it took too long",
  UND_ERR_SOCKET: "it was closed by the other side",
  CERT_HAS_EXPIRED: "the certificate has expired",
  DEPTH_ZERO_SELF_SIGNED_CERT: "the certificate is signed by itself",
  SELF_SIGNED_CERT_IN_CHAIN: "the certificate's authority is not known",
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: "the certificate's authority is not known",
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: "the certificate's authority is not known",
  ERR_TLS_CERT_ALTNAME_INVALID: "the certificate is for another host",
  EPROTO: "the other side does not speak TLS",
  ERR_SSL_WRONG_VERSION_NUMBER: "the other side does not speak TLS",
};

function reason(error: unknown): string {
  const codes = codesOf(error);
  const known = codes.find((code) => reasons[code] !== undefined);
  const words = known === undefined ? undefined : reasons[known];
  if (words !== undefined) return `${words} (${known})`;
  return error instanceof Error ? error.message : String(error);
}

/** The codes of an error and of what caused it. */
function codesOf(error: unknown): string[] {
  if (!(error instanceof Error)) return [];
  const own = "code" in error && typeof error.code === "string" ? [error.code] : [];
  const inner = error instanceof AggregateError ? error.errors.flatMap(codesOf) : [];
  return [...own, ...inner, ...codesOf(error.cause)];
}
