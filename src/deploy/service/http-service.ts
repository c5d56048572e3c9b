import type { Payload } from "../../schema/wire.ts";
import { secrets } from "../../util/secrets.ts";
import { Pace, maxAttempts, maxWaiting, waitAfter } from "./pace.ts";
import { Connections, type Permit, type Received, type Request } from "./exchange.ts";
import {
  type UserPage,
  agentsIn,
  departmentsIn,
  menusIn,
  numbersIn,
  refused,
  userPageIn,
  readJsonAnswer,
} from "./lists.ts";
import type { LiveMenu } from "./live-menu.ts";
import { type Attempted, decideOutcome } from "./outcome.ts";
import type {
  AgentListing,
  Department,
  Found,
  Listing,
  PhoneNumber,
  Trace,
  UnreadableRecord,
  User,
  WriteRequest,
} from "./service.ts";
import type { Clock } from "../../util/host.ts";

interface Options {
  /** https, or http on loopback; with or without a path and a trailing slash. */
  readonly baseUrl: string;
  readonly token: string;
  readonly clock: Clock;
  /** Seconds for one request. */
  readonly timeout: number;
  /** The rate at which requests that read are sent; null or absent for no limit. */
  readonly requestsPerSecond?: number | null;
  /** How often a request that reads is sent, if it fails in a way that may pass. Default: 5. */
  readonly readAttempts?: number | undefined;
  readonly trace?: ((trace: Trace) => void) | undefined;
}

/** The most characters of a message, so that outcomes fit into the space of the ballast file of a state. */
const maxMessage = 500;
const createPath = "/v1/ivr";
const agentsPath = "/v1/agents";
const maxWriteAnswer = 1024 * 1024;
/** Enough for 10,000 menus with many options, and for 100,000 agents. */
const maxListAnswer = 128 * 1024 * 1024;
const usersPerPage = 100;
const maxUserPages = 1000;

/**
 * The service over HTTP. Only this class knows its paths, headers and bodies. Every service can create
 * menus and list agents. The environment says with `operations:` what else it can do. A request that
 * reads a list is repeated if it fails; one that writes is sent once, and `key` is only for its trace.
 */
export class HttpService {
  readonly #options: Options;
  readonly #prefix: string;
  readonly #connections: Connections;
  readonly #pace: Pace;

  constructor(options: Options) {
    const url = new URL(options.baseUrl);
    secrets.add(options.token);
    this.#options = options;
    this.#prefix = url.pathname.replace(/\/+$/, "");
    this.#connections = new Connections(url.origin, options.timeout, options.clock, "the service");
    this.#pace = new Pace(options.requestsPerSecond ?? null, options.clock);
  }

  create(payload: Payload, key: string, signal?: AbortSignal, permit?: Permit): Promise<Attempted> {
    return this.#write("POST", createPath, payload, { key, signal, permit });
  }

  async listMenus(signal?: AbortSignal): Promise<Listing<LiveMenu>> {
    return menusIn(await this.#read("/v1/ivrs", "a list of menus", signal), clean);
  }

  /** Replaces the whole content of a menu. */
  updateMenu(id: string, payload: Payload, request: WriteRequest): Promise<Attempted> {
    return this.#write("PUT", `/v1/ivr/${encodeURIComponent(id)}`, payload, request);
  }

  deleteMenu(id: string, request: WriteRequest): Promise<Attempted> {
    return this.#write("DELETE", `/v1/ivr/${encodeURIComponent(id)}`, undefined, request);
  }

  async listNumbers(signal?: AbortSignal): Promise<Listing<PhoneNumber>> {
    return numbersIn(await this.#read("/v1/my_number", "a list of phone numbers", signal), clean);
  }

  /** Points a phone number to a destination such as `ivr||7926`. */
  bindNumber(
    { id, name }: Pick<PhoneNumber, "id" | "name">,
    destination: string,
    request: WriteRequest,
  ): Promise<Attempted> {
    // The list does not show the description, so sending one would overwrite it.
    const body = { ...(name === null ? {} : { name }), destination };
    return this.#write("PUT", `/v1/my_number/${encodeURIComponent(id)}`, body, request);
  }

  /** Reads all pages. A user that moved to the next page in the meantime is kept once. */
  async listUsers(signal?: AbortSignal): Promise<Listing<User>> {
    const users = new Map<string, User>();
    const unreadable: UnreadableRecord[] = [];
    let cursor: string | undefined;
    for (let pages = 0; pages < maxUserPages; pages += 1) {
      const { listing, next } = await this.#users(cursor, signal);
      if (listing.kind === "refused") return listing;
      for (const user of listing.items) users.set(user.id, user);
      unreadable.push(...listing.unreadable);
      if (next === undefined) return { kind: "listed", items: [...users.values()], unreadable };
      if (next === cursor) break;
      cursor = next;
    }
    return refused("other", "the list of users does not end");
  }

  async listDepartments(signal?: AbortSignal): Promise<Listing<Department>> {
    const found = await this.#read("/v1/departments", "a list of departments", signal);
    return departmentsIn(found, clean);
  }

  /** The agent list, which the service has deprecated. */
  async list(signal?: AbortSignal): Promise<AgentListing> {
    return agentsIn(await this.#read(agentsPath, "an agent list", signal, 1), clean);
  }

  async close(): Promise<void> {
    await this.#connections.close();
  }

  async #users(cursor: string | undefined, signal?: AbortSignal): Promise<UserPage> {
    const from = cursor === undefined ? "" : `&last_seen_id=${encodeURIComponent(cursor)}`;
    const path = `/v1/users?limit=${usersPerPage}${from}`;
    return userPageIn(await this.#read(path, "a list of users", signal), clean);
  }

  /** Sends a request that reads, again if it failed in a way that may pass. */
  async #read(
    path: string,
    what: string,
    signal?: AbortSignal,
    attempts = this.#options.readAttempts ?? maxAttempts,
  ): Promise<Found<unknown>> {
    const { clock } = this.#options;
    const started = clock.elapsed();
    for (let attempt = 1; ; attempt += 1) {
      await this.#pace.turn(signal).catch(() => {});
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
        return readJsonAnswer(result, what, clean);
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
    const outcome = decideOutcome(result, method === "POST");
    return { ...outcome, message: clean(outcome.message) };
  }

  async #exchange(request: Request, key: string | null): Promise<Received> {
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

/** Masks the token, which the service may repeat in its answer. */
function clean(text: string): string {
  return secrets.mask(text).slice(0, maxMessage);
}
