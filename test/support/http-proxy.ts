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

/** A request that the proxy received. */
export interface Asked {
  readonly method: string;
  /** As sent, without the query. */
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** When the store gets the request: never, before the fault, after this many ms, or after a promise. */
type Reaches = "never" | "first" | number | Promise<void>;

/** What happens to a request. */
export type Fate =
  /** Passes the request on after some milliseconds or a promise, and the answer after a promise. */
  | {
      readonly kind: "pass";
      readonly after?: number | Promise<void>;
      readonly answered?: Promise<void>;
    }
  /** Resets the connection. */
  | { readonly kind: "cut"; readonly reaches: Reaches }
  /** Sends no answer, and keeps the connection open. */
  | { readonly kind: "silence"; readonly reaches: Reaches }
  /** Sends this answer instead of that of the store. */
  | {
      readonly kind: "answer";
      readonly reaches: Reaches;
      readonly status: number;
      readonly code: string;
    };

/**
 * A proxy for an object store. It records all requests, and can simulate failures of networks and
 * stores for each of them.
 */
export class HttpProxy {
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

  /** Waits until the store has received all delayed requests. */
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
      const { status, headers: given, body: received } = await this.#carry(incoming, bytes);
      await fate.answered;
      answer.writeHead(status, given).end(received);
      return;
    }
    if (fate.reaches === "first") await this.#carry(incoming, bytes);
    if (typeof fate.reaches !== "string") {
      const moment = typeof fate.reaches === "number" ? sleep(fate.reaches) : fate.reaches;
      // The client and the store may be gone by then.
      this.#late.push(moment.then(() => this.#carry(incoming, bytes)).catch(() => {}));
    }
    if (fate.kind === "cut") incoming.socket.resetAndDestroy();
    if (fate.kind === "answer") {
      answer
        .writeHead(fate.status, { "content-type": "application/xml" })
        .end(`<?xml version="1.0" encoding="UTF-8"?><Error><Code>${fate.code}</Code></Error>`);
    }
  }

  /** Keeps the Host header, because the signature is valid only for the port of the proxy. */
  #carry({ method, url, headers }: IncomingMessage, body: Buffer) {
    const options = { port: this.#to, host: "127.0.0.1", agent: this.#agent, method, path: url };
    return new Promise<{ status: number; headers: IncomingHttpHeaders; body: Buffer }>(
      (resolve, reject) => {
        request({ ...options, headers }, (reply) => {
          const { statusCode: status = 502, headers: given } = reply;
          bytesOf(reply).then((bytes) => resolve({ status, headers: given, body: bytes }), reject);
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
