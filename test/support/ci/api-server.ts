import { createServer } from "node:http";
import type { Api, Asked, Fault, Reply } from "./world.ts";
import { listen } from "../listen.ts";

interface Settings {
  /** The path of the API on its server. */
  readonly base?: string;
  readonly isAllowed: (asked: Asked) => boolean;
  readonly answer: (asked: Asked, base: string) => Reply;
}

/** Starts a server that keeps all requests and can fail at each. */
export async function serveApi({ base = "", isAllowed, answer }: Settings): Promise<Api> {
  const asked: Asked[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const { method = "GET", headers } = request;
      const { pathname, searchParams: query } = new URL(request.url ?? "/", "http://server");
      const text = Buffer.concat(chunks).toString("utf8");
      const path = pathname.slice(base.length);
      const call = {
        method,
        path,
        query,
        headers,
        body: text === "" ? undefined : JSON.parse(text),
      };
      asked.push(call);
      const fault = api.fault(call);
      const reply = () => (isAllowed(call) ? answer(call, api.url) : refused);
      if (fault !== undefined && "cut" in fault) {
        if (fault.cut === "after") reply();
        request.socket.resetAndDestroy();
        return;
      }
      const { status, value = {}, headers: replyHeaders = {} } = fault ?? reply();
      response
        .writeHead(status, replyHeaders)
        .end(Buffer.isBuffer(value) ? value : JSON.stringify(value));
    });
  });
  const port = await listen(server);
  const api: Api = {
    url: `http://127.0.0.1:${port}${base}`,
    asked,
    fault: (): Fault | undefined => undefined,
  };
  return api;
}

const refused: Reply = { status: 401, value: { message: "Bad credentials" } };
