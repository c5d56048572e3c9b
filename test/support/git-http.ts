import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { type IncomingMessage, type Server, type ServerResponse, createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";

/** Git's own HTTP server over the repositories of a folder. */
export class GitHttpServer {
  readonly #server: Server;
  readonly #folder: string;
  readonly #children = new Set<ChildProcess>();
  readonly #program = join(
    execFileSync("git", ["--exec-path"], { encoding: "utf8" }).trim(),
    "git-http-backend",
  );

  constructor(folder: string) {
    this.#folder = folder;
    this.#server = createServer((request, response) => this.answer(request, response));
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  async open(): Promise<void> {
    await new Promise<void>((resolve) => this.#server.listen(0, "127.0.0.1", resolve));
  }

  /** Kills what it is doing, as a crash of the server would. */
  kill(): void {
    for (const child of this.#children) child.kill("SIGKILL");
    this.#server.closeAllConnections();
  }

  async close(): Promise<void> {
    this.kill();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  /** Processes a request. Calls `onDone` before it sends the answer. */
  answer(request: IncomingMessage, response: ServerResponse, onDone = () => {}): void {
    const { pathname, search } = new URL(request.url ?? "/", "http://server");
    const child = spawn(this.#program, {
      env: {
        PATH: process.env["PATH"],
        GIT_PROJECT_ROOT: this.#folder,
        GIT_HTTP_EXPORT_ALL: "1",
        PATH_INFO: pathname,
        QUERY_STRING: search.slice(1),
        REQUEST_METHOD: request.method,
        REMOTE_USER: "pipeline",
        CONTENT_TYPE: request.headers["content-type"] ?? "",
        HTTP_CONTENT_ENCODING: request.headers["content-encoding"] ?? "",
        GIT_PROTOCOL: String(request.headers["git-protocol"] ?? ""),
      },
    });
    this.#children.add(child);
    // It need not read everything that it is sent.
    request.pipe(child.stdin.on("error", () => {}));
    const chunks: Buffer[] = [];
    child.stdout.on("data", (chunk: Buffer) => chunks.push(chunk));
    child.on("close", (exit) => {
      this.#children.delete(child);
      onDone();
      const answer = Buffer.concat(chunks);
      const end = answer.indexOf("\r\n\r\n");
      if (exit !== 0 || end === -1) return void response.destroy();
      const lines = answer.subarray(0, end).toString("latin1").split("\r\n");
      const headers = new Map(lines.map((line) => line.split(/: (.*)/, 2) as [string, string]));
      const status = Number.parseInt(headers.get("Status") ?? "200", 10);
      headers.delete("Status");
      response.writeHead(status, Object.fromEntries(headers)).end(answer.subarray(end + 4));
    });
  }
}
