import { createServer as createSecureServer } from "node:https";
import { type Socket, connect } from "node:net";
import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { setImmediate as nextTurn } from "node:timers/promises";
import { gzipSync } from "node:zlib";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { quietPort } from "../../scripts/quiet-port.mjs";
import { HttpService, type Trace } from "../../src/deploy/service/http-service.ts";
import { certificate } from "../support/certificate.ts";
import { type RudeServer, answer, rudeServer } from "../support/rude-server.ts";
import { stopClock } from "../support/waits.ts";
import { clock } from "../support/host.ts";
import { listen } from "../support/listen.ts";
import { payload } from "../support/import.ts";

const token = "s3cr3t-t0k3n";

function service(
  baseUrl: string,
  options: { timeout?: number; trace?: (trace: Trace) => void } = {},
) {
  const made = new HttpService({ clock, baseUrl, token, timeout: 300, ...options });
  onTestFinished(() => made.close());
  return made;
}

/** The outcome of one create. The server gives the same answer to every request. */
async function createWith(reply: (socket: Socket, request: string, count: number) => void) {
  const clocks = stopClocks();
  const server = await rudeServer({ asked: reply });
  const outcome = await service(server.url).create(payload, "front-desk");
  return { ...outcome, sent: await clocks.sentInTheEnd(server) };
}

/** Stops the clocks of this process, so that a test can check that nothing is sent later. */
function stopClocks() {
  const clock = stopClock();
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "setInterval", "clearInterval"] });
  onTestFinished(() => void vi.useRealTimers());
  const pass = (milliseconds: number) => {
    clock.pass(milliseconds);
    vi.advanceTimersByTime(milliseconds);
  };
  return {
    pass,
    /** How many requests have arrived an hour later. */
    sentInTheEnd: async (server: RudeServer): Promise<number> => {
      for (let minute = 0; minute < 60; minute += 1) {
        pass(60_000);
        await nextTurn();
      }
      // Everything that was sent earlier arrives before these requests.
      const isLast = (request: string) => request.startsWith("GET /last ");
      for (let last = 1; last <= 3; last += 1) {
        const socket = connect(Number(new URL(server.url).port), "127.0.0.1");
        socket.on("error", () => {}).write("GET /last HTTP/1.1\r\n\r\n");
        while (server.requests.filter(isLast).length < last) await nextTurn();
        socket.destroy();
      }
      return server.requests.filter((request) => !isLast(request)).length;
    },
  };
}

const says =
  (status: number, body: unknown, headers?: Record<string, string>) => (socket: Socket) =>
    socket.write(answer(status, typeof body === "string" ? body : JSON.stringify(body), headers));

const unclear = "HTTP 200, but the answer does not say whether the service did it";

describe("the outcome of a create", () => {
  test.each([
    // 2xx with a JSON object, Success true or absent
    [200, { Success: true, Message: "made" }, "done", "made"],
    [201, { Success: true }, "done", "HTTP 201"],
    [200, {}, "done", "HTTP 200"],
    [200, { Message: "fine" }, "done", "fine"],
    [200, { Success: "true" }, "done", "HTTP 200"],
    [200, { SUCCESS: true, mEsSaGe: "loud" }, "done", "loud"],
    [200, { success: "true", Success: true }, "done", "HTTP 200"],
    // 2xx, Success false
    [200, { Success: false, Message: "no" }, "failed", "no"],
    [200, { success: "false" }, "failed", "HTTP 200"],
    // any other 2xx
    [200, "", "unknown", "HTTP 200, but the answer is empty"],
    [204, "", "unknown", "HTTP 204, but the answer is empty"],
    [200, "created", "unknown", "HTTP 200, but the answer is not JSON"],
    [200, "[]", "unknown", "HTTP 200, but the answer is not a JSON object"],
    [200, "null", "unknown", "HTTP 200, but the answer is not a JSON object"],
    [200, '{"Success": true', "unknown", "HTTP 200, but the answer is not JSON"],
    [200, "<html>proxy</html>", "unknown", "HTTP 200, but the answer is not JSON"],
    [200, { Success: "yes" }, "unknown", unclear],
    [200, { Success: null }, "unknown", unclear],
    [200, { Success: 1 }, "unknown", unclear],
    [200, { Success: true, success: false }, "unknown", unclear],
    [200, '{"Success":true,"a":{"Success":false}}', "done", "HTTP 200"],
    // 4xx, whatever Success says
    [400, { Success: true, Message: "bad name" }, "failed", "bad name"],
    [404, "<html>", "failed", "HTTP 404"],
    [422, { Success: false, Message: "no" }, "failed", "no"],
    [401, { Message: "who?" }, "failed", "who?"],
    [403, "", "failed", "HTTP 403"],
    [408, { Success: false }, "unknown", "HTTP 408"],
    [499, "", "unknown", "HTTP 499"],
    [429, { Message: "slow" }, "not-processed", "slow"],
    // 3xx
    [301, "", "failed", "HTTP 301"],
    [307, "", "failed", "HTTP 307"],
    [308, "", "failed", "HTTP 308"],
    [302, "", "unknown", "HTTP 302"],
    [303, "", "unknown", "HTTP 303"],
    [304, "", "unknown", "HTTP 304"],
    // 5xx
    [500, { Success: false, Message: "no disk" }, "failed", "no disk"],
    [503, { success: "false" }, "failed", "HTTP 503"],
    [500, { Success: true }, "unknown", "HTTP 500"],
    [500, {}, "unknown", "HTTP 500"],
    [502, "<html>bad gateway</html>", "unknown", "HTTP 502"],
    [504, "", "unknown", "HTTP 504"],
  ])("%i %j: %s", async (status, body, kind, message) => {
    const outcome = await createWith(says(status, body));
    expect(outcome).toMatchObject({ kind, status, message, sent: 1 });
    // A rejected token stops all other creates.
    if (outcome.kind === "failed") expect(outcome.stop).toBe(status === 401 || status === 403);
  });

  test("reads Retry-After as seconds or a date, and ignores anything else", async () => {
    const after = async (value?: string) =>
      await createWith(says(429, {}, value === undefined ? {} : { "retry-after": value }));
    expect(await after("7")).toMatchObject({ retryAfter: 7 });
    expect(await after(new Date(Date.now() - 60_000).toUTCString())).toMatchObject({
      retryAfter: 0,
    });
    const soon = await after(new Date(Date.now() + 600_000).toUTCString());
    expect(soon.kind === "not-processed" && soon.retryAfter).toBeGreaterThan(500);
    expect(await after("soon")).toMatchObject({ retryAfter: null });
    expect(await after()).toMatchObject({ retryAfter: null });
  });
});

/** An answer with this body in gzip. */
const packed = (body: string) => (socket: Socket) => {
  const bytes = gzipSync(body);
  const length = `content-length: ${bytes.length}`;
  socket.write(`HTTP/1.1 200 OK\r\ncontent-encoding: gzip\r\n${length}\r\n\r\n`);
  socket.write(bytes);
};

const half = (status: number, body: string) => (socket: Socket) =>
  void socket.end(answer(status, body).slice(0, -5));

const chunked =
  'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n8\r\n{"Succes\r\n8\r\ns":true}\r\n0\r\n\r\n';

test.each<[string, (socket: Socket) => unknown, object]>([
  ["a reset", (socket) => socket.resetAndDestroy(), { kind: "unknown", status: null }],
  ["an answer that is not HTTP", (socket) => socket.end("SSH-2.0-x\r\n"), { kind: "unknown" }],
  ["half an answer", half(200, '{"Success":true}'), { kind: "unknown", status: 200 }],
  // Its status alone decides.
  ["half a refusal", half(400, '{"Message":"no"}'), { kind: "failed", status: 400 }],
  // It must not be sent again.
  ["half a 429", half(429, '{"Message":"slow"}'), { kind: "unknown", status: 429 }],
  ["chunks", (socket) => socket.write(chunked), { kind: "done" }],
  [
    "a byte order mark",
    says(200, '\uFEFF{"Success":true,"Message":"marked"}'),
    { kind: "done", message: "marked" },
  ],
  ["gzip", packed('{"Success":true,"Message":"m"}'), { kind: "done", message: "m" }],
  ["gzip of a huge body", packed('{"Success":true}'.padEnd(2 ** 23)), { kind: "unknown" }],
  ["invalid gzip", says(200, {}, { "content-encoding": "gzip" }), { kind: "unknown", status: 200 }],
  [
    "a message of almost a megabyte, which is shortened",
    says(200, { Success: false, Message: "x".repeat(1_000_000) }),
    { kind: "failed", message: expect.stringMatching(/^.{1,2000}$/) },
  ],
  [
    "the token, which is masked",
    says(400, { Message: `bad token ${token}` }),
    { kind: "failed", message: "bad token ***" },
  ],
])("the outcome after %s", async (_, reply, expected) => {
  expect(await createWith((socket) => void reply(socket))).toMatchObject({ ...expected, sent: 1 });
});

describe("the outcome without a complete answer", () => {
  test("is not processed if the connection is refused", async () => {
    expect(
      await service(`http://127.0.0.1:${await quietPort()}`).create(payload, "k"),
    ).toMatchObject({
      kind: "not-processed",
      status: null,
      message: "cannot connect: connection refused (ECONNREFUSED)",
    });
  });

  test("is never failed if the server resets the connection before it reads the request", async () => {
    const clocks = stopClocks();
    let resets = 0;
    const server = await rudeServer({
      arrived: (socket) => {
        resets += 1;
        if (resets === 1) socket.resetAndDestroy();
      },
    });
    const outcome = await service(server.url).create(payload, "k");
    // The bytes may or may not have left before the reset.
    expect(["unknown", "not-processed"]).toContain(outcome.kind);
    expect(server.connections).toBe(1);
    expect(await clocks.sentInTheEnd(server)).toBe(0);
  });

  test("is unknown after a timeout", async () => {
    const clocks = stopClocks();
    const server = await rudeServer({});
    const outcome = service(server.url, { timeout: 30 }).create(payload, "k");
    while (server.requests.length === 0) await nextTurn();
    clocks.pass(30_000);
    expect(await outcome).toMatchObject({
      kind: "unknown",
      status: null,
      message: "the service did not answer within 30 s",
    });
    expect(await clocks.sentInTheEnd(server)).toBe(1);
  });

  test("is unknown if the body never comes", async () => {
    const clocks = stopClocks();
    const heads: unknown[] = [];
    const add = (head: unknown) => void heads.push(head);
    subscribe("undici:request:headers", add);
    onTestFinished(() => void unsubscribe("undici:request:headers", add));
    const server = await rudeServer({
      asked: (socket) => socket.write("HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\n{"),
    });
    const outcome = service(server.url, { timeout: 30 }).create(payload, "k");
    while (heads.length === 0) await nextTurn();
    clocks.pass(30_000);
    expect(await outcome).toMatchObject({ kind: "unknown", status: 200 });
    expect(await clocks.sentInTheEnd(server)).toBe(1);
  });

  test("is unknown after an interruption", async () => {
    const clocks = stopClocks();
    const server = await rudeServer({});
    const stop = new AbortController();
    const outcome = service(server.url).create(payload, "k", stop.signal);
    while (server.requests.length === 0) await nextTurn();
    stop.abort();
    expect(await outcome).toMatchObject({
      kind: "unknown",
      message: "interrupted before the service answered",
    });
    expect(await service(server.url).create(payload, "k", AbortSignal.abort())).toMatchObject({
      kind: "not-processed",
    });
    expect(await clocks.sentInTheEnd(server)).toBe(1);
  });
});

describe("an answer", () => {
  test.each(["100 Continue", "101 Switching Protocols", "102 Processing", "103 Early Hints"])(
    "that begins with an interim answer (%s) is never taken for a request that was not processed",
    async (status) => {
      const outcome = await createWith((socket) => {
        socket.write(`HTTP/1.1 ${status}\r\n\r\n${answer(200, "{}")}`);
      });
      expect(["done", "unknown"]).toContain(outcome.kind);
      expect(outcome.message).not.toMatch(/assert|\n/);
    },
  );

  test("that redirects to another host is not followed", async () => {
    const other = await rudeServer({ asked: says(200, { Success: true }) });
    for (const [status, kind] of [
      [302, "unknown"],
      [307, "failed"],
    ] as const) {
      expect(await createWith(says(status, "", { location: `${other.url}/v1/ivr` }))).toMatchObject(
        { kind, sent: 1 },
      );
    }
    expect(other.connections).toBe(0);
  });
});

describe("the request", () => {
  test.each(["", "/", "/api", "/api/", "/a/b//"])(
    "has the right path with the base address …%s",
    async (suffix) => {
      const server = await rudeServer({ asked: says(200, {}) });
      const traces: Trace[] = [];
      await service(server.url + suffix, { trace: (trace) => traces.push(trace) }).create(
        payload,
        "front-desk",
      );
      const path = `${suffix.replace(/\/+$/, "")}/v1/ivr`;
      const [head = "", body] = (server.requests[0] ?? "").split("\r\n\r\n");
      expect(head.split("\r\n")[0]).toBe(`POST ${path} HTTP/1.1`);
      expect(head.toLowerCase()).toContain("\r\naccept: application/json");
      expect(head.toLowerCase()).toContain("\r\ncontent-type: application/json");
      expect(head).toContain(`\r\nauthorization: Bearer ${token}`);
      expect(JSON.parse(body ?? "")).toEqual(payload);
      expect(traces).toEqual([
        { method: "POST", path, key: "front-desk", result: 200, milliseconds: expect.any(Number) },
      ]);
      expect(JSON.stringify(traces)).not.toContain(token);
    },
  );
});

describe("connections", () => {
  test("are reused, unless they were idle for more than a second", async () => {
    // The clock does not move, however busy the machine is.
    vi.useFakeTimers({ toFake: ["performance", "setTimeout", "clearTimeout"] });
    onTestFinished(() => void vi.useRealTimers());
    const server = await rudeServer({ asked: says(200, {}) });
    const client = service(server.url);
    await client.create(payload, "a");
    vi.advanceTimersByTime(900);
    await client.create(payload, "b");
    expect(server.connections).toBe(1);
    vi.advanceTimersByTime(1100);
    await client.create(payload, "c");
    expect(server.connections).toBe(2);
  });

  test("that the server closes during a request make it unknown, and it is never sent again", async () => {
    const clocks = stopClocks();
    const server = await rudeServer({
      asked: (socket, _, count) => {
        if (count % 2 === 1) socket.write(answer(200, "{}"));
        else socket.destroy();
      },
    });
    const client = service(server.url);
    expect(await client.create(payload, "a")).toMatchObject({ kind: "done" });
    expect(await client.create(payload, "b")).toMatchObject({ kind: "unknown" });
    // The server would answer a second attempt.
    expect(await client.create(payload, "c")).toMatchObject({ kind: "done" });
    expect(await clocks.sentInTheEnd(server)).toBe(3);
  });

  test("that the server closes after an answer never send a request twice", async () => {
    // The server closes the connection right after the answer, so some requests are lost.
    const server = await rudeServer({
      asked: (socket) => {
        socket.write(answer(200, "{}"));
        setImmediate(() => socket.destroy());
      },
    });
    const client = service(server.url);
    let confirmed = 0;
    for (let i = 0; i < 60; i += 1) {
      const { kind } = await client.create(payload, `m${i}`);
      expect(["done", "unknown"]).toContain(kind);
      if (kind === "done") confirmed += 1;
      for (let turns = i % 5; turns > 0; turns -= 1) await nextTurn();
    }
    expect(confirmed).toBeGreaterThan(0);
    // Each create reached the server at most once.
    expect(server.requests.length).toBeLessThanOrEqual(60);
    expect(server.requests.length).toBeGreaterThanOrEqual(confirmed);
  });
});

describe("a permit", () => {
  /** A permit that gives these answers, and then the last one again and again. */
  const permit = (answers: readonly boolean[], renew: () => Promise<boolean>) => {
    const seen = { looks: 0, renewals: 0 };
    return {
      seen,
      isGood: () => answers[Math.min(seen.looks++, answers.length - 1)] ?? false,
      renew: () => {
        seen.renewals += 1;
        return renew();
      },
    };
  };
  const yes = async () => true;
  const no = async () => false;

  test("that is valid is checked once and never renewed", async () => {
    const server = await rudeServer({ asked: says(200, {}) });
    const good = permit([true], yes);
    expect(await service(server.url).create(payload, "k", undefined, good)).toMatchObject({
      kind: "done",
    });
    expect(good.seen).toEqual({ looks: 1, renewals: 0 });
  });

  test("that has expired is renewed, and the request leaves once, on the same connection", async () => {
    const server = await rudeServer({ asked: says(200, {}) });
    const client = service(server.url);
    // The second create reuses the connection.
    for (const key of ["a", "b"]) {
      const expired = permit([false, false, true], yes);
      expect(await client.create(payload, key, undefined, expired)).toMatchObject({
        kind: "done",
      });
      expect(expired.seen).toEqual({ looks: 3, renewals: 2 });
    }
    expect(server.requests).toHaveLength(2);
    expect(server.connections).toBe(1);
  });

  test("that cannot be renewed prevents the request, and the connection stays usable", async () => {
    const server = await rudeServer({ asked: says(200, {}) });
    const traces: Trace[] = [];
    const client = service(server.url, { trace: (trace) => traces.push(trace) });
    expect(await client.create(payload, "a", undefined, permit([false], no))).toEqual({
      kind: "withheld",
      status: null,
      message: "the request was not sent",
    });
    expect(traces).toMatchObject([{ key: "a", result: "withheld" }]);
    expect(server.requests).toEqual([]);
    expect(await client.create(payload, "b")).toMatchObject({ kind: "done" });
    expect(server.requests).toHaveLength(1);
  });

  test("that is renewed after an interruption sends nothing", async () => {
    const clocks = stopClocks();
    const server = await rudeServer({ asked: says(200, {}) });
    const stop = new AbortController();
    let renewed = (_: boolean) => {};
    const late = permit([false, true], () => new Promise((done) => (renewed = done)));
    const client = service(server.url);
    const outcome = client.create(payload, "k", stop.signal, late);
    while (late.seen.renewals === 0) await nextTurn();
    stop.abort();
    expect(await outcome).toMatchObject({ kind: "not-processed" });
    renewed(true);
    // A late request would arrive before this one.
    expect(await client.create(payload, "l")).toMatchObject({ kind: "done" });
    expect(await clocks.sentInTheEnd(server)).toBe(1);
  });
});

describe("TLS", () => {
  test("fails with an untrusted certificate, and nothing is sent", async () => {
    let asked = 0;
    const server = createSecureServer(certificate(), (_, response) => {
      asked += 1;
      response.end("{}");
    });
    const port = await listen(server);
    expect(await service(`https://localhost:${port}`).create(payload, "k")).toMatchObject({
      kind: "failed",
      status: null,
      message: "no secure connection: the certificate is self-signed (DEPTH_ZERO_SELF_SIGNED_CERT)",
    });
    expect(asked).toBe(0);
  });

  test("fails with a server that does not use TLS", async () => {
    const server = await rudeServer({
      arrived: (socket) => socket.end("HTTP/1.1 400 Bad Request\r\n\r\n"),
    });
    const outcome = await service(server.url.replace("http:", "https:")).create(payload, "k");
    expect(outcome).toMatchObject({ kind: "failed", status: null });
    expect(outcome.message).toContain("does not use TLS");
  });
});
