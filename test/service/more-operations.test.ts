import { describe, expect, onTestFinished, test } from "vitest";
import { HttpService } from "../../src/deploy/service/http-service.ts";
import { answer, rudeServer } from "../support/rude-server.ts";
import { runs } from "../support/runs.ts";
import { clock } from "../support/host.ts";
import { payload } from "../support/import.ts";

const token = "s3cr3t-t0k3n";
/** The record in the documentation of a vendor. */
const sample = {
  id: 7926,
  name: "Welcome IVR",
  description: "Welcome IVR",
  recording: "19549",
  timeout: 30,
  invalid_retries: 1,
  invalid_retry_recording: "244",
  invalid_destination_type: "extension",
  invalid_destination: "050109590001",
  timeout_retry_recording: "245",
  timeout_recording: "245",
  timeout_dest_type: "extension",
  timeout_destination: "050109590001",
  timeout_retries: 1,
  added_by: 10_959,
  invalid_recording: 244,
  ivr_menu: [
    {
      option: "1",
      destination_type: "ringgroup",
      destination_id: "17839",
      sms_template_id: "0",
      webhook_id: "0",
    },
  ],
};

type Reply = string | ((request: string, count: number) => string | null);

/** A service that gives this answer; null closes the connection. */
async function serviceWith(reply: Reply, readAttempts = 1) {
  const server = await rudeServer({
    asked: (socket, request, count) => {
      const text = typeof reply === "string" ? reply : reply(request, count);
      if (text === null) socket.resetAndDestroy();
      else socket.write(text);
    },
  });
  const options = { baseUrl: `${server.url}/api/`, token, clock, timeout: 5, readAttempts };
  const service = new HttpService(options);
  onTestFinished(() => service.close());
  return { service, requests: server.requests };
}

const withValue = (value: unknown, status = 200) =>
  serviceWith(answer(status, JSON.stringify(value)));

describe("the list of menus", () => {
  test("is read as documented", async () => {
    const { service, requests } = await withValue({ ivrs: [sample], recordings: [{ id: 1 }] });
    expect(await service.list("menus")).toEqual({
      kind: "listed",
      items: [
        {
          id: "7926",
          name: "Welcome IVR",
          fields: {
            name: "Welcome IVR",
            description: "Welcome IVR",
            recording: "19549",
            timeout: "30",
            incorrect_count: "1",
            invalid_recording: "244",
            recording_invalid: "244",
            timeout_retry_recording: "245",
            timeout_recording: "245",
            timeout_tries: "1",
          },
          destinations: {
            invalid_destination: { type: "extension", id: "050109590001" },
            timeout_destination: { type: "extension", id: "050109590001" },
          },
          options: [
            {
              key: "1",
              destination: { type: "ringgroup", id: "17839" },
              smsTemplate: "0",
              webhook: "0",
            },
          ],
        },
      ],
      unreadable: [],
    });
    expect(requests[0]).toMatch(/^GET \/api\/v1\/ivrs HTTP\/1.1\r\n/);
    expect(requests[0]).toContain(`authorization: Bearer ${token}`);
  });

  test("keeps records that are invalid", async () => {
    const { service } = await withValue({
      ivrs: [
        { id: 1, name: "No options" },
        { ...sample, id: 2, ivr_menu: [...sample.ivr_menu, ...sample.ivr_menu] },
        { ...sample, id: null },
        7,
        { ...sample, id: 2 ** 53 },
        { ...sample, id: "7926", name: "First" },
        { ...sample, name: "Second" },
      ],
    });
    const listing = await service.list("menus");
    expect(listing.kind === "listed" && listing.items.map(({ name }) => name)).toEqual(["First"]);
    expect(listing.kind === "listed" && listing.unreadable).toEqual([
      { id: "1", name: "No options", problem: expect.stringContaining("ivr_menu") },
      { id: "2", name: "Welcome IVR", problem: expect.stringContaining("option twice") },
      { id: null, name: "Welcome IVR", problem: expect.stringContaining('"id"') },
      { id: null, name: null, problem: expect.stringContaining("expected object") },
      { id: null, name: "Welcome IVR", problem: expect.stringContaining('"id"') },
      { id: "7926", name: "Second", problem: "another record has the same id" },
    ]);
  });

  test("may leave out fields, and have null in others", async () => {
    const { service } = await withValue({
      ivrs: [{ id: "5", name: 12, timeout: null, invalid_destination: "1", ivr_menu: [] }],
    });
    const listing = await service.list("menus");
    expect(listing.kind === "listed" && listing.items).toEqual([
      { id: "5", name: "12", fields: { name: "12", timeout: "" }, destinations: {}, options: [] },
    ]);
  });

  test("has very many menus", async () => {
    const ivrs = Array.from({ length: runs(10_000) }, (_, id) => ({ ...sample, id }));
    const { service } = await withValue({ ivrs });
    const listing = await service.list("menus");
    expect(listing.kind === "listed" && listing.items.length).toBe(ivrs.length);
  });

  test.each([
    [401, {}, "token", "the service rejected the token (HTTP 401)"],
    [403, {}, "scope", "the scope of the token does not include this operation (HTTP 403)"],
    [404, {}, "not-offered", "the service does not offer this operation (HTTP 404)"],
    [405, {}, "not-offered", "the service does not offer this operation (HTTP 405)"],
    [302, {}, "other", "the answer is not a list of menus: HTTP 302"],
    [500, {}, "other", "the answer is not a list of menus: HTTP 500"],
    [200, {}, "other", "the answer is not a list of menus"],
    [200, "text", "other", "the answer is not a list of menus"],
    [200, null, "other", "the answer is not a list of menus"],
    [200, [sample], "other", "the answer is not a list of menus"],
    [
      200,
      { success: false, message: "Token has expired" },
      "token",
      "the service rejected the token: Token has expired",
    ],
    [
      200,
      { Success: false, Message: ["Not", { now: "later" }] },
      "other",
      "the service refused the request: Not; now: later",
    ],
  ])("%s %j is refused", async (status, value, reason, problem) => {
    const { service } = await withValue(value, status);
    const problemText: unknown = expect.stringContaining(problem);
    expect(await service.list("menus")).toEqual({ kind: "refused", reason, problem: problemText });
  });

  test("does not show the token", async () => {
    const { service } = await withValue({ ivrs: [{ id: token, name: `x ${token}` }] });
    expect(JSON.stringify(await service.list("menus"))).not.toContain(token);
  });
});

describe("a request that reads", () => {
  test("is repeated after a 429, a 503 and a lost connection", async () => {
    const replies = [
      answer(429, "{}", { "retry-after": "0" }),
      answer(503, "{}", { "retry-after": "0" }),
      answer(200, '{"ivrs":[]}'),
    ];
    const { service, requests } = await serviceWith((_, count) => replies[count - 1] ?? null, 5);
    expect(await service.list("menus")).toEqual({ kind: "listed", items: [], unreadable: [] });
    expect(requests).toHaveLength(3);
  });

  test("is not repeated after a refusal", async () => {
    const { service, requests } = await serviceWith(answer(403, "{}"), 5);
    expect((await service.list("menus")).kind).toBe("refused");
    expect(requests).toHaveLength(1);
  });

  test("is not repeated if the service asks for a long wait", async () => {
    const { service, requests } = await serviceWith(answer(429, "{}", { "retry-after": "60" }), 5);
    expect((await service.list("menus")).kind).toBe("refused");
    expect(requests).toHaveLength(1);
  });

  test("ends at an interruption", async () => {
    const stop = new AbortController();
    const { service, requests } = await serviceWith(() => {
      stop.abort();
      return answer(503, "{}");
    }, 5);
    expect((await service.list("menus", stop.signal)).kind).toBe("refused");
    expect(requests).toHaveLength(1);
  });
});

describe("a request that writes", () => {
  const request = { key: "front-desk" };

  test.each([
    ["update", "PUT", "/api/v1/ivr/a%2Fb", payload],
    ["delete", "DELETE", "/api/v1/ivr/a%2Fb", undefined],
    ["bind", "PUT", "/api/v1/my_number/a%2Fb", { name: "Main", destination: "ivr||7" }],
    ["bind without a name", "PUT", "/api/v1/my_number/a%2Fb", { destination: "ivr||7" }],
  ])("%s is sent as documented", async (what, method, path, body) => {
    const { service, requests } = await withValue({ success: true, message: "Done" });
    const name = what === "bind" ? "Main" : null;
    const outcome =
      what === "update"
        ? await service.updateMenu("a/b", payload, request)
        : what === "delete"
          ? await service.deleteMenu("a/b", request)
          : await service.bindNumber({ id: "a/b", name }, { kind: "menu", id: "7" }, request);
    expect(outcome).toEqual({ kind: "done", status: 200, message: "Done" });
    const [head = "", sent = ""] = (requests[0] ?? "").split("\r\n\r\n");
    expect(head.startsWith(`${method} ${path} HTTP/1.1\r\n`)).toBe(true);
    expect(sent === "" ? undefined : JSON.parse(sent)).toEqual(body);
  });

  test.each([
    // Otherwise the outcomes are those of a create, see create.test.ts.
    [200, '{"Success":true,"Message":"ok"}', { kind: "done", message: "ok" }],
    [204, "", { kind: "done", message: "HTTP 204" }],
    [200, '{"success":false,"message":"Token has expired"}', { kind: "failed", stop: true }],
    [403, "", { kind: "failed", stop: true }],
    [422, '{"message":{"name":["taken"]}}', { kind: "failed", message: "name: taken" }],
    [429, "", { kind: "not-processed", retryAfter: null }],
  ])("%i %s", async (status, body, expected) => {
    const { service, requests } = await serviceWith(answer(status, body), 5);
    expect(await service.updateMenu("7", payload, request)).toMatchObject({ ...expected, status });
    expect(requests).toHaveLength(1);
  });

  test("has an unknown outcome and is not repeated if the connection is lost", async () => {
    const { service, requests } = await serviceWith(() => null, 5);
    expect(await service.deleteMenu("7", request)).toMatchObject({ kind: "unknown", status: null });
    expect(requests).toHaveLength(1);
  });

  test("is withheld without a permit", async () => {
    const { service, requests } = await withValue({});
    const permit = { isGood: () => false, renew: async () => false };
    const outcome = await service.deleteMenu("7", { ...request, permit });
    expect(outcome.kind).toBe("withheld");
    expect(requests).toHaveLength(0);
  });
});

test("phone numbers are a bare array or under data", async () => {
  const records = [
    { id: "1", did: "+912241234567", alias: "912241234567", name: "Main", destination: "ivr||7" },
    { id: 2, did: null, alias: "912241234568", destination: null },
    { id: 3 },
  ];
  const expected = {
    kind: "listed",
    items: [
      {
        id: "1",
        number: "+912241234567",
        alias: "912241234567",
        name: "Main",
        destination: { kind: "menu", id: "7" },
      },
      { id: "2", number: "912241234568", alias: "912241234568", name: null, destination: null },
    ],
    unreadable: [{ id: "3", name: null, problem: expect.stringContaining("must have a number") }],
  };
  for (const value of [records, { data: records }]) {
    expect(await (await withValue(value)).service.list("numbers")).toEqual(expected);
  }
});

test("departments list the eids of their agents", async () => {
  const { service } = await withValue([
    { id: "20546", name: "Sales", agents: [{ id: "28131", name: "xyz", eid: "050109590002" }] },
    { id: 5, name: "Empty", agents: null },
  ]);
  expect(await service.list("departments")).toEqual({
    kind: "listed",
    items: [
      { id: "20546", name: "Sales", eids: ["050109590002"] },
      { id: "5", name: "Empty", eids: [] },
    ],
    unreadable: [],
  });
});

describe("users", () => {
  const user = (id: number, agent: unknown = { id: `0${id}`, name: "xyz", status: 0 }) => ({
    id,
    name: "xyz",
    agent,
    extension: null,
    user_status: 1,
  });
  const page = (data: unknown[], last: unknown, hasMore: boolean) =>
    answer(200, JSON.stringify({ has_more: hasMore, count: 9, last_seen_id: last, data }));

  test("are read page by page", async () => {
    const replies = [page([user(1), user(2, null)], 2, true), page([user(2), user(3)], "3", false)];
    const { service, requests } = await serviceWith((_, count) => replies[count - 1] ?? null);
    expect(await service.list("users")).toEqual({
      kind: "listed",
      items: [
        { id: "1", name: "xyz", eid: "01", blocked: false },
        { id: "2", name: "xyz", eid: "02", blocked: false },
        { id: "3", name: "xyz", eid: "03", blocked: false },
      ],
      unreadable: [],
    });
    expect(requests.map((text) => text.split(" ")[1])).toEqual([
      "/api/v1/users?limit=100",
      "/api/v1/users?limit=100&last_seen_id=2",
    ]);
  });

  test.each([
    ["a cursor that does not advance", 2, "the list of users does not end"],
    ["no cursor", null, "does not say where the next one begins"],
  ])("are refused with %s", async (_, last, problem) => {
    const { service } = await serviceWith(page([user(1)], last, true));
    expect(await service.list("users")).toMatchObject({
      kind: "refused",
      problem: expect.stringContaining(problem),
    });
  });

  test("are refused if the pages do not end", async () => {
    const { service } = await serviceWith((_, count) => page([], count, true));
    expect(await service.list("users")).toMatchObject({
      kind: "refused",
      problem: "the list of users does not end",
    });
  });
});
