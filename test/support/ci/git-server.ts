import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { onTestFinished } from "vitest";
import { GitHttpServer } from "../git-http.ts";

/** Serves the repositories of a folder over HTTP to clients that send this authorization header. */
export async function serveGit(folder: string, authorization: string) {
  const git = new GitHttpServer(folder);
  const refused: string[][] = [];
  const server = createServer((request, response) => {
    const sent = request.rawHeaders.filter(
      (_, index, all) => index % 2 === 1 && all[index - 1]?.toLowerCase() === "authorization",
    );
    if (sent.length === 1 && sent[0] === authorization) return git.answer(request, response);
    refused.push(sent);
    response.writeHead(sent.length > 1 ? 400 : 401, { "www-authenticate": "Basic" }).end();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, refused };
}
