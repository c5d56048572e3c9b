import * as z from "zod/mini";
import { ListedAgent } from "../../schema/agent.ts";
import { validate } from "../../schema/validate.ts";
import type { Payload } from "../../schema/wire.ts";
import { secrets } from "../../util/secrets.ts";
import { Connections, type ExchangeResult, type Permit, type Request } from "./exchange.ts";
import { type Attempted, decide } from "./outcome.ts";
import type { AgentDirectory, AgentListing, Service, Trace } from "./service.ts";

interface Options {
  /** https, or http on loopback; with or without a path and a trailing slash. */
  readonly baseUrl: string;
  readonly token: string;
  /** Seconds for one request. */
  readonly timeout: number;
  readonly trace?: ((trace: Trace) => void) | undefined;
}

const maxMessage = 2000;
const maxMessageBytes = 3 * 1024;
const createPath = "/v1/ivr";
const agentsPath = "/v1/agents";
const maxCreateAnswer = 1024 * 1024;
const maxAgentAnswer = 128 * 1024 * 1024;

/** The service over HTTP. Only this class knows its paths, headers and bodies. */
export class HttpService implements Service, AgentDirectory {
  readonly #options: Options;
  readonly #prefix: string;
  readonly #connections: Connections;

  constructor(options: Options) {
    const url = new URL(options.baseUrl);
    secrets.add(options.token);
    this.#options = options;
    this.#prefix = url.pathname.replace(/\/+$/, "");
    this.#connections = new Connections(url.origin, options.timeout, "the service");
  }

  async create(
    payload: Payload,
    key: string,
    signal?: AbortSignal,
    permit?: Permit,
  ): Promise<Attempted> {
    const result = await this.#exchange(
      {
        method: "POST",
        path: createPath,
        headers: { "content-type": "application/json" },
        body: JSON.stringify(payload),
        maxAnswer: maxCreateAnswer,
        signal,
        permit,
      },
      key,
    );
    const outcome = decide(result);
    return { ...outcome, message: this.#clean(outcome.message) };
  }

  async list(signal?: AbortSignal): Promise<AgentListing> {
    const result = await this.#exchange(
      {
        method: "GET",
        path: agentsPath,
        headers: {},
        maxAnswer: maxAgentAnswer,
        signal,
      },
      null,
    );
    return readListing(result, (text) => this.#clean(text));
  }

  async close(): Promise<void> {
    await this.#connections.close();
  }

  async #exchange(request: Request, key: string | null): Promise<ExchangeResult> {
    const { token, trace } = this.#options;
    const path = this.#prefix + request.path;
    const started = performance.now();
    const result = await this.#connections.exchange({
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
      milliseconds: Math.round(performance.now() - started),
    });
    return result;
  }

  /** Masks the token, which the service may repeat in its answer. */
  #clean(text: string): string {
    return brief(secrets.mask(text).slice(0, maxMessage));
  }
}

/** Shortens a text so that its JSON fits into the space that the journal reserves. */
function brief(text: string): string {
  let short = text;
  while (Buffer.byteLength(JSON.stringify(short)) > maxMessageBytes) {
    short = short.slice(0, Math.floor(short.length * 0.9));
  }
  return short;
}

const Listing = z.array(
  z.extend(ListedAgent, {
    name: z.union([z.string(), z.number()]),
    eid: z.nullable(z.union([z.string(), z.int()])),
  }),
);

function readListing(result: ExchangeResult, clean: (text: string) => string): AgentListing {
  if (result.phase !== "answered") return refused(clean(result.detail));
  const { status, body } = result;
  if (status === 401 || status === 403) {
    return refused(`the service rejected the token (HTTP ${status})`, true);
  }
  if (status < 200 || status >= 300 || body === undefined) {
    return refused(`the answer is not an agent list: ${described(result, clean)}`);
  }
  let value: unknown;
  try {
    value = JSON.parse(body);
  } catch {
    return refused(`the answer is not an agent list: ${described(result, clean)}`);
  }
  if (!Array.isArray(value))
    return refused(`the answer is not a JSON array of agents: ${described(result, clean)}`);
  const listed = validate(Listing, value);
  if (!listed.success) return refused(`the agent list is invalid: ${listed.problem}`);
  const twice = sharedEid(listed.data);
  return twice === undefined ? { kind: "listed", agents: listed.data } : refused(clean(twice));
}

function refused(problem: string, isTokenRejected = false): AgentListing {
  return { kind: "refused", problem, isTokenRejected };
}

const maxShown = 120;

function described(
  { status, contentType, body }: Extract<ExchangeResult, { phase: "answered" }>,
  clean: (text: string) => string,
): string {
  // Masked before it is cut, because half a token would not be recognized.
  const start =
    body === undefined ? undefined : clean(body.trim().slice(0, 100_000)).slice(0, maxShown);
  return [
    `HTTP ${status}`,
    clean(contentType ?? "no content type"),
    start === undefined
      ? "too large, or cannot be decoded"
      : start === ""
        ? "empty"
        : `starting with: ${start}`,
  ].join(", ");
}

function sharedEid(agents: readonly ListedAgent[]): string | undefined {
  const owners = new Map<string, string>();
  for (const { eid, name } of agents) {
    if (eid === null || eid === undefined) continue;
    const owner = owners.get(String(eid));
    if (owner !== undefined) {
      return `the agent list is invalid: ${owner} and ${String(name)} have the same extension id ${eid}`;
    }
    owners.set(String(eid), String(name));
  }
  return undefined;
}
