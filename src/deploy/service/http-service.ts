import type { Destination } from "../../model/menu.ts";
import { destinationText } from "./encode-payload.ts";
import type { Payload } from "../../schema/wire.ts";
import { secrets } from "../../util/secrets.ts";
import { Pace, maxAttempts, maxWaiting, waitAfter } from "./pace.ts";
import { Connections, type Permit, type Received, type HttpRequest } from "./exchange.ts";
import {
  type ItemOf,
  type ListName,
  type Listing,
  type PhoneNumber,
  clean,
  readList,
} from "./lists.ts";
import { type Batch, batchIn, readBatch } from "./recording-batch.ts";
import { type Attempted, decideOutcome } from "./outcome.ts";
import type { Clock } from "../../util/host.ts";

export interface WriteRequest {
  /** The key of the menu that the request is for. */
  readonly key: string;
  readonly signal?: AbortSignal | undefined;
  readonly permit?: Permit | undefined;
}

/** What `--verbose` shows of an exchange: never the token, and never a body. */
export interface Trace {
  readonly method: string;
  readonly path: string;
  /** The key of the menu, if the request creates or changes one. */
  readonly key: string | null;
  /** The HTTP status, or how far the exchange got without one. */
  readonly result: number | string;
  readonly milliseconds: number;
}

interface HttpServiceOptions {
  /** https, or http on loopback; with or without a path and a trailing slash. */
  readonly baseUrl: string;
  readonly token: string;
  readonly clock: Clock;
  /** Seconds for one request. */
  readonly timeout: number;
  /** The rate at which requests are sent; null or absent for no limit. */
  readonly requestsPerSecond?: number | null;
  /** How often a request that reads is sent, if it fails in a way that may pass. Default: 5. */
  readonly readAttempts?: number | undefined;
  readonly trace?: ((trace: Trace) => void) | undefined;
}

const maxWriteAnswer = 1024 * 1024;
/** Enough for 10,000 menus with many options, and for 100,000 agents. */
const maxListAnswer = 128 * 1024 * 1024;

/**
 * The service over HTTP. Only this class knows its paths, headers and bodies. Every service can create
 * menus and list agents. The environment says with `operations:` what else it can do. A request that
 * reads a list is repeated if it fails; one that writes is sent once, and `key` is only for its trace.
 */
export class HttpService {
  readonly #options: HttpServiceOptions;
  readonly #prefix: string;
  readonly #connections: Connections;
  /** Whoever sends a request that changes something keeps to it. */
  readonly pace: Pace;

  constructor(options: HttpServiceOptions) {
    const url = new URL(options.baseUrl);
    secrets.add(options.token);
    this.#options = options;
    this.#prefix = url.pathname.replace(/\/+$/, "");
    this.#connections = new Connections(url.origin, options.timeout, options.clock, "the service");
    this.pace = new Pace(options.requestsPerSecond ?? null, options.clock);
  }

  /** Reads one of the lists of the account. */
  list<K extends ListName>(name: K, signal?: AbortSignal): Promise<Listing<ItemOf<K>>> {
    return readList(name, (path, attempts) => this.#read(path, signal, attempts));
  }

  create(payload: Payload, key: string, signal?: AbortSignal, permit?: Permit): Promise<Attempted> {
    return this.#write("POST", "/v1/ivr", payload, { key, signal, permit });
  }

  /** Replaces the whole content of a menu. */
  updateMenu(id: string, payload: Payload, request: WriteRequest): Promise<Attempted> {
    return this.#write("PUT", `/v1/ivr/${encodeURIComponent(id)}`, payload, request);
  }

  deleteMenu(id: string, request: WriteRequest): Promise<Attempted> {
    return this.#write("DELETE", `/v1/ivr/${encodeURIComponent(id)}`, undefined, request);
  }

  /** Points a phone number to a destination. */
  bindNumber(
    { id, name }: Pick<PhoneNumber, "id" | "name">,
    to: Destination,
    request: WriteRequest,
  ): Promise<Attempted> {
    // The list does not show the description, so sending one would overwrite it.
    const body = { ...(name === null ? {} : { name }), destination: destinationText(to) };
    return this.#write("PUT", `/v1/my_number/${encodeURIComponent(id)}`, body, request);
  }

  /** Has a recording made. Its id is known when its batch is ready. */
  async makeRecording(body: object, request: WriteRequest): Promise<Attempted> {
    let received: Received | undefined;
    const outcome = await this.#write("POST", "/v1/recording", body, request, (one) => {
      received = one;
    });
    const batch = received && outcome.kind === "done" ? batchIn(received) : undefined;
    return outcome.kind === "done" && batch !== undefined ? { ...outcome, batch } : outcome;
  }

  /** Asks once whether a recording is ready. */
  async recordingBatch(batch: string, signal?: AbortSignal): Promise<Batch> {
    return readBatch(
      await this.#read(`/v1/recording/batch_status/${encodeURIComponent(batch)}`, signal, 1),
    );
  }

  async close(): Promise<void> {
    await this.#connections.close();
  }

  /** Sends a request that reads, again if it failed in a way that may pass. */
  async #read(
    path: string,
    signal: AbortSignal | undefined,
    attempts = this.#options.readAttempts ?? maxAttempts,
  ): Promise<Received> {
    const { clock } = this.#options;
    const started = clock.elapsed();
    for (let attempt = 1; ; attempt += 1) {
      await this.pace.turn(signal).catch(() => {});
      await this.pace.depart(signal).catch(() => {});
      const request = { method: "GET", path, headers: {}, maxAnswer: maxListAnswer, signal };
      const result = await this.#exchange(request, null);
      const wait = waitAfter({ retryAfter: retryAfterOf(result) }, attempt);
      const waited = (clock.elapsed() - started) / 1000;
      if (
        attempt >= attempts ||
        !mayPass(result) ||
        waited + wait > maxWaiting ||
        signal?.aborted === true
      ) {
        return result;
      }
      // An interruption ends a wait, and the next attempt reports it.
      await clock.sleep(wait * 1000, signal).catch(() => {});
    }
  }

  /** Sends a request that changes something, once. */
  async #write(
    method: "POST" | "PUT" | "DELETE",
    path: string,
    body: object | undefined,
    { key, signal, permit }: WriteRequest,
    seen?: (result: Received) => void,
  ): Promise<Attempted> {
    const result = await this.#exchange(
      {
        method,
        path,
        headers: body === undefined ? {} : { "content-type": "application/json" },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        maxAnswer: maxWriteAnswer,
        signal,
        permit,
      },
      key,
    );
    seen?.(result);
    const outcome = decideOutcome(result, method === "POST");
    return { ...outcome, message: clean(outcome.message) };
  }

  async #exchange(request: HttpRequest, key: string | null): Promise<Received> {
    const { token, trace, clock } = this.#options;
    const path = this.#prefix + request.path;
    const started = clock.elapsed();
    const result = await this.#connections.receive({
      ...request,
      path,
      headers: {
        accept: "application/json",
        authorization: `Bearer ${token}`,
        ...request.headers,
      },
    });
    trace?.({
      method: request.method,
      path,
      key,
      result: "status" in result && result.status !== null ? result.status : result.phase,
      milliseconds: Math.round(clock.elapsed() - started),
    });
    return result;
  }
}

/** Whether a request that reads may succeed if it is sent again. */
function mayPass(result: Received): boolean {
  if (result.phase === "answered") return result.status === 429 || result.status >= 500;
  return result.phase !== "insecure";
}

function retryAfterOf(result: Received): number | null {
  return result.phase === "answered" ? result.retryAfter : null;
}
