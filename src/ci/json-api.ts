import * as z from "zod/mini";
import { urlProblem } from "../util/address.ts";
import { validate } from "../schema/validated.ts";
import { parseJson } from "../util/parse-json.ts";
import { secrets } from "../util/secrets.ts";
import { version } from "../util/version.ts";
import { type Answered, Connections, type Received, header } from "../deploy/service/exchange.ts";
import type { Clock } from "../util/host.ts";
import { JobProblem } from "./forge.ts";

interface Settings {
  /** The name of the server in messages. */
  readonly name: string;
  /** The variable that has the address. */
  readonly variable: string;
  readonly base: string;
  readonly clock: Clock;
  /** The headers with the token. */
  readonly headers: () => Readonly<Record<string, string>>;
  /** The permission that the token needs for a request, as the server calls it. */
  readonly needs?: (path: string) => string;
}

const attempts = 4;
const secondsPerRequest = 30;
const longestWait = 60;
const maxAnswer = 64 * 1024 * 1024;

/**
 * A JSON API, such as that of GitHub or GitLab. Sends the token only to its origin and follows no
 * redirect. Repeats a request that the server certainly did not process, and after other failures
 * all requests except POST.
 */
export class JsonApi {
  readonly #settings: Settings;
  readonly #path: string;
  readonly #connections: Connections;

  constructor(settings: Settings) {
    const { variable: field, base, name, clock } = settings;
    const wording = { field, example: "https://api.example", credentials: "", sent: "the token" };
    const problem = urlProblem(base, wording);
    if (problem !== undefined) throw apiProblem(problem.message, problem.help);
    const { origin, pathname } = new URL(base);
    this.#settings = settings;
    this.#path = pathname.replace(/\/+$/, "");
    this.#connections = new Connections(origin, secondsPerRequest, clock, name);
  }

  /** Returns what is at a path. */
  async get<S extends z.ZodMiniType>(path: string, schema: S): Promise<z.output<S>> {
    return this.#parse(await this.#ask("GET", path), path, schema);
  }

  /** Returns what is at a path; undefined if there is nothing, or if the token may not see it. */
  async find<S extends z.ZodMiniType>(path: string, schema: S): Promise<z.output<S> | undefined> {
    const answer = await this.#ask("GET", path, [403, 404]);
    return isSuccess(answer) ? this.#parse(answer, path, schema) : undefined;
  }

  /** Returns all items of a list, page by page. */
  async list<S extends z.ZodMiniType<readonly unknown[]>>(
    path: string,
    schema: S,
  ): Promise<z.output<S>[number][]> {
    const all: z.output<S>[number][] = [];
    for (let page: string | undefined = path; page !== undefined;) {
      const answer = await this.#ask("GET", page);
      all.push(...this.#parse(answer, page, schema));
      // Only the query of the link counts, so that it cannot point to a different server.
      const link = header(answer.headers, "link") ?? "";
      const query = /<[^>?]*(\?[^>]*)>\s*;\s*rel="?next"?/.exec(link)?.[1];
      page = query && `${path.split("?", 1)[0]}${query}`;
    }
    return all;
  }

  async send(method: "POST" | "PATCH" | "PUT", path: string, body: object): Promise<void> {
    await this.#ask(method, path, [], body);
  }

  /** Returns the content of a file; undefined if there is none. */
  async file(path: string): Promise<Buffer | undefined> {
    const answer = await this.#ask("GET", path, [404]);
    return isSuccess(answer) ? answer.bytes : undefined;
  }

  /**
   * Downloads from the address that the API names in its answer. That address contains its own
   * permission, so the token is not sent there.
   */
  async download(path: string): Promise<Buffer | undefined> {
    const answer = await this.#ask("GET", path, [302]);
    const { name, clock } = this.#settings;
    const place = header(answer.headers, "location") ?? "";
    const wording = { field: "location", example: "", credentials: "", sent: "the plan" };
    if (!URL.canParse(place) || urlProblem(place.split("?", 1)[0] ?? "", wording) !== undefined) {
      throw apiProblem(`${name} returned no safe address for GET ${path}.`);
    }
    const { origin, pathname, search } = new URL(place);
    secrets.add(search);
    const about = { name: `The storage of ${name}`, variable: "location", base: origin };
    const storage = new JsonApi({ ...about, clock, headers: () => ({}) });
    try {
      return (await storage.#ask("GET", pathname + search)).bytes;
    } finally {
      await storage.close();
    }
  }

  close(): Promise<void> {
    return this.#connections.close();
  }

  /** Sends a request. `fine` are the statuses besides success that are no problem. */
  async #ask(
    method: "GET" | "POST" | "PATCH" | "PUT",
    path: string,
    fine: readonly number[] = [],
    body?: object,
  ): Promise<Answered> {
    const { headers, clock } = this.#settings;
    const about = { accept: "application/json", "user-agent": `ivrctl/${version}`, ...headers() };
    const type = body && { "content-type": "application/json" };
    const request = {
      method,
      path: this.#path + path,
      headers: { ...about, ...type },
      ...(body && { body: JSON.stringify(body) }),
      maxAnswer,
    };
    for (let attempt = 1; ; attempt += 1) {
      const received = await this.#connections.receive(request);
      const isAnswered = received.phase === "answered";
      if (isAnswered && (isSuccess(received) || fine.includes(received.status))) return received;
      const limit = secondsOfLimit(received, clock);
      const wait = limit ?? (isRepeated(received, method) ? 0.3 * 2 ** attempt : Infinity);
      if (attempt === attempts || wait > longestWait) throw this.#problem(method, path, received);
      await clock.sleep(wait * 1000);
    }
  }

  /** Why a request failed. */
  #problem(method: string, path: string, received: Received): JobProblem {
    const { name, needs, clock } = this.#settings;
    const isCreate = method === "POST";
    if (received.phase !== "answered") {
      return apiProblem(`${method} ${path} failed: ${received.detail}.`, undefined, isCreate);
    }
    const { status, bytes } = received;
    const hint =
      secondsOfLimit(received, clock) !== undefined
        ? "The token has reached its rate limit. Run the job again later."
        : status === 401
          ? "The token is not valid. Replace it."
          : needs && [403, 404].includes(status)
            ? `Give the token this permission: ${needs(path)}.`
            : undefined;
    const { message, error } = Explained.parse(parseJson(bytes));
    const words = message ?? error ?? "";
    const text = typeof words === "string" ? words : JSON.stringify(words);
    const why = text === "" ? "" : `: ${text.slice(0, 500).replace(/\.$/, "")}`;
    const refused = `${name} refused ${method} ${path} (HTTP ${status})${why}.`;
    return apiProblem(refused, hint, isCreate && status >= 500);
  }

  #parse<S extends z.ZodMiniType>({ bytes }: Answered, path: string, schema: S): z.output<S> {
    const read = validate(schema, parseJson(bytes));
    if (read.success) return read.data;
    throw apiProblem(
      `The answer of ${this.#settings.name} to ${path} is invalid: ${read.problem}.`,
    );
  }
}

/** Whether a request is repeated although no rate limit says when. A create may have been processed. */
function isRepeated(received: Received, method: string): boolean {
  if (received.phase === "unconnected") return true;
  return method !== "POST" && (received.phase !== "answered" || received.status >= 500);
}

/** The seconds until a rate limit ends; undefined if the answer is about something else. */
function secondsOfLimit(received: Received, clock: Clock): number | undefined {
  if (received.phase !== "answered") return undefined;
  const { status, headers, retryAfter, bytes } = received;
  if (status !== 403 && status !== 429) return undefined;
  if (retryAfter !== null) return retryAfter;
  const named = (name: string) =>
    header(headers, `x-ratelimit-${name}`) ?? header(headers, `ratelimit-${name}`);
  if (named("remaining") !== "0") {
    // GitHub sends no header with this limit, and asks to wait a minute.
    const isLimit = status === 429 || /secondary rate limit/i.test(String(bytes));
    return isLimit ? longestWait : undefined;
  }
  // The second at which the limit ends.
  const left = Number(named("reset")) - clock.now().getTime() / 1000;
  return Number.isNaN(left) ? Infinity : Math.max(1, Math.ceil(left));
}

/** The explanation in an answer: `message` on GitHub, `message` or `error` on GitLab. */
const Explained = z.catch(
  z.object({ message: z.optional(z.unknown()), error: z.optional(z.unknown()) }),
  {},
);

function apiProblem(message: string, hint?: string, mayBeDone = false): JobProblem {
  return new JobProblem("IVR681", message, hint, mayBeDone);
}

function isSuccess({ status }: Answered): boolean {
  return status >= 200 && status < 300;
}
