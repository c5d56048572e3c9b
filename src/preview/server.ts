import { type IncomingMessage, type ServerResponse, createServer } from "node:http";
import { isOwnHost, listen, stopListening } from "../util/local-server.ts";
import type { PreviewData } from "./data.ts";
import { policy, previewDocument } from "./document.ts";

export const host = "127.0.0.1";

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
    if (!isOwnHost(request)) {
      end(response, 421, "text/plain", "This preview only answers requests to localhost.\n");
    } else if (request.method !== "GET" && request.method !== "HEAD") {
      response.setHeader("allow", "GET, HEAD");
      end(response, 405, "text/plain", "Only GET and HEAD are allowed.\n");
    } else if (path === "/") {
      // A policy in the page cannot set `frame-ancestors`.
      response.setHeader(
        "content-security-policy",
        `${policy({ live: true })}; frame-ancestors 'none'`,
      );
      end(response, 200, "text/html", previewDocument(data));
    } else if (path === "/events" && request.method === "GET") this.#follow(response, data);
    else end(response, 404, "text/plain", "Not found. The page is at /.\n");
  }

  #follow(response: ServerResponse, data: PreviewData): void {
    response.writeHead(200, headers("text/event-stream"));
    response.write(`retry: 1000\n${event(data)}`);
    this.#listeners.add(response);
    response.on("error", () => {}).on("close", () => this.#listeners.delete(response));
  }
}

function event(data: PreviewData): string {
  return `data: ${JSON.stringify(data)}\n\n`;
}

function end(response: ServerResponse, status: number, type: string, body: string): void {
  response
    .on("error", () => {})
    .writeHead(status, headers(type))
    .end(body);
}

/** Headers that keep other sites from reading or embedding what is served here. */
function headers(type: string): Readonly<Record<string, string>> {
  return {
    "content-type": `${type}; charset=utf-8`,
    "cache-control": "no-store",
    "cross-origin-resource-policy": "same-origin",
    "referrer-policy": "no-referrer",
    "x-content-type-options": "nosniff",
  };
}
