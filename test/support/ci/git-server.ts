import { execFileSync, spawn } from "node:child_process";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { onTestFinished } from "vitest";

/** Starts the HTTP server of git for the repositories of a folder. Clients must send this header. */
export async function serveGit(folder: string, authorization: string) {
  const program = join(
    execFileSync("git", ["--exec-path"], { encoding: "utf8" }).trim(),
    "git-http-backend",
  );
  const refused: string[][] = [];
  const server = createServer((request, response) => {
    const sent = request.rawHeaders.filter(
      (_, index, all) => index % 2 === 1 && all[index - 1]?.toLowerCase() === "authorization",
    );
    if (sent.length !== 1 || sent[0] !== authorization) {
      refused.push(sent);
      response.writeHead(sent.length > 1 ? 400 : 401, { "www-authenticate": "Basic" }).end();
      return;
    }
    const { pathname, search } = new URL(request.url ?? "/", "http://server");
    const child = spawn(program, {
      env: {
        PATH: process.env["PATH"],
        GIT_PROJECT_ROOT: folder,
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
    // git may end before it has read the whole request.
    request.pipe(child.stdin.on("error", () => {}));
    const chunks: Buffer[] = [];
    child.stdout.on("data", (chunk: Buffer) => chunks.push(chunk));
    child.on("close", () => {
      const answer = Buffer.concat(chunks);
      const end = answer.indexOf("\r\n\r\n");
      const lines = answer.subarray(0, end).toString("latin1").split("\r\n");
      const headers = new Map(lines.map((line) => line.split(/: (.*)/, 2) as [string, string]));
      const status = Number.parseInt(headers.get("Status") ?? "200", 10);
      headers.delete("Status");
      response.writeHead(status, Object.fromEntries(headers)).end(answer.subarray(end + 4));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, refused };
}
