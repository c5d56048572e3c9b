import { setMaxListeners } from "node:events";
import { type IncomingMessage, type ServerResponse, STATUS_CODES, createServer } from "node:http";
import { isIPv6 } from "node:net";
import type { Duplex } from "node:stream";
import { fromListed } from "../compile/agents.ts";
import { isLoopback } from "../schema/address.ts";
import { ListedAgent } from "../schema/agent.ts";
import type { OperationName } from "../schema/operations.ts";
import { exampleAgents } from "./agents.ts";
import { type Answer, type SeenAnswer, refused, reset, send } from "./answer.ts";
import type { SandboxRecord } from "./account.ts";
import {
  type FaultPlan,
  FaultChooser,
  type FaultRule,
  type ListFault,
  type Operation,
  describeFault,
} from "./faults.ts";
import { type SandboxNumber, currentNumber, departmentList, exampleNumbers } from "./lists.ts";
import { type Place, type Route, notFoundText, routesOf } from "./routes.ts";
import { simulateFault } from "./simulate.ts";
import { CorruptRecords, NotStored, type Records, fileRecords, memoryRecords } from "./records.ts";
import {
  type SandboxRequest,
  isOwnHost,
  parseBody,
  readBody,
  refuseHead,
  refuseToken,
  tooLarge,
} from "./request.ts";
import type { Clock } from "../util/host.ts";

export type { FaultRule } from "./faults.ts";

export interface SandboxOptions {
  readonly clock: Clock;
  /** 0 or absent: any free port. */
  readonly port?: number;
  /** Default: 127.0.0.1. */
  readonly host?: string;
  /** The agents in the service's format. Default: example agents. */
  readonly agents?: readonly unknown[];
  /** The file that menus are stored in. Default: only in memory. */
  readonly dataFile?: string;
  readonly faults?: FaultPlan;
  /** The phone numbers of the account. Default: three examples. */
  readonly numbers?: readonly SandboxNumber[];
  /** What the service offers besides creating menus and listing agents. Default: nothing. */
  readonly operations?: Iterable<OperationName>;
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
  /** The phone numbers with what they lead to now. */
  readonly numbers: readonly SandboxNumber[];
  /** Sets a webhook for an option, as somebody could on the console. */
  setWebhook(menu: number, option: string, id: string): Promise<void>;
  close(): Promise<void>;
}

const maxRequests = 10_000;

/** Starts a server that behaves as the service's documentation describes. */
export async function startSandbox(options: SandboxOptions): Promise<Sandbox> {
  const { clock, dataFile, port = 0, host = "127.0.0.1" } = options;
  const records = dataFile === undefined ? memoryRecords(clock) : fileRecords(dataFile, clock);
  const service = new Service(options, records);
  const server = createServer()
    .on("request", service.handle)
    .on("checkContinue", service.handle)
    .on("clientError", refuseBroken);
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject).listen(port, host, resolve);
  });
  return {
    url: urlOf(host, server.address()),
    get records() {
      return records.all();
    },
    requests: service.requests,
    get numbers() {
      return service.numbers();
    },
    setWebhook: (menu, option, id) => records.store({ webhook: { menu, option, id } }),
    async close() {
      const closed = new Promise((resolve) => server.close(resolve));
      service.stop();
      server.closeAllConnections();
      await closed;
      await service.idle();
    },
  };
}

class Service {
  readonly requests: SandboxRequest[] = [];
  readonly #options: SandboxOptions;
  readonly #place: Place;
  readonly #faults: FaultChooser;
  readonly #anyHost: boolean;
  readonly #stopped = new AbortController();
  readonly #running = new Set<Promise<void>>();

  constructor(options: SandboxOptions, records: Records) {
    const agents = options.agents ?? exampleAgents();
    const operations = new Set(options.operations);
    const parsed = agents.flatMap((agent) => {
      const listed = ListedAgent.safeParse(agent);
      return listed.success ? [fromListed(listed.data)] : [];
    });
    this.#options = options;
    this.#place = {
      records,
      agents: parsed,
      listedAgents: agents,
      numbers: options.numbers ?? exampleNumbers(parsed),
      destinations: {
        eids: new Set(parsed.flatMap(({ eid }) => eid ?? [])),
        hasMenu: (id) => records.account().menu(id) !== undefined,
        departments:
          operations.size === 0 ? undefined : new Set(departmentList(agents).map(({ id }) => id)),
      },
      operations,
    };
    this.#faults = new FaultChooser(options.faults ?? { seed: 0, rules: [] });
    this.#anyHost = !isLoopback(options.host ?? "127.0.0.1");
    // Every request in flight may listen to it.
    setMaxListeners(0, this.#stopped.signal);
  }

  readonly handle = (request: IncomingMessage, response: ServerResponse): void => {
    response.on("error", () => {});
    const running = this.#handle(request, response)
      .catch((error: unknown) => this.#failed(error, request, response))
      .finally(() => this.#running.delete(running));
    this.#running.add(running);
  };

  numbers(): SandboxNumber[] {
    const { records, numbers } = this.#place;
    const { bindings } = records.account();
    return numbers.map((number) => currentNumber(number, bindings.get(number.id)));
  }

  /** Ends all simulated delays. */
  stop(): void {
    this.#stopped.abort();
  }

  /** Resolves when no request is being handled. */
  async idle(): Promise<void> {
    await Promise.all(this.#running);
  }

  async #handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = pathOf(request);
    const end = (answer: Answer) =>
      this.#log(request, send(answer, request, response, this.#options.clock));
    if (!this.#anyHost && !isOwnHost(request)) {
      end(refused(421, "This sandbox only answers requests to localhost"));
      return;
    }
    if (path === "/") {
      send(await this.#page(request), request, response, this.#options.clock);
      return;
    }
    const route = this.#route(path, request);
    if ("status" in route) {
      end(route);
      return;
    }
    const { operation } = route;
    if (this.#faults.resetsUnread(operation)) {
      const { rules } = this.#faults.next(operation, "");
      reset(request);
      this.#log(request, { status: null, outcome: "not processed" }, null, rules);
      return;
    }
    if (route.kind === "read") {
      await this.#answer(operation, null, request, response, (list) => route.answer(list));
      return;
    }
    if (!route.hasBody) {
      await this.#answer(operation, route.name(undefined), request, response, () =>
        route.answer(undefined),
      );
      return;
    }
    if (request.headers.expect !== undefined) response.writeContinue();
    const bytes = await readBody(request);
    if (bytes === "gone")
      this.#log(request, { status: null, outcome: "the client closed the connection" });
    else if (bytes === "too-large") end(tooLarge());
    else {
      const body = parseBody(bytes);
      await this.#answer(operation, route.name(body), request, response, () => route.answer(body));
    }
  }

  /** What to do with a request, or the answer that refuses it before its body is read. */
  #route(path: string, request: IncomingMessage): Route | Answer {
    const query = new URLSearchParams((request.url ?? "").split("?")[1]);
    const routes = routesOf(path, query, this.#place);
    if (routes === undefined) {
      return refused(404, notFoundText(this.#place));
    }
    const route = Object.hasOwn(routes, request.method ?? "")
      ? routes[request.method ?? ""]
      : undefined;
    if (route === undefined) {
      const methods = Object.keys(routes);
      const allow = methods.join(", ");
      return refused(405, `${path} accepts only ${methods.join(" and ")}`, { allow });
    }
    const refusal = refuseToken(request, this.#options.token);
    const hasBody = route.kind === "write" && route.hasBody;
    return refusal ?? (hasBody ? refuseHead(request) : undefined) ?? route;
  }

  async #answer(
    operation: Operation,
    name: string | null,
    request: IncomingMessage,
    response: ServerResponse,
    proceed: (fault: ListFault | undefined) => Promise<Answer>,
  ): Promise<void> {
    const { latency, list, fault, rules } = this.#faults.next(operation, name ?? "");
    const { clock } = this.#options;
    const { signal } = this.#stopped;
    if (latency > 0) await clock.sleep(latency, signal).catch(() => {});
    if (signal.aborted) return;
    const seen =
      fault === undefined
        ? send(await proceed(list), request, response, clock)
        : await simulateFault(fault, request, response, clock, () => proceed(list));
    this.#log(request, seen, name, rules);
  }

  async #page(request: IncomingMessage): Promise<Answer> {
    if (request.method !== "GET" && request.method !== "HEAD") {
      return refused(405, "/ accepts only GET", { allow: "GET, HEAD" });
    }
    const { sandboxPage } = await import("./page.ts");
    return sandboxPage({
      records: this.#place.records.all(),
      requests: this.requests,
      agents: this.#place.agents,
      numbers: this.#place.operations.has("numbers") ? this.numbers() : undefined,
      dataFile: this.#options.dataFile,
      faults: this.#options.faults?.rules ?? [],
      query: new URLSearchParams((request.url ?? "").split("?")[1]),
    });
  }

  /** Closes the connection without an answer if the menu may or may not have been stored. */
  #failed(error: unknown, request: IncomingMessage, response: ServerResponse): void {
    const known =
      request.method === "GET" || error instanceof NotStored || error instanceof CorruptRecords;
    const message = error instanceof Error ? error.message : String(error);
    if (known && !response.headersSent) {
      this.#log(request, send(refused(500, message), request, response, this.#options.clock));
      return;
    }
    reset(request);
    this.#log(request, { status: null, outcome: `failed: ${message}` });
  }

  #log(
    request: IncomingMessage,
    { status, outcome }: SeenAnswer,
    name: string | null = null,
    rules: readonly FaultRule[] = [],
  ): void {
    const entry: SandboxRequest = {
      at: this.#options.clock.now().toISOString(),
      method: request.method ?? "",
      path: pathOf(request),
      name,
      status,
      outcome,
      fault: rules.length === 0 ? null : rules.map(describeFault).join(", "),
    };
    this.requests.push(entry);
    if (this.requests.length > maxRequests) this.requests.shift();
    this.#options.onRequest?.(entry);
  }
}

/** The path without the query, which may contain secrets. */
function pathOf(request: IncomingMessage): string {
  return (request.url ?? "").split("?")[0] ?? "";
}

const brokenStatus = new Map<string | undefined, number>([
  ["HPE_HEADER_OVERFLOW", 431],
  ["ERR_HTTP_REQUEST_TIMEOUT", 408],
]);

/** Answers a request that is not valid HTTP. */
function refuseBroken(error: NodeJS.ErrnoException, socket: Duplex): void {
  if (!socket.writable || error.code === "ECONNRESET") {
    socket.destroy();
    return;
  }
  const status = brokenStatus.get(error.code) ?? 400;
  const { body } = refused(status, "The request is not valid HTTP");
  socket.end(
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\nConnection: close\r\nContent-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
  );
}

function urlOf(host: string, address: ReturnType<ReturnType<typeof createServer>["address"]>) {
  const port = typeof address === "object" && address !== null ? address.port : 0;
  const reachable = host === "0.0.0.0" ? "127.0.0.1" : host === "::" ? "::1" : host;
  return `http://${isIPv6(reachable) ? `[${reachable}]` : reachable}:${port}`;
}
