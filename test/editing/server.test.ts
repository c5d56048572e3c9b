import { request } from "node:http";
import { describe, expect, onTestFinished, test } from "vitest";
import { PreviewServer } from "../../src/preview/preview-server.ts";
import type { EditRequest } from "../../src/schema/edit-request.ts";

const key = "a-key-that-nobody-knows";

/** Starts a server whose editor only remembers what it was asked for. */
async function start(isEditor = true) {
  const asked: EditRequest[] = [];
  const act = async (one: EditRequest) => {
    asked.push(one);
    return one.do === "undo" ? { refused: "There is nothing to undo." } : {};
  };
  const server = new PreviewServer(isEditor ? { key, act } : undefined);
  server.show({
    live: true,
    environment: null,
    base: null,
    menus: [],
    changes: [],
    following: [],
    findings: [],
  });
  const address = await server.listen(0);
  onTestFinished(() => server.close());
  return { asked, origin: address.slice(0, -1) };
}

interface Sent {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string | undefined>>;
  readonly body?: string;
}

function send(
  origin: string,
  { method = "POST", headers = {}, body = '{"do":"look"}' }: Sent = {},
) {
  const { port, host } = new URL(origin);
  const standard = {
    host,
    origin,
    "content-type": "application/json",
    "sec-fetch-site": "same-origin",
    "x-ivrctl-key": key,
  };
  const given = Object.entries({ ...standard, ...headers }).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, value]],
  );
  return new Promise<{ status: number | undefined; body: string }>((resolve, reject) => {
    const asked = request(
      { host: "127.0.0.1", port, path: "/edit", method, headers: Object.fromEntries(given) },
      (response) => {
        let text = "";
        response.setEncoding("utf8").on("data", (part: string) => (text += part));
        response.on("end", () => resolve({ status: response.statusCode, body: text }));
      },
    );
    asked.on("error", reject).end(body);
  });
}

describe("requests to edit", () => {
  test("are done for the page, and answered with what was refused", async () => {
    const { origin, asked } = await start();
    expect(await send(origin)).toEqual({ status: 200, body: "{}" });
    expect(await send(origin, { headers: { "sec-fetch-site": undefined } })).toMatchObject({
      status: 200,
    });
    expect(await send(origin, { body: '{"do":"undo"}' })).toEqual({
      status: 409,
      body: '{"refused":"There is nothing to undo."}',
    });
    expect(asked.map((one) => one.do)).toEqual(["look", "look", "undo"]);
  });

  test.each<[string, number, Sent]>([
    ["a read", 405, { method: "GET" }],
    ["a question of a browser before a foreign request", 405, { method: "OPTIONS" }],
    ["a foreign name for this machine", 421, { headers: { host: "evil.example" } }],
    ["a different port", 421, { headers: { host: "127.0.0.1:1" } }],
    ["a different name for this machine", 421, { headers: { host: "localhost:1" } }],
    ["a foreign page", 403, { headers: { origin: "https://evil.example" } }],
    ["no page", 403, { headers: { origin: undefined } }],
    ["a page without an origin", 403, { headers: { origin: "null" } }],
    ["a page of a different port", 403, { headers: { "sec-fetch-site": "same-site" } }],
    ["a link", 403, { headers: { "sec-fetch-site": "none" } }],
    ["no key", 403, { headers: { "x-ivrctl-key": undefined } }],
    ["a wrong key", 403, { headers: { "x-ivrctl-key": `${key}x` } }],
    ["a form", 415, { headers: { "content-type": "text/plain" } }],
    ["no JSON", 400, { body: "{" }],
    ["an unknown wish", 400, { body: '{"do":"write","file":"/etc/passwd"}' }],
    ["an unknown field", 400, { body: '{"do":"look","file":"x"}' }],
    ["a path out of the project", 400, { body: '{"do":"delete","menu":"../x"}' }],
    [
      "too much",
      413,
      { body: JSON.stringify({ do: "x".repeat(70_000) }), headers: { "content-length": "70015" } },
    ],
    [
      "too much in parts",
      400,
      {
        body: JSON.stringify({ do: "x".repeat(70_000) }),
        headers: { "transfer-encoding": "chunked" },
      },
    ],
  ])("refuses %s", async (_, status, sent) => {
    const { origin, asked } = await start();
    expect((await send(origin, sent)).status).toBe(status);
    expect(asked).toEqual([]);
  });

  test.each([
    ["a branch", { do: "save", branch: "my branch", message: "A", push: false }],
    ["a file", { do: "rename", menu: "a", to: "Hotel Goa" }],
  ])("say what is wrong with the name of %s", async (_, request) => {
    const { origin } = await start();
    const { status, body } = await send(origin, { body: JSON.stringify(request) });
    expect([status, body]).toEqual([400, expect.stringMatching(/letters.*digits/)]);
  });

  test("do not exist without an editor", async () => {
    const { origin } = await start(false);
    expect((await send(origin)).status).toBe(405);
  });
});
