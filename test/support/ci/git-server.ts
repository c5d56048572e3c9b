import { createServer } from "node:http";
import { onTestFinished } from "vitest";
import { GitHttpServer } from "../git-http.ts";
import { listen } from "../listen.ts";

/** Where a push is: it has arrived, or it has been accepted but not answered. */
type PushMoment = "before" | "after";

export interface GitServer {
  readonly url: string;
  /** The number of requests. */
  readonly requests: number;
  /** What clients without the right header sent. */
  readonly refused: readonly (readonly string[])[];
  /** The number of requests in progress. */
  readonly active: number;
  /** Called at each push, which is numbered from 1. A push that it cuts is not processed. */
  pushed: (count: number, moment: PushMoment) => "cut" | void;
  pushes: number;
  /** Whether the login may only read. */
  isReadOnly: boolean;
  isDown: boolean;
}

/** Serves the repositories of a folder over HTTP to clients that send this login, and only this one. */
export async function serveGit(folder: string, login: string): Promise<GitServer> {
  const git = new GitHttpServer(folder);
  const wanted = `basic ${Buffer.from(login).toString("base64")}`;
  const refused: string[][] = [];
  let requests = 0;
  let active = 0;
  const server = createServer((request, response) => {
    requests += 1;
    active += 1;
    if (served.isDown) return void response.writeHead(503).end();
    response.on("close", () => (active -= 1));
    const sent = request.rawHeaders.filter(
      (_, at, all) => at % 2 === 1 && all[at - 1]?.toLowerCase() === "authorization",
    );
    if (sent.length !== 1 || sent[0] !== wanted) {
      refused.push(sent);
      response.writeHead(sent.length > 1 ? 400 : 401, { "www-authenticate": "Basic" }).end();
      return;
    }
    if (served.isReadOnly && request.url?.includes("git-receive-pack") === true) {
      return void response.writeHead(403).end();
    }
    const isPush = request.method === "POST" && request.url?.endsWith("/git-receive-pack") === true;
    if (!isPush) return git.answer(request, response);
    served.pushes += 1;
    const count = served.pushes;
    if (served.pushed(count, "before") === "cut") return void response.destroy();
    git.answer(request, response, () => void served.pushed(count, "after"));
  });
  const port = await listen(server);
  onTestFinished(() => git.kill());
  const served: GitServer = {
    url: `http://127.0.0.1:${port}`,
    get requests() {
      return requests;
    },
    get active() {
      return active;
    },
    refused,
    pushed: () => {},
    pushes: 0,
    isReadOnly: false,
    isDown: false,
  };
  return served;
}
