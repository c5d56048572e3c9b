import {
  Agent,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type Server,
  type ServerResponse,
  createServer,
  request,
} from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";

/** A request that came to the gate. */
export interface Asked {
  readonly method: string;
  /** Without the query, and as it was sent. */
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** When the store gets it all the same: never, before anything else, so many ms later, or then. */
export type Reaches = "never" | "first" | number | Promise<void>;

/** What becomes of a request. */
export type Fate =
  /** Held back until then, or for so many milliseconds; its answer likewise. */
  | {
      readonly kind: "pass";
      readonly after?: number | Promise<void>;
      readonly answered?: Promise<void>;
    }
  /** The connection is reset. */
  | { readonly kind: "cut"; readonly reaches: Reaches }
  /** No answer comes, and the connection stays. */
  | { readonly kind: "silence"; readonly reaches: Reaches }
  /** Another answer than the store's. */
  | {
      readonly kind: "answer";
      readonly reaches: Reaches;
      readonly status: number;
      readonly code: string;
    };

/**
 * Stands before an object store on a port of its own, keeps count of the requests, and
 * can do to each what networks and stores do to them.
 */
export class Gate {
  readonly #server: Server;
  readonly #agent = new Agent({ keepAlive: true });
  readonly #to: number;
  readonly #late: Promise<unknown>[] = [];
  readonly asked: Asked[] = [];
  fate: (asked: Asked) => Fate = () => ({ kind: "pass" });

  constructor(to: number) {
    this.#to = to;
    this.#server = createServer((incoming, answer) => {
      this.#through(incoming, answer).catch(() => answer.destroy());
    });
  }

  async open(): Promise<void> {
    await new Promise<void>((resolve, reject) => {
      this.#server.once("error", reject).listen(0, "127.0.0.1", resolve);
    });
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  get endpoint(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  async close(): Promise<void> {
    this.#agent.destroy();
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  /** The store has got everything that was to reach it later. */
  async arrived(): Promise<void> {
    await Promise.all(this.#late);
  }

  async #through(incoming: IncomingMessage, answer: ServerResponse): Promise<void> {
    const { method = "", url = "", headers } = incoming;
    const bytes = await bytesOf(incoming);
    const body = bytes.toString("utf8");
    const [path = "", query = ""] = url.split("?", 2);
    const asked = { method, path, query: new URLSearchParams(query), headers, body };
    this.asked.push(asked);
    const fate = this.fate(asked);
    if (fate.kind === "pass") {
      await (typeof fate.after === "number" ? sleep(fate.after) : fate.after);
      const { status, headers: given, body: told } = await this.#carry(incoming, bytes);
      await fate.answered;
      answer.writeHead(status, given).end(told);
      return;
    }
    if (fate.reaches === "first") await this.#carry(incoming, bytes);
    if (typeof fate.reaches !== "string") {
      const moment = typeof fate.reaches === "number" ? sleep(fate.reaches) : fate.reaches;
      // Whoever waits for it may be gone by then, and so may the store.
      this.#late.push(moment.then(() => this.#carry(incoming, bytes)).catch(() => {}));
    }
    if (fate.kind === "cut") incoming.socket.resetAndDestroy();
    if (fate.kind === "answer") {
      answer
        .writeHead(fate.status, { "content-type": "application/xml" })
        .end(`<?xml version="1.0" encoding="UTF-8"?><Error><Code>${fate.code}</Code></Error>`);
    }
  }

  /** Its signature holds for the port of the gate, which the Host header still names. */
  #carry({ method, url, headers }: IncomingMessage, body: Buffer) {
    const options = { port: this.#to, host: "127.0.0.1", agent: this.#agent, method, path: url };
    return new Promise<{ status: number; headers: IncomingHttpHeaders; body: Buffer }>(
      (resolve, reject) => {
        request({ ...options, headers }, (told) => {
          const { statusCode: status = 502, headers: given } = told;
          bytesOf(told).then((bytes) => resolve({ status, headers: given, body: bytes }), reject);
        })
          .on("error", reject)
          .end(body);
      },
    );
  }
}

async function bytesOf(message: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of message) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}
