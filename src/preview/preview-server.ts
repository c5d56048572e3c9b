import { type IncomingMessage, type ServerResponse, createServer } from "node:http";
import { isOwnHost, listen, stopListening } from "../util/local-server.ts";
import type { PreviewData } from "./data.ts";
import { policy, previewDocument } from "./document.ts";

export const host = "127.0.0.1";

/** Keep other sites from reading or embedding what is served here. */
const headers = new Map([
  ["content-type", "text/plain; charset=utf-8"],
  ["cache-control", "no-store"],
  ["cross-origin-resource-policy", "same-origin"],
  ["referrer-policy", "no-referrer"],
  ["x-content-type-options", "nosniff"],
]);

/** Serves the page on this machine, and reports every change to open pages. */
export class PreviewServer {
  readonly #server = createServer((request, response) => this.#answer(request, response));
  readonly #listeners = new Set<ServerResponse>();
  /** Always there once the server listens. */
  #data: PreviewData | undefined;

  /** Starts to listen, and returns the address. */
  async listen(port: number): Promise<string> {
    return `http://${host}:${await listen(this.#server, port, host)}/`;
  }

  /** Shows other data. */
  show(data: PreviewData): void {
    this.#data = data;
    for (const listener of this.#listeners) listener.write(event(data));
  }

  async close(): Promise<void> {
    await stopListening(this.#server);
  }

  #answer(request: IncomingMessage, response: ServerResponse): void {
    const [path] = (request.url ?? "").split("?");
    const data = this.#data;
    if (data === undefined) return;
    response.on("error", () => {}).setHeaders(headers);
    if (!isOwnHost(request)) {
      response.writeHead(421).end("This preview only answers requests to localhost.\n");
    } else if (request.method !== "GET" && request.method !== "HEAD") {
      response.writeHead(405, { allow: "GET, HEAD" }).end("Only GET and HEAD are allowed.\n");
    } else if (path === "/") {
      // A policy in the page cannot set `frame-ancestors`.
      const security = `${policy({ live: true })}; frame-ancestors 'none'`;
      response.setHeader("content-security-policy", security);
      response.setHeader("content-type", "text/html; charset=utf-8").end(previewDocument(data));
    } else if (path === "/events" && request.method === "GET") {
      response.setHeader("content-type", "text/event-stream; charset=utf-8");
      response.write(`retry: 1000\n${event(data)}`);
      this.#listeners.add(response.on("close", () => this.#listeners.delete(response)));
    } else response.writeHead(404).end("Not found. The page is at /.\n");
  }
}

function event(data: PreviewData): string {
  return `data: ${JSON.stringify(data)}\n\n`;
}
