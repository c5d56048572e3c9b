import { type Socket, connect, createServer } from "node:net";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { HttpService } from "../../src/deploy/service/http-service.ts";
import { answer, rudeServer } from "../support/rude-server.ts";
import { clock } from "../support/host.ts";
import { listen } from "../support/listen.ts";

/** A host that only the proxy can reach. */
const far = "http://telephony.invalid";

/** A proxy that calls `behave` for every connection. */
async function proxy(behave: (socket: Socket) => void) {
  const asked: string[] = [];
  const server = createServer((socket) => {
    socket.once("data", (head) => {
      asked.push(head.toString().split("\r\n")[0] ?? "");
      behave(socket);
    });
  });
  const port = await listen(server);
  return { url: `http://127.0.0.1:${port}`, asked };
}

const tunnelTo = (url: string) => (socket: Socket) => {
  const onward = connect(Number(new URL(url).port), "127.0.0.1", () => {
    socket.write("HTTP/1.1 200 Connected\r\n\r\n");
    onward.pipe(socket).pipe(onward);
  }).on("error", () => socket.destroy());
};

function through(variables: Record<string, string>, baseUrl: string, timeout = 5) {
  const names = ["http_proxy", "https_proxy", "no_proxy", "HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY"];
  for (const name of names) vi.stubEnv(name, variables[name]);
  onTestFinished(() => void vi.unstubAllEnvs());
  const service = new HttpService({ clock, baseUrl, token: "s3cr3t-t0k3n", timeout });
  onTestFinished(() => service.close());
  return service;
}

const payload = {} as Parameters<HttpService["create"]>[0];

describe("a proxy from the environment", () => {
  test("is used, but not for hosts in NO_PROXY", async () => {
    const server = await rudeServer({ asked: (socket) => void socket.write(answer(200, "[]")) });
    const via = await proxy(tunnelTo(server.url));
    expect(await through({ HTTP_PROXY: via.url }, far).list("agents")).toEqual({
      kind: "listed",
      items: [],
      unreadable: [],
    });
    expect(via.asked).toEqual(["CONNECT telephony.invalid:80 HTTP/1.1"]);
    const direct = through({ HTTP_PROXY: via.url, NO_PROXY: "telephony.invalid" }, far);
    expect((await direct.list("agents")).kind).toBe("refused");
    expect(via.asked).toHaveLength(1);
  });

  test("is never used for loopback", async () => {
    const server = await rudeServer({ asked: (socket) => void socket.write(answer(200, "[]")) });
    const via = await proxy(tunnelTo(server.url));
    const service = through({ HTTP_PROXY: via.url, HTTPS_PROXY: via.url }, server.url);
    expect(await service.list("agents")).toEqual({ kind: "listed", items: [], unreadable: [] });
    expect(via.asked).toEqual([]);
  });

  test.each([
    [
      "refuses",
      (socket: Socket) => void socket.end("HTTP/1.1 502 Bad Gateway\r\ncontent-length: 0\r\n\r\n"),
    ],
    ["closes the connection", (socket: Socket) => void socket.end()],
    ["resets", (socket: Socket) => void socket.resetAndDestroy()],
  ])("that %s prevents the request, and is asked once", async (_, behave) => {
    const via = await proxy(behave);
    const outcome = await through({ HTTP_PROXY: via.url }, far).create(payload, "k");
    expect(outcome).toMatchObject({ kind: "not-processed", status: null });
    expect(via.asked).toHaveLength(1);
  });

  test("with a slow tunnel renews an expired permit, and the request leaves once", async () => {
    const server = await rudeServer({ asked: (socket) => void socket.write(answer(200, "{}")) });
    const via = await proxy(tunnelTo(server.url));
    const service = through({ HTTP_PROXY: via.url }, far);
    let isGood = false;
    const renew = async () => (isGood = true);
    const permit = { isGood: () => isGood, renew };
    expect(await service.create(payload, "k", undefined, permit)).toMatchObject({
      kind: "done",
    });
    const gone = { isGood: () => false, renew: async () => false };
    expect(await service.create(payload, "k", undefined, gone)).toMatchObject({
      kind: "withheld",
    });
    expect(server.requests).toHaveLength(1);
    expect(via.asked).toHaveLength(1);
  });

  test("that does not answer is given up, and nothing leaves later", async () => {
    const server = await rudeServer({ asked: (socket) => void socket.write(answer(200, "{}")) });
    const waiting: Socket[] = [];
    const via = await proxy((socket) => void waiting.push(socket));
    const outcome = await through({ HTTP_PROXY: via.url }, far, 0.2).create(payload, "k");
    expect(outcome).toMatchObject({ kind: "not-processed" });
    // It opens the tunnel after the request was given up.
    for (const socket of waiting) {
      tunnelTo(server.url)(socket);
      if (!socket.closed) await new Promise((resolve) => socket.on("close", resolve));
    }
    expect(server.requests).toEqual([]);
  });

  test.each(["proxy.example:3128", "10.0.0.1:3128", "http://u:%@proxy.example"])(
    "%s is invalid, and is not shown",
    async (value) => {
      const outcome = await through({ HTTP_PROXY: value, HTTPS_PROXY: value }, far).create(
        payload,
        "k",
      );
      expect(outcome).toMatchObject({ kind: "not-processed", status: null });
      expect(outcome.message).not.toContain(value);
    },
  );
});
