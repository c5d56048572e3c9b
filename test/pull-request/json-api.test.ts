import { type IncomingHttpHeaders, createServer } from "node:http";
import * as z from "zod/mini";
import { beforeEach, describe, expect, onTestFinished, test } from "vitest";
import { JobProblem } from "../../src/ci/forge.ts";
import { JsonApi } from "../../src/ci/json-api.ts";
import type { Clock } from "../../src/util/host.ts";
import { secrets } from "../../src/util/secrets.ts";
import { clock } from "../support/host.ts";
import { listen } from "../support/listen.ts";

/** The milliseconds that the client waited. It does not really wait. */
const waits: number[] = [];
const quick: Clock = { ...clock, sleep: async (ms) => void waits.push(ms) };

beforeEach(() => {
  waits.length = 0;
  secrets.clear();
});

interface Answer {
  readonly status?: number;
  readonly headers?: Record<string, string>;
  readonly body?: string;
  /** Closes the connection instead. */
  readonly cut?: true;
}

/** Starts a server that gives these answers one after the other, the last one again and again. */
async function serve(...answers: readonly [Answer, ...Answer[]]) {
  const asked: { line: string; headers: IncomingHttpHeaders; body: string }[] = [];
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const body = Buffer.concat(chunks).toString();
    const {
      status = 200,
      headers,
      body: text,
      cut,
    } = answers[asked.length] ?? answers.at(-1) ?? {};
    asked.push({ line: `${request.method} ${request.url}`, headers: request.headers, body });
    if (cut) request.socket.destroy();
    else response.writeHead(status, headers).end(text ?? "{}");
  });
  const port = await listen(server);
  const url = `http://127.0.0.1:${port}`;
  return { url, asked, lines: () => asked.map(({ line }) => line) };
}

function open(base: string): JsonApi {
  const headers = { authorization: "Bearer s3cret-token" };
  const api = new JsonApi({
    clock: quick,
    name: "GitHub",
    variable: "GITHUB_API_URL",
    base,
    headers: () => headers,
    needs: () => "actions: read",
  });
  onTestFinished(() => api.close());
  return api;
}

/** Returns why a request failed. */
async function failure(request: Promise<unknown>): Promise<JobProblem> {
  const error = await request.then(
    () => new Error("it did not fail"),
    (thrown: unknown) => thrown,
  );
  if (error instanceof JobProblem) return error;
  throw error;
}

const Anything = z.unknown();
const Numbers = z.array(z.int());

describe("a request", () => {
  test.each(["/api/v3", "/gitlab/api/v4/", ""])("goes below the address %s", async (path) => {
    const server = await serve({ body: '{"a":1}' });
    expect(await open(server.url + path).get("/user", Anything)).toEqual({ a: 1 });
    expect(server.lines()).toEqual([`GET ${path.replace(/\/$/, "")}/user`]);
    expect(server.asked[0]?.headers).toMatchObject({
      authorization: "Bearer s3cret-token",
      "user-agent": expect.stringMatching(/^ivrctl\/\d/),
    });
  });

  test("sends JSON", async () => {
    const server = await serve({ status: 201 });
    await open(server.url).send("POST", "/comments", { body: "ü" });
    expect(server.asked[0]).toMatchObject({
      line: "POST /comments",
      headers: { "content-type": "application/json" },
      body: '{"body":"ü"}',
    });
  });

  test.each([
    ["http://github.example/api/v3", "plain http"],
    ["https://me:password@github.example", "user name or password"],
    ["https://github.example/?a=b", "contains a ?"],
    ["github.example", "is not an address"],
  ])("is not sent to %s", (base, problem) => {
    expect(() => open(base)).toThrow(problem);
  });

  test("does not follow a redirect", async () => {
    const other = await serve({});
    const server = await serve({ status: 301, headers: { location: other.url } });
    const { message } = await failure(open(server.url).get("/a", Anything));
    expect(message).toBe("GitHub refused GET /a (HTTP 301).");
    expect(other.asked).toEqual([]);
  });
});

describe("an answer", () => {
  test("that is not there is no problem if the caller expects that", async () => {
    const server = await serve({ status: 404 }, { status: 403 }, { status: 404 });
    const api = open(server.url);
    expect(await api.find("/user", Anything)).toBeUndefined();
    expect(await api.find("/user", Anything)).toBeUndefined();
    expect(await api.file("/plan.json")).toBeUndefined();
    expect(server.asked).toHaveLength(3);
  });

  test.each(["not JSON", '{"a":1}', ""])("that is invalid is a problem: %s", async (body) => {
    const server = await serve({ body });
    const { message } = await failure(open(server.url).get("/a", Numbers));
    expect(message).toMatch(/^The answer of GitHub to \/a is invalid: /);
  });

  test.each([
    ['{"message":"Not accessible."}', ": Not accessible."],
    ['{"message":{"base":["No"]}}', ': {"base":["No"]}.'],
    ['{"error":"insufficient_scope"}', ": insufficient_scope."],
    ["<html>", "."],
  ])("that refuses is shown with the permission: %s", async (body, words) => {
    const server = await serve({ status: 403, body });
    const problem = await failure(open(server.url).get("/a", Anything));
    expect(problem.message).toBe(`GitHub refused GET /a (HTTP 403)${words}`);
    expect(problem.hint).toBe("Give the token this permission: actions: read.");
    expect(server.asked).toHaveLength(1);
  });
});

describe("a list", () => {
  test("has the items of all pages", async () => {
    const next = (page: number) => ({
      link: `<http://x.example/repositories/7/a?per_page=2&page=${page}>; rel="next", <http://x.example/a?page=9>; rel="last"`,
    });
    const server = await serve(
      { body: "[1,2]", headers: next(2) },
      { body: "[3,4]", headers: next(3) },
      { body: "[5]", headers: { link: '<http://x.example/a?page=1>; rel="prev"' } },
    );
    const list = await open(`${server.url}/api/v3`).list("/a?per_page=2", Numbers);
    expect(list).toEqual([1, 2, 3, 4, 5]);
    // The token goes only to the server that the pipeline names, whatever the link says.
    expect(server.lines()).toEqual([
      "GET /api/v3/a?per_page=2",
      "GET /api/v3/a?per_page=2&page=2",
      "GET /api/v3/a?per_page=2&page=3",
    ]);
  });
});

describe("a request is repeated", () => {
  test("three times", async () => {
    const server = await serve({ status: 502 });
    const { message } = await failure(open(server.url).get("/a", Anything));
    expect(message).toBe("GitHub refused GET /a (HTTP 502).");
    expect(waits).toEqual([600, 1200, 2400]);
    expect(server.asked).toHaveLength(4);
  });

  test("after a lost connection, unless it creates something", async () => {
    const server = await serve({ cut: true }, {}, { cut: true }, {}, { cut: true });
    const api = open(server.url);
    await api.get("/a", Anything);
    await api.send("PATCH", "/a", {});
    const { message } = await failure(api.send("POST", "/a", {}));
    expect(message).toBe("POST /a failed: GitHub closed the connection before it answered.");
    expect(server.lines()).toEqual(["GET /a", "GET /a", "PATCH /a", "PATCH /a", "POST /a"]);
  });

  test("after an error of the server, unless it creates something", async () => {
    const server = await serve({ status: 500 });
    await failure(open(server.url).send("POST", "/a", {}));
    expect(server.asked).toHaveLength(1);
  });

  test.each([
    ["429 with seconds", 429, { "retry-after": "7" }, 7],
    ["403 with seconds", 403, { "retry-after": "60" }, 60],
    ["429 without a time", 429, {}, 60],
    ["403 without a header", 403, {}, 60, "You have exceeded a secondary rate limit."],
  ])("after a rate limit: %s", async (_, status, headers, seconds, message = "") => {
    const body = JSON.stringify({ message });
    const server = await serve({ status, headers, body }, { status: 201 });
    await open(server.url).send("POST", "/a", {});
    expect(waits).toEqual([seconds * 1000]);
  });

  test("after a rate limit that ends soon", async () => {
    const reset = String(Math.floor(Date.now() / 1000) + 20);
    for (const start of ["x-ratelimit", "ratelimit"]) {
      const headers = { [`${start}-remaining`]: "0", [`${start}-reset`]: reset };
      const server = await serve({ status: 403, headers }, {});
      await open(server.url).get("/a", Anything);
    }
    expect(waits.filter((wait) => wait >= 1000 && wait <= 20_000)).toHaveLength(2);
  });

  test.each([
    ["seconds", { "retry-after": "1790" }],
    ["a time", { "x-ratelimit-remaining": "0", "x-ratelimit-reset": "4102444800" }],
  ])("but not if the limit lasts long: %s", async (_, headers: Record<string, string>) => {
    const body = '{"message":"API rate limit exceeded."}';
    const server = await serve({ status: 403, headers, body });
    const problem = await failure(open(server.url).get("/a", Anything));
    expect(problem.message).toBe("GitHub refused GET /a (HTTP 403): API rate limit exceeded.");
    expect(problem.hint).toBe("The token has reached its rate limit. Run the job again later.");
    expect(server.asked).toHaveLength(1);
  });
});

describe("a download", () => {
  test("comes from the named address, without the token", async () => {
    const storage = await serve({ status: 503 }, { body: "archive" });
    const location = `${storage.url}/a.zip?sig=s1gnature`;
    const server = await serve({ status: 302, headers: { location } });
    const bytes = await open(server.url).download("/zip");
    expect(String(bytes)).toBe("archive");
    expect(storage.lines()).toEqual(["GET /a.zip?sig=s1gnature", "GET /a.zip?sig=s1gnature"]);
    for (const { headers } of storage.asked) expect(headers).not.toHaveProperty("authorization");
    expect(secrets.mask(location)).not.toContain("s1gnature");
  });

  test.each(["http://storage.example/a", "file:///etc/passwd", "/a", "https://a:b@c.example/", ""])(
    "does not come from %j",
    async (location) => {
      const server = await serve({ status: 302, headers: { location } });
      const { message } = await failure(open(server.url).download("/zip"));
      expect(message).toBe("GitHub returned no safe address for GET /zip.");
    },
  );

  test("does not follow a second redirect", async () => {
    const other = await serve({});
    const storage = await serve({ status: 302, headers: { location: other.url } });
    const server = await serve({ status: 302, headers: { location: storage.url } });
    const { message } = await failure(open(server.url).download("/zip"));
    expect(message).toBe("The storage of GitHub refused GET / (HTTP 302).");
    expect(other.asked).toEqual([]);
  });
});
