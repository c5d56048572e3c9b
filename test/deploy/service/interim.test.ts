import { createServer as createSecureServer } from "node:tls";
import type { Socket } from "node:net";
import { setImmediate as nextTurn } from "node:timers/promises";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { HttpService } from "../../../src/deploy/service/http-service.ts";
import { certificate } from "../../support/certificate.ts";
import { answer, listen, rudeServer } from "../../support/rude-server.ts";
import { made, payload } from "../plan/histories.ts";

const menu = made(payload("Front desk")).payload;
const unsolicited = "HTTP/1.1 100 Continue\r\n\r\n";
const final = answer(200, '{"Success": true, "Message": "made"}');

function service(baseUrl: string) {
  const made = new HttpService({ baseUrl, token: "token", timeout: 300 });
  onTestFinished(() => made.close());
  return made;
}

/** Sends each piece in its own packet. */
async function send(socket: Socket, pieces: readonly string[]): Promise<void> {
  for (const piece of pieces) {
    await new Promise((resolve) => socket.write(piece, resolve));
    // The client, in this process, reads in the next turn.
    await nextTurn();
    await nextTurn();
  }
}

describe("interim answers", () => {
  test.each<[string, readonly string[]]>([
    ["100 in one packet with it", [unsolicited + final]],
    ["100 in a packet of its own", [unsolicited, final]],
    ["100 with fields", [`HTTP/1.1 100 Go on\r\nVia: gateway\r\nX: \r\n\r\n${final}`]],
    ["100 without a reason", [`HTTP/1.1 100\r\n\r\n${final}`]],
    ["100 of an older version", [`HTTP/1.0 100 Continue\r\n\r\n${final}`]],
    ["several", [unsolicited + unsolicited, unsolicited + final]],
    [
      "all kinds",
      [
        `HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n${unsolicited}HTTP/1.1 102 Wait\r\n\r\n${final}`,
      ],
    ],
    ["100 in pieces of two letters", `${unsolicited}${final}`.match(/[^]{1,2}/g) ?? []],
    ["100, cut within the end of its head", ["HTTP/1.1 100 Continue\r\n\r", `\n${final}`]],
    ["100, and the answer cut in its first line", [`${unsolicited}HTT`, final.slice(3)]],
  ])("are dropped: %s", async (_, pieces) => {
    const server = await rudeServer({ asked: (socket) => void send(socket, pieces) });
    const outcome = await service(server.url).create(menu, "front-desk");
    expect(outcome).toMatchObject({ kind: "created", status: 200, message: "made" });
    expect(server.requests).toHaveLength(1);
  });

  test("are dropped for each request on a connection, and never inside a body", async () => {
    const body = JSON.stringify({ Success: true, Message: unsolicited });
    const server = await rudeServer({
      asked: (socket, _, count) =>
        void send(socket, count === 2 ? [final] : [unsolicited, answer(200, body)]),
    });
    const own = service(server.url);
    const messages = [];
    for (let round = 0; round < 3; round += 1) {
      messages.push((await own.create(menu, "front-desk")).message);
    }
    expect(messages).toEqual([unsolicited, "made", unsolicited]);
    expect(server.connections).toBe(1);
  });

  test.each<[string, readonly string[]]>([
    ["nothing else", [unsolicited]],
    ["half of another", [`${unsolicited}HTTP/1.1 1`]],
    ["a head without an end", [`HTTP/1.1 100 Continue\r\nx: ${"y".repeat(20_000)}`]],
    ["another protocol", [`HTTP/1.1 101 Switching Protocols\r\nupgrade: x\r\n\r\n${final}`]],
  ])("followed by %s make the outcome unknown", async (_, pieces) => {
    const server = await rudeServer({
      asked: (socket) => void send(socket, pieces).then(() => socket.end()),
    });
    expect(await service(server.url).create(menu, "front-desk")).toMatchObject({ kind: "unknown" });
  });

  test("are dropped over TLS", async () => {
    const { key, cert } = certificate();
    const server = createSecureServer({ key, cert }, (socket) => {
      socket.on("error", () => {}).once("data", () => void send(socket, [unsolicited, final]));
    });
    await listen(server);
    onTestFinished(() => void server.close());
    vi.stubEnv("NODE_TLS_REJECT_UNAUTHORIZED", "0");
    onTestFinished(() => void vi.unstubAllEnvs());
    const address = server.address();
    const port = typeof address === "object" ? address?.port : 0;
    for (const host of ["127.0.0.1", "localhost"]) {
      const outcome = await service(`https://${host}:${port}`).create(menu, "front-desk");
      expect(outcome).toMatchObject({ kind: "created", message: "made" });
    }
  });
});
