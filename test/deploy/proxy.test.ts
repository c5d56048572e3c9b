import { type Socket, connect, createServer } from "node:net";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { HttpService } from "../../src/deploy/http-service.ts";
import { answer, listen, rudeServer } from "../support/rude-server.ts";

/** A proxy that tunnels, or refuses to. */
async function proxy(refuse = false) {
  const asked: string[] = [];
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket.on("error", () => {}));
    socket.once("data", (head) => {
      const [line = ""] = head.toString().split("\r\n");
      asked.push(line);
      const [, host = "", port = ""] = /^CONNECT ([^:]+):(\d+)/.exec(line) ?? [];
      if (refuse || host === "") {
        socket.end("HTTP/1.1 502 Bad Gateway\r\ncontent-length: 0\r\n\r\n");
        return;
      }
      const onward = connect(Number(port), host, () => {
        socket.write("HTTP/1.1 200 Connected\r\n\r\n");
        onward.pipe(socket).pipe(onward);
      }).on("error", () => socket.destroy());
      sockets.add(onward);
    });
  });
  await listen(server);
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  const address = server.address();
  return { url: `http://127.0.0.1:${typeof address === "object" ? address?.port : 0}`, asked };
}

function through(variables: Record<string, string>, baseUrl: string) {
  for (const name of [
    "http_proxy",
    "https_proxy",
    "no_proxy",
    "HTTP_PROXY",
    "HTTPS_PROXY",
    "NO_PROXY",
  ]) {
    vi.stubEnv(name, variables[name]);
  }
  onTestFinished(() => void vi.unstubAllEnvs());
  const service = new HttpService({ baseUrl, token: "t", timeout: 5 });
  onTestFinished(() => service.close());
  return service;
}

describe("a proxy from the environment", () => {
  test("is used, but not for what NO_PROXY names", async () => {
    const server = await rudeServer({ asked: (socket) => void socket.write(answer(200, "[]")) });
    const way = await proxy();
    expect(await through({ HTTP_PROXY: way.url }, server.url).list()).toEqual({
      kind: "listed",
      agents: [],
    });
    expect(way.asked).toHaveLength(1);
    const direct = through({ HTTP_PROXY: way.url, NO_PROXY: "127.0.0.1" }, server.url);
    expect((await direct.list()).kind).toBe("listed");
    expect(way.asked).toHaveLength(1);
  });

  test("that refuses leaves the request unsent", async () => {
    const server = await rudeServer({ asked: (socket) => void socket.write(answer(200, "{}")) });
    const way = await proxy(true);
    const payload = {} as Parameters<HttpService["create"]>[0];
    const outcome = await through({ HTTP_PROXY: way.url }, server.url).create(payload, "k");
    expect(outcome.kind).toBe("not-processed");
    expect(server.requests).toEqual([]);
  });
});
