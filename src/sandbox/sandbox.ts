import { type IncomingMessage, type ServerResponse, createServer } from "node:http";
import { isIPv6 } from "node:net";
import { fromListed } from "../project/agent-list.ts";
import { isLoopback } from "../util/address.ts";
import { ListedAgent } from "../schema/agent.ts";
import type { OperationName } from "../schema/operations.ts";
import type { QuirkName } from "../schema/trial-rows.ts";
import type { Clock } from "../util/host.ts";
import { isOwnHost, listen, stopListening } from "../util/local-server.ts";
import type { SandboxRecord } from "./account.ts";
import { exampleAgents } from "./example-agents.ts";
import { type Faults, readFaults } from "./faults.ts";
import {
  type Answer,
  type SandboxRequest,
  type SeenAnswer,
  pathWithoutQuery,
  readBody,
  refuseToken,
  refusedAnswer,
  send,
} from "./http.ts";
import { type SandboxNumber, departmentList, exampleNumbers } from "./list-answers.ts";
import { Records } from "./created-menus.ts";
import { Quirks } from "./quirks.ts";
import { type RouteContext, currentNumbers, findRoute } from "./routes.ts";

export interface SandboxOptions {
  readonly clock: Clock;
  /** 0 or absent: any free port. */
  readonly port?: number;
  /** Default: 127.0.0.1. */
  readonly host?: string;
  /** The agents in the service's format. Default: example agents. */
  readonly agents?: readonly unknown[] | undefined;
  /** The file that menus are stored in. Default: only in memory. */
  readonly dataFile?: string | undefined;
  readonly faults?: Faults | undefined;
  /** What the service offers besides creating menus and listing agents. Default: nothing. */
  readonly operations?: Iterable<OperationName>;
  /** How it deviates from what ivrctl assumes. Default: in no way. */
  readonly quirks?: Iterable<QuirkName>;
  /** The only accepted token. Default: every token is accepted. */
  readonly token?: string;
  /** Called for every request, once its outcome is known. */
  readonly onRequest?: (request: SandboxRequest) => void;
}

export interface Sandbox {
  readonly url: string;
  /** Includes those of other processes that use the same data file. */
  readonly records: readonly SandboxRecord[];
  /** The requests, oldest first, except those for the page. */
  readonly requests: readonly SandboxRequest[];
  /** The phone numbers with what they point to now. */
  readonly numbers: readonly SandboxNumber[];
  close(): Promise<void>;
}

const maxRequests = 10_000;

/** Starts a server that behaves as the service's documentation describes. */
export async function startSandbox(options: SandboxOptions): Promise<Sandbox> {
  const { clock, dataFile, port = 0, host = "127.0.0.1" } = options;
  const records = new Records(dataFile, clock);
  const service = new Service(options, records);
  const server = createServer(service.handle);
  return {
    url: urlOf(host, await listen(server, port, host)),
    get records() {
      return records.account().menus;
    },
    requests: service.requests,
    get numbers() {
      return currentNumbers(service.place, records.account());
    },
    async close() {
      options.faults?.stop?.();
      await stopListening(server);
      await Promise.all(service.running);
    },
  };
}

class Service {
  readonly requests: SandboxRequest[] = [];
  /** The requests that are being handled. */
  readonly running = new Set<Promise<void>>();
  readonly place: RouteContext;
  readonly #options: SandboxOptions;

  constructor(options: SandboxOptions, records: Records) {
    const listed = options.agents ?? exampleAgents();
    const agents = listed.flatMap((agent) => {
      const read = ListedAgent.safeParse(agent);
      return read.success ? [fromListed(read.data)] : [];
    });
    const operations = new Set(options.operations);
    this.#options = options;
    this.place = {
      records,
      agents,
      listedAgents: listed,
      numbers: exampleNumbers(agents),
      destinations: {
        eids: new Set(agents.flatMap(({ eid }) => eid ?? [])),
        hasMenu: (id) => records.account().menu(id) !== undefined,
        departments:
          operations.size === 0 ? undefined : new Set(departmentList(agents).map(({ id }) => id)),
      },
      operations,
      quirks: new Quirks(options.quirks),
    };
  }

  readonly handle = (request: IncomingMessage, response: ServerResponse): void => {
    response.on("error", () => {}).setHeader("date", this.#options.clock.now().toUTCString());
    const running = this.#handle(request, response)
      .catch((error: unknown) => this.#failed(error, request, response))
      .finally(() => this.running.delete(running));
    this.running.add(running);
  };

  async #handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = pathWithoutQuery(request);
    const end = (answer: Answer) => this.#log(request, send(answer, response));
    if (isLoopback(this.#options.host ?? "127.0.0.1") && !isOwnHost(request)) {
      return end(refusedAnswer(421, "This sandbox only answers requests to localhost"));
    }
    if (path === "/") return void send(await this.#page(request), response);
    const match = findRoute(request.method, path, this.place);
    if ("status" in match) return end(match);
    const refusal = refuseToken(request, this.#options.token);
    if (refusal !== undefined) return end(refusal);
    const { route, id } = match;
    const hasBody = request.method === "POST" || request.method === "PUT";
    const body = hasBody ? await readBody(request) : { value: {} };
    if (body === undefined) {
      return this.#log(request, { status: null, outcome: "the client closed the connection" });
    }
    if ("answer" in body) return end(body.answer);
    const { records } = this.place;
    const query = new URLSearchParams((request.url ?? "").split("?")[1]);
    const call = { place: this.place, id, query, body: body.value };
    const account = records.account();
    const name = route.name?.({ ...call, account }) ?? null;
    const proceed = (shown = records.account()) => route.answer({ ...call, account: shown });
    const { faults = readFaults([]) } = this.#options;
    const seen = await faults.answer({ name, request, response, account, proceed });
    return this.#log(request, seen, name);
  }

  async #page(request: IncomingMessage): Promise<Answer> {
    if (request.method !== "GET" && request.method !== "HEAD") {
      return refusedAnswer(405, "/ accepts only GET", { allow: "GET, HEAD" });
    }
    const { sandboxPage } = await import("./page.ts");
    const { place, requests } = this;
    const account = place.records.account();
    return sandboxPage({
      menus: account.menus,
      numbers: place.operations.has("numbers") ? currentNumbers(place, account) : undefined,
      recordings: place.operations.has("record") ? account.recordings : undefined,
      agents: place.agents,
      requests,
      dataFile: this.#options.dataFile,
      faults: [
        ...(this.#options.faults?.words ?? []),
        ...[...place.quirks.names].map((name) => `quirk ${name}`),
      ],
    });
  }

  #failed(error: unknown, request: IncomingMessage, response: ServerResponse): void {
    const message = error instanceof Error ? error.message : String(error);
    if (response.headersSent) this.#log(request, { status: null, outcome: `failed: ${message}` });
    else this.#log(request, send(refusedAnswer(500, message), response));
  }

  #log(request: IncomingMessage, seen: SeenAnswer, name: string | null = null): void {
    const at = this.#options.clock.now().toISOString();
    const { method = "" } = request;
    const entry: SandboxRequest = { at, method, path: pathWithoutQuery(request), name, ...seen };
    this.requests.push(entry);
    if (this.requests.length > maxRequests) this.requests.shift();
    this.#options.onRequest?.(entry);
  }
}

function urlOf(host: string, port: number): string {
  const reachable = host === "0.0.0.0" ? "127.0.0.1" : host === "::" ? "::1" : host;
  return `http://${isIPv6(reachable) ? `[${reachable}]` : reachable}:${port}`;
}
