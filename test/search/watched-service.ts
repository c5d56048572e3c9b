import {
  type IncomingMessage,
  type Server,
  type ServerResponse,
  createServer,
  request,
} from "node:http";
import { isDeepStrictEqual } from "node:util";
import { digestOf } from "../../src/deploy/plan/digest.ts";
import type { FaultRule } from "../../src/sandbox/server.ts";
import { type Sandbox, startSandbox } from "../../src/sandbox/server.ts";
import type { Payload } from "../../src/schema/wire.ts";
import type { Accounts } from "./accounts.ts";

interface Options {
  readonly dataFile: string;
  readonly token: string;
  readonly accounts: () => Accounts;
  readonly found: (finding: string) => void;
  readonly played: (fault: string) => void;
}

type Listed = ReadonlyMap<string, unknown>;

/**
 * A service with more operations, behind a proxy that checks every request that writes: its intent
 * is on disk, it is sent once for each intent, and an update is sent only if the service showed the
 * same menu in the first and in the last list of the run.
 */
export class WatchedService {
  /** Called for every request that writes, before it is passed on, and for every answer to one. */
  moment: ((what: "write" | "answer") => void) | undefined;
  readonly counts: Record<string, number> = {};
  readonly #options: Options;
  readonly #proxy: Server;
  readonly #used = new Set<number>();
  #sandbox: Sandbox | undefined;
  /** The list that the plan was made from, and the last one. */
  #first: Listed | undefined;
  #last: Listed | undefined;
  #port = 0;

  constructor(options: Options) {
    this.#options = options;
    this.#proxy = createServer((asked, answer) => this.#pass(asked, answer));
  }

  get port(): number {
    return this.#port;
  }

  async open(): Promise<void> {
    await new Promise<void>((resolve) => this.#proxy.listen(0, "127.0.0.1", resolve));
    const address = this.#proxy.address();
    this.#port = typeof address === "object" && address !== null ? address.port : 0;
    await this.play(0, []);
  }

  /** Restarts the service with other faults. It keeps its menus. */
  async play(seed: number, rules: readonly FaultRule[]): Promise<void> {
    await this.#sandbox?.close();
    const { dataFile, token, played } = this.#options;
    this.#sandbox = await startSandbox({
      dataFile,
      token,
      operations: ["list", "update"],
      faults: { seed, rules },
      onRequest: ({ fault }) =>
        fault?.split(", ").forEach((one) => played(one.split("=")[0] ?? one)),
    });
  }

  get records() {
    return this.#sandbox?.records ?? [];
  }

  /** Forgets the lists of the last run. With `keep`, the first one stays: it belongs to a saved plan. */
  begin(keep = false): void {
    if (!keep) this.#first = undefined;
    this.#last = undefined;
  }

  async close(): Promise<void> {
    this.#proxy.closeAllConnections();
    await new Promise((resolve) => this.#proxy.close(resolve));
    await this.#sandbox?.close();
  }

  #pass(asked: IncomingMessage, answer: ServerResponse): void {
    const chunks: Buffer[] = [];
    const isWrite = asked.method === "POST" || asked.method === "PUT";
    asked.on("error", () => {});
    asked.on("data", (chunk: Buffer) => chunks.push(chunk));
    asked.on("end", () => {
      const body = Buffer.concat(chunks);
      if (isWrite) {
        this.#check(asked, JSON.parse(body.toString("utf8")) as Payload);
        this.moment?.("write");
      }
      const { port } = new URL(this.#sandbox?.url ?? "http://127.0.0.1:1");
      const headers = { ...asked.headers, host: `127.0.0.1:${port}` };
      const options = {
        port,
        method: asked.method,
        path: asked.url,
        headers,
        agent: false as const,
      };
      const passed = request(options, (from) => this.#answer(asked, from, answer));
      passed.on("error", () => answer.destroy());
      passed.end(body);
      answer.on("close", () => passed.destroy());
    });
  }

  #answer(asked: IncomingMessage, from: IncomingMessage, answer: ServerResponse): void {
    const chunks: Buffer[] = [];
    answer.writeHead(from.statusCode ?? 502, from.headers);
    from.on("data", (chunk: Buffer) => {
      chunks.push(chunk);
      answer.write(chunk);
    });
    from.on("error", () => answer.destroy());
    from.on("close", () => {
      if (!from.complete) answer.destroy();
    });
    from.on("end", () => {
      if (asked.url === "/v1/ivrs" && from.statusCode === 200) this.#listed(Buffer.concat(chunks));
      answer.end();
      if (asked.method !== "GET") this.moment?.("answer");
    });
  }

  #listed(body: Buffer): void {
    try {
      const { ivrs } = JSON.parse(body.toString("utf8")) as { ivrs: { id: unknown }[] };
      this.#last = new Map(ivrs.map((menu) => [String(menu.id), normal(menu)]));
      this.#first ??= this.#last;
    } catch {
      // The fault of the service is also an answer that is not a list.
    }
  }

  #check(asked: IncomingMessage, payload: Payload): void {
    const { accounts, found } = this.#options;
    const digest = digestOf(payload);
    const id = /^\/v1\/ivr\/(.+)$/.exec(asked.url ?? "")?.[1];
    const what = `${asked.method} “${payload.name}”${id === undefined ? "" : ` (${id})`}`;
    this.counts[asked.method ?? ""] = (this.counts[asked.method ?? ""] ?? 0) + 1;
    const intents = [...accounts().pending.values()].filter(
      (pending) => pending.digest === digest && pending.of?.id === id,
    );
    const own = intents.find(({ seq }) => !this.#used.has(seq));
    if (own === undefined) {
      found(`${what} was sent ${intents.length === 0 ? "without an intent on disk" : "twice"}`);
      return;
    }
    this.#used.add(own.seq);
    if (id === undefined) return;
    const [then, now] = [this.#first?.get(id), this.#last?.get(id)];
    if (now === undefined || !isDeepStrictEqual(then, now)) {
      found(`${what} was sent, although the service showed another menu than when it was planned`);
    }
  }
}

/** The options of a listed menu are in no particular order. */
function normal(menu: object): unknown {
  const options = "ivr_menu" in menu && Array.isArray(menu.ivr_menu) ? menu.ivr_menu : [];
  return { ...menu, ivr_menu: options.map((one) => JSON.stringify(one)).sort() };
}
