import { type IncomingMessage, type ServerResponse, createServer } from "node:http";
import { isOwnHost, listen, stopListening } from "../util/local-server.ts";
import type { EditAnswer, EditRequest } from "../schema/edit-request.ts";
import type { PreviewData } from "./data.ts";
import { readRequest, refusalOf } from "./edit-request.ts";
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

/** What answers the requests of a page that may edit. */
export interface Editor {
  /** The page has it from the fragment of its address, which no other page can read. */
  readonly key: string;
  readonly act: (request: EditRequest) => Promise<EditAnswer>;
}

/** Serves the page on this machine, and reports every change to open pages. */
export class PreviewServer {
  readonly #server = createServer((request, response) => this.#answer(request, response));
  readonly #listeners = new Set<ServerResponse>();
  readonly #editor: Editor | undefined;
  /** Always there once the server listens. */
  #data: PreviewData | undefined;
  #origin = "";

  /** Without an editor, nobody can change anything. */
  constructor(editor?: Editor) {
    this.#editor = editor;
  }

  async listen(port: number): Promise<string> {
    this.#origin = `http://${host}:${await listen(this.#server, port, host)}`;
    return `${this.#origin}/`;
  }

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
    } else if (path === "/edit" && this.#editor) {
      void this.#edit(this.#editor, request, response);
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

  async #edit(editor: Editor, request: IncomingMessage, response: ServerResponse): Promise<void> {
    const answer = (status: number, content: EditAnswer) => {
      response.setHeader("content-type", "application/json; charset=utf-8");
      response.writeHead(status).end(JSON.stringify(content));
    };
    const refusal = refusalOf(request, { origin: this.#origin, key: editor.key });
    if (refusal !== undefined) {
      request.resume();
      return answer(refusal.status, { refused: refusal.why });
    }
    const asked = await readRequest(request);
    if (typeof asked === "string") return answer(400, { refused: asked });
    try {
      const done = await editor.act(asked);
      answer(done.refused === undefined ? 200 : 409, done);
    } catch (error) {
      answer(500, { refused: error instanceof Error ? error.message : String(error) });
    }
  }
}

function event(data: PreviewData): string {
  return `data: ${JSON.stringify(data)}\n\n`;
}
