import { type Socket, connect, createServer } from "node:net";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { HttpService } from "../../../src/deploy/service/http-service.ts";
import { proxyFor } from "../../../src/deploy/service/proxy.ts";
import { answer, listen, rudeServer } from "../../support/rude-server.ts";

/** A host that only the proxy knows the way to. */
const far = "http://telephony.invalid";

/** A proxy that tunnels everything to one place, or does as it is told. */
async function proxy(behave: (socket: Socket) => void) {
  const asked: string[] = [];
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket.on("error", () => {}));
    socket.once("data", (head) => {
      asked.push(head.toString().split("\r\n")[0] ?? "");
      behave(socket);
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
  const service = new HttpService({ baseUrl, token: "s3cr3t-t0k3n", timeout });
  onTestFinished(() => service.close());
  return service;
}

const payload = {} as Parameters<HttpService["create"]>[0];

describe("a proxy from the environment", () => {
  test("is used, but not for what NO_PROXY names", async () => {
    const server = await rudeServer({ asked: (socket) => void socket.write(answer(200, "[]")) });
    const way = await proxy(tunnelTo(server.url));
    expect(await through({ HTTP_PROXY: way.url }, far).list()).toEqual({
      kind: "listed",
      agents: [],
    });
    expect(way.asked).toEqual(["CONNECT telephony.invalid:80 HTTP/1.1"]);
    const direct = through({ HTTP_PROXY: way.url, NO_PROXY: "telephony.invalid" }, far);
    expect((await direct.list()).kind).toBe("refused");
    expect(way.asked).toHaveLength(1);
  });

  test("never for loopback: what is meant for this machine stays there", async () => {
    const server = await rudeServer({ asked: (socket) => void socket.write(answer(200, "[]")) });
    const way = await proxy(tunnelTo(server.url));
    const service = through({ HTTP_PROXY: way.url, HTTPS_PROXY: way.url }, server.url);
    expect(await service.list()).toEqual({ kind: "listed", agents: [] });
    expect(way.asked).toEqual([]);
  });

  test.each([
    [
      "refuses",
      (socket: Socket) => void socket.end("HTTP/1.1 502 Bad Gateway\r\ncontent-length: 0\r\n\r\n"),
    ],
    ["closes without a word", (socket: Socket) => void socket.end()],
    ["resets", (socket: Socket) => void socket.resetAndDestroy()],
  ])("that %s leaves the request unsent, and is asked once", async (_, behave) => {
    const way = await proxy(behave);
    const outcome = await through({ HTTP_PROXY: way.url }, far).create(payload, "k");
    expect(outcome).toMatchObject({ kind: "not-processed", status: null });
    expect(way.asked).toHaveLength(1);
  });

  test("whose tunnel takes longer than a permit lasts: it is renewed, and the request leaves once", async () => {
    const server = await rudeServer({ asked: (socket) => void socket.write(answer(200, "{}")) });
    const way = await proxy(tunnelTo(server.url));
    const service = through({ HTTP_PROXY: way.url }, far);
    let isGood = false;
    const renew = async () => (isGood = true);
    const permit = { isGood: () => isGood, renew };
    expect(await service.create(payload, "k", undefined, permit)).toMatchObject({
      kind: "created",
    });
    const gone = { isGood: () => false, renew: async () => false };
    expect(await service.create(payload, "k", undefined, gone)).toMatchObject({
      kind: "withheld",
    });
    expect(server.requests).toHaveLength(1);
    expect(way.asked).toHaveLength(1);
  });

  test("that is silent is given up, and nothing leaves later", async () => {
    const server = await rudeServer({ asked: (socket) => void socket.write(answer(200, "{}")) });
    const waiting: Socket[] = [];
    const way = await proxy((socket) => void waiting.push(socket));
    const outcome = await through({ HTTP_PROXY: way.url }, far, 1).create(payload, "k");
    expect(outcome).toMatchObject({ kind: "not-processed" });
    // It opens the tunnel all the same, and whoever asked for it is gone.
    for (const socket of waiting) {
      tunnelTo(server.url)(socket);
      if (!socket.closed) await new Promise((resolve) => socket.on("close", resolve));
    }
    expect(server.requests).toEqual([]);
  });

  test.each(["proxy.example:3128", "10.0.0.1:3128", "http://u:%@proxy.example"])(
    "%s is no address: told without showing it",
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

describe("which way an address goes is told as it is gone", () => {
  const way = "WAY";
  test.each<[Record<string, string>, string, string | undefined]>([
    [{ HTTP_PROXY: way }, far, "HTTP_PROXY"],
    [{ http_proxy: way, HTTP_PROXY: "" }, far, "http_proxy"],
    [{ http_proxy: "", HTTP_PROXY: way }, far, undefined],
    [{ HTTPS_PROXY: way }, far, undefined],
    [{ HTTPS_PROXY: way }, "https://telephony.invalid", "HTTPS_PROXY"],
    [{ HTTP_PROXY: way }, "https://telephony.invalid", "HTTP_PROXY"],
    [{ HTTP_PROXY: way, NO_PROXY: "*" }, far, undefined],
    [{ HTTP_PROXY: way, NO_PROXY: "a.example, .invalid" }, far, undefined],
    [{ HTTP_PROXY: way, NO_PROXY: "*.Invalid" }, far, undefined],
    [{ HTTP_PROXY: way, NO_PROXY: "telephony.invalid:81" }, far, "HTTP_PROXY"],
    [{ HTTP_PROXY: way, NO_PROXY: "telephony.invalid:80" }, far, undefined],
    [{ HTTP_PROXY: way, NO_PROXY: "phony.invalid" }, far, "HTTP_PROXY"],
    [{ HTTP_PROXY: way, no_proxy: "", NO_PROXY: "*" }, far, "HTTP_PROXY"],
  ])("%j, %s: %s", async (variables, address, expected) => {
    const { url, asked } = await proxy((socket) => void socket.end());
    const set = Object.fromEntries(
      Object.entries(variables).map(([name, value]) => [name, value.replace(way, url)]),
    );
    await through(set, address).list();
    expect(proxyFor(address, set)).toBe(expected);
    expect(asked.length > 0).toBe(expected !== undefined);
  });
});
