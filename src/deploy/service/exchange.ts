import { unzipSync } from "node:zlib";
// oxlint-disable-next-line no-restricted-imports -- the only HTTP client
import { Client, type Dispatcher, EnvHttpProxyAgent } from "undici";
import { isLoopback } from "../../util/address.ts";
import { isTlsError, isClosed, reason } from "./connection-errors.ts";
import type { Clock } from "../../util/host.ts";

export interface HttpRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
  /** The most bytes that are read of an answer. */
  readonly maxAnswer: number;
  readonly signal?: AbortSignal | undefined;
  readonly permit?: Permit | undefined;
}

/**
 * The permission to send a request. It expires, so it is checked as late as possible:
 * after the connection is made, and before the first byte is written.
 */
export interface Permit {
  /** Whether it is valid at this moment. */
  isGood(): boolean;
  /** Renews a permit that has expired; false if it cannot be renewed. */
  renew(): Promise<boolean>;
}

/** How far an exchange got, and the answer. Only this decides the outcome of a create. */
export type Received =
  /** No connection was made, so nothing can have been processed. */
  | { readonly phase: "unconnected"; readonly detail: string }
  /** There was a connection, but the permit had expired: nothing was written. */
  | { readonly phase: "withheld"; readonly detail: string }
  /** TLS failed, for example because of the certificate. */
  | { readonly phase: "insecure"; readonly detail: string }
  /** The request began to leave, but no complete answer came. The status may be known. */
  | {
      readonly phase: "begun";
      readonly detail: string;
      readonly status: number | null;
    }
  | Answered;

export interface Answered {
  readonly phase: "answered";
  readonly status: number;
  readonly headers: Headers;
  /** Seconds to wait, from `Retry-After`. */
  readonly retryAfter: number | null;
  /** Undefined if it was too large. */
  readonly bytes: Buffer | undefined;
  /** The decoded text; undefined if it was too large or cannot be decoded. */
  text(): string | undefined;
}

/**
 * Connections to one origin, each used for one exchange at a time. A connection that was
 * idle for more than a second is not used again: the server may be closing it, and then
 * the outcome of a request would be unknown.
 */
export class Connections {
  readonly #peer: Peer;
  readonly #timeout: number;
  readonly #clock: Clock;
  readonly #idle: { readonly dispatcher: Dispatcher; readonly since: number }[] = [];

  /** `timeout` is the seconds for a whole exchange, and `name` the name of the server in messages. */
  constructor(origin: string, timeout: number, clock: Clock, name = "the server") {
    this.#clock = clock;
    this.#peer = { origin, name };
    this.#timeout = timeout * 1000;
  }

  async receive(request: HttpRequest): Promise<Received> {
    let dispatcher: Dispatcher;
    try {
      dispatcher = this.#take();
    } catch {
      // The variable is not shown, because it may contain a password.
      const detail = "cannot connect: HTTPS_PROXY, HTTP_PROXY or NO_PROXY is invalid";
      return { phase: "unconnected", detail };
    }
    const exchange = new Exchange(dispatcher, this.#peer, request, this.#timeout, this.#clock);
    const received = await exchange.run();
    if (received.phase === "answered" && received.bytes !== undefined) {
      this.#idle.push({ dispatcher, since: this.#clock.elapsed() });
    } else await dispatcher.destroy();
    return received;
  }

  async close(): Promise<void> {
    await Promise.all(this.#idle.splice(0).map(({ dispatcher }) => dispatcher.destroy()));
  }

  #take(): Dispatcher {
    for (let last = this.#idle.pop(); last !== undefined; last = this.#idle.pop()) {
      if (this.#clock.elapsed() - last.since < maxIdle) return last.dispatcher;
      void last.dispatcher.destroy();
    }
    const options: Client.Options = {
      pipelining: 1,
      allowH2: false,
      keepAliveTimeout: maxIdle,
      keepAliveMaxTimeout: maxIdle,
      // The exchange has its own timer.
      connect: { timeout: this.#timeout },
      headersTimeout: 0,
      bodyTimeout: 0,
    };
    // Requests to this machine never go through a proxy.
    return isLoopback(new URL(this.#peer.origin).hostname)
      ? new Client(this.#peer.origin, options)
      : new EnvHttpProxyAgent({ ...options, connections: 1, factory: clientWithoutRetry });
  }
}

interface Peer {
  readonly origin: string;
  /** The name of the server in messages: `the service`. */
  readonly name: string;
}

/** A client that does not try to connect again after a failure. */
function clientWithoutRetry(origin: string | URL, options: object): Dispatcher {
  const client = new Client(origin, options);
  client.on("connectionError", (_, __, error) => void client.destroy(error));
  return client;
}

const maxIdle = 1000;

/** One request and its result. The request is passed to the connection only once. */
class Exchange {
  readonly #dispatcher: Dispatcher;
  readonly #peer: Peer;
  readonly #request: HttpRequest;
  readonly #timeout: number;
  readonly #clock: Clock;
  readonly #chunks: Buffer[] = [];
  #size = 0;
  #controller: Dispatcher.DispatchController | undefined;
  #head: Head | undefined;
  #isDone = false;
  #resolve: (received: Received) => void = () => {};

  constructor(
    dispatcher: Dispatcher,
    peer: Peer,
    request: HttpRequest,
    timeout: number,
    clock: Clock,
  ) {
    this.#dispatcher = dispatcher;
    this.#peer = peer;
    this.#request = request;
    this.#timeout = timeout;
    this.#clock = clock;
  }

  async run(): Promise<Received> {
    const { signal } = this.#request;
    const cancel = this.#clock.after(this.#timeout, () => this.#stop(this.#lateness));
    const interrupt = () => this.#stop(`interrupted before ${this.#peer.name} answered`);
    signal?.addEventListener("abort", interrupt);
    try {
      return await new Promise((resolve) => {
        this.#resolve = resolve;
        if (signal?.aborted === true) interrupt();
        else this.#dispatch();
      });
    } finally {
      cancel();
      signal?.removeEventListener("abort", interrupt);
    }
  }

  get #lateness(): string {
    const seconds = this.#timeout / 1000;
    return this.#controller === undefined
      ? `cannot connect within ${seconds} s`
      : `${this.#peer.name} did not answer within ${seconds} s`;
  }

  #dispatch(): void {
    const { method, path, headers, body } = this.#request;
    this.#dispatcher.dispatch(
      { origin: this.#peer.origin, method, path, headers: { ...headers }, body: body ?? null },
      {
        onRequestStart: (controller) => {
          // undici calls this again if it retries a request, and it may call it after the
          // timeout. Nothing has been written yet.
          if (this.#isDone || this.#controller !== undefined) {
            controller.abort(new Error("a request is never sent again automatically"));
          } else if (this.#request.permit?.isGood() === false) {
            // Unlike an abort, an exception keeps the connection usable.
            throw new PermitExpired(this.#request.permit);
          } else this.#controller = controller;
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

  /** Renews an expired permit and then sends the request, within the time of the exchange. */
  async #renew(permit: Permit): Promise<void> {
    const isGood = await permit.renew();
    if (this.#isDone) return;
    if (isGood) this.#dispatch();
    else this.#finish({ phase: "withheld", detail: "the request was not sent" });
  }

  #finish(received: Received): void {
    this.#isDone = true;
    this.#resolve(received);
  }

  #stop(detail: string): void {
    this.#finish(
      this.#controller === undefined ? { phase: "unconnected", detail } : this.#begun(detail),
    );
    void this.#dispatcher.destroy();
  }

  #begun(detail: string): Received {
    return { phase: "begun", detail, status: this.#head?.status ?? null };
  }

  #answered(isWhole = true): void {
    const head = this.#head;
    if (head === undefined) {
      this.#finish(this.#begun(`the answer of ${this.#peer.name} has no status`));
      return;
    }
    const { headers } = head;
    const bytes = isWhole ? Buffer.concat(this.#chunks) : undefined;
    this.#finish({
      phase: "answered",
      ...head,
      retryAfter: retryAfter(headers, this.#clock),
      bytes,
      text: () => bytes && decode(bytes, headers, this.#request.maxAnswer),
    });
  }

  #failed(error: Error): void {
    if (error instanceof TooLarge && this.#head !== undefined) {
      this.#answered(false);
    } else if (error instanceof PermitExpired) {
      void this.#renew(error.permit);
    } else if (this.#controller !== undefined) {
      this.#finish(this.#begun(this.#loss(error)));
    } else if (isTlsError(error)) {
      this.#finish({ phase: "insecure", detail: `no secure connection: ${reason(error)}` });
    } else {
      this.#finish({ phase: "unconnected", detail: `cannot connect: ${reason(error)}` });
    }
  }

  /** Why the exchange failed after the request began to leave. */
  #loss(error: Error): string {
    const status = this.#head?.status;
    if (status === undefined) {
      return isClosed(error)
        ? `${this.#peer.name} closed the connection before it answered`
        : `the connection failed before an answer came: ${reason(error)}`;
    }
    return isClosed(error)
      ? `HTTP ${status}, but ${this.#peer.name} closed the connection halfway through its answer`
      : `HTTP ${status}, but the connection failed halfway through the answer: ${reason(error)}`;
  }
}

class TooLarge extends Error {}

class PermitExpired extends Error {
  readonly permit: Permit;

  constructor(permit: Permit) {
    super("the permit has expired");
    this.permit = permit;
  }
}

interface Head {
  readonly status: number;
  readonly headers: Headers;
}

type Headers = Readonly<Record<string, string | string[] | undefined>>;

export function header(headers: Headers, name: string): string | undefined {
  const value = headers[name];
  return typeof value === "string" ? value : value?.[0];
}

/** Returns the seconds to wait, from a number or a date; null if the header is neither. */
function retryAfter(headers: Headers, clock: Clock): number | null {
  const text = header(headers, "retry-after")?.trim();
  if (text === undefined) return null;
  if (/^\d+$/.test(text)) return Number(text);
  const date = Date.parse(text);
  return Number.isNaN(date) ? null : Math.max(0, Math.ceil((date - clock.now().getTime()) / 1000));
}

/** ivrctl asks for no compression, but some proxies compress anyway. */
function decode(bytes: Buffer, headers: Headers, maxOutputLength: number): string | undefined {
  const encoding = header(headers, "content-encoding") ?? "identity";
  try {
    const plain = encoding === "identity" ? bytes : unzipSync(bytes, { maxOutputLength });
    return plain.toString("utf8").replace(/^\uFEFF/, "");
  } catch {
    return undefined;
  }
}
