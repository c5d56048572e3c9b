import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { fromListed } from "../../src/project/agent-list.ts";
import { ListedAgent } from "../../src/schema/agent.ts";
import { startSandbox } from "../../src/sandbox/sandbox.ts";
import { call, create, payload, sandboxFor } from "./client.ts";
import { clock } from "../support/host.ts";

const created = '{"Success":true,"Message":"IVR created successfully"}';

type Invalid = readonly [fields: Record<string, unknown>, message: string];

const invalid: readonly Invalid[] = [
  ...Object.keys(payload()).map((field): Invalid => [
    { [field]: undefined },
    `${field} is missing`,
  ]),
  [{ name: 5 }, 'must be text at "name"'],
  [{ name: "" }, "name is empty"],
  [{ timeout: null }, 'received null at "timeout"'],
  [{ timeout: "soon" }, "timeout must be"],
  [{ timeout: 1.5 }, "timeout must be"],
  [{ timeout_retries: "3" }, 'must be a number at "timeout_retries"'],
  [{ timeout_retries: -3 }, "timeout_retries must be"],
  [{ option: [], destination: [] }, "option is empty"],
  [{ option: ["1", ""] }, "option[1] is empty"],
  [{ option: ["1"] }, "must have as many destinations as options"],
  [{ option: ["1", null] }, 'received null at "option[1]"'],
  [{ recording: "19549" }, "recording must be recording||ID"],
  [{ invalid_recording: "two words" }, "invalid_recording must be"],
  [{ destination: ["extension||500101", "500102"] }, "destination[1] must be KIND||ID"],
  [{ destination: ["extension||500101", "department||1"] }, "destination[1] must be KIND||ID"],
  [{ timeout_destination: "extension||1" }, "timeout_destination: no agent has this extension"],
  [{ sms_template: [77] }, 'must be text at "sms_template[0]"'],
  [{ extension: "x" }, 'unrecognized key(s) "extension"'],
];

describe("create", () => {
  test("stores a valid payload unchanged, and answers 200 with Success", async () => {
    const sandbox = await sandboxFor();
    const sent = payload();
    const { status, text, headers } = await call(sandbox.url, { body: JSON.stringify(sent) });
    expect({ status, text }).toEqual({ status: 200, text: created });
    expect(headers["content-type"]).toBe("application/json");
    expect(sandbox.records).toEqual([{ number: 1, at: expect.any(String), payload: sent }]);
    expect(new Date(sandbox.records[0]?.at ?? "").toISOString()).toBe(sandbox.records[0]?.at);
  });

  test("accepts a menu as a destination if it exists", async () => {
    const sandbox = await sandboxFor();
    const to = (id: string) => ({ destination: ["extension||500101", `ivr||${id}`] });
    const missing = await create(sandbox.url, to("1"));
    expect(missing.status).toBe(422);
    expect(missing.text).toBe('{"Success":false,"Message":"destination[1]: no menu has this id"}');
    expect(sandbox.records).toHaveLength(0);
    await create(sandbox.url);
    expect((await create(sandbox.url, to("1"))).text).toBe(created);
    expect((await create(sandbox.url, { ...to("9"), timeout: "soon" })).status).toBe(400);
  });

  test.each(invalid)("refuses %j with a 400 whose Success is true", async (fields, message) => {
    const sandbox = await sandboxFor();
    const { status, text } = await create(sandbox.url, fields);
    expect(status).toBe(400);
    expect(JSON.parse(text)).toEqual({
      Success: true,
      Message: expect.stringContaining(message),
    });
    expect(sandbox.records).toEqual([]);
  });
});

describe("refusals", () => {
  const large = Buffer.alloc(2 ** 20 + 1, "a");
  const strange = JSON.stringify(payload()).replace("{", '{"__proto__":{"name":"x"},');

  test.each([
    ["not JSON", "{", 400, "The body is not JSON"],
    ["empty", "", 400, "The body is not JSON"],
    ["an array", "[]", 400, "The body is not a JSON object"],
    ["null", "null", 400, "The body is not a JSON object"],
    ["not UTF-8", Buffer.from([0x22, 0xff, 0x22]), 400, "The body is not UTF-8"],
    ["a payload with the field __proto__", strange, 400, "__proto__"],
    ["too large", large, 413, "larger than 1048576 bytes"],
  ])("a body that is %s", async (_, body, status, message) => {
    const { url } = await sandboxFor();
    const refused = await call(url, { body });
    expect(refused.status).toBe(status);
    expect(JSON.parse(refused.text).Message).toContain(message);
    // Success is true only for a payload.
    expect(JSON.parse(refused.text).Success).toBe(body === strange);
  });

  test.each([
    ["GET", "/v1/ivr", 405, "POST"],
    ["PUT", "/v1/ivr", 405, "POST"],
    ["POST", "/v1/agents", 405, "GET"],
    ["HEAD", "/v1/agents", 405, "GET"],
    ["DELETE", "/", 405, "GET, HEAD"],
    ["GET", "/v1/ivr/", 404, undefined],
    ["POST", "/api/v1/ivr", 404, undefined],
    ["GET", "/v2/agents", 404, undefined],
  ])("%s %s: %i", async (method, path, expected, allow) => {
    const { url } = await sandboxFor();
    const { status, headers, text } = await call(url, { method, path });
    expect({ status, allow: headers["allow"] }).toEqual({ status: expected, allow });
    if (method !== "HEAD") expect(JSON.parse(text)).toMatchObject({ Success: false });
  });

  const agents = { method: "GET", path: "/v1/agents" };
  test.each([
    ...["", "Bearer", "Bearer ", "Basic dTpw", "Bearer a b", "token", "Bearer wrong"].map(
      (authorization) => [{ authorization }, 401] as const,
    ),
    [{ authorization: "Bearer right" }, 200],
    [{ host: "127.0.0.1.evil.example:80" }, 421],
    [{ host: "localhost:1234" }, 200],
    [{ host: "[::1]:1234" }, 200],
  ] as const)("the header %j: %i", async (header, status) => {
    const { url } = await sandboxFor({ token: "right" });
    const headers = { authorization: "Bearer right", ...header };
    const listed = await call(url, { ...agents, headers });
    expect(listed.status).toBe(status);
    if (status === 200) return;
    expect((await call(url, { headers, body: "{}" })).status).toBe(status);
    expect(JSON.parse(listed.text)).toMatchObject({ Success: false });
    expect(listed.headers["www-authenticate"]).toBe(status === 401 ? "Bearer" : undefined);
  });

  test("the page is refused for another host too", async () => {
    const { url } = await sandboxFor();
    const headers = { host: "evil.example" };
    expect((await call(url, { method: "GET", path: "/", headers })).status).toBe(421);
  });
});

describe("agents", () => {
  test("lists the agents of agents.lock.json in the service's format", async () => {
    const { url } = await sandboxFor();
    const { status, text } = await call(url, { method: "GET", path: "/v1/agents?page=2" });
    expect(status).toBe(200);
    const agents: unknown[] = JSON.parse(text);
    const fields =
      "id name follow_me_number eid intercom calls_answered product_clicktocall team_id team_name custom_status timegroup_name timegroup_id failover_destination failover_destination_name departments".split(
        " ",
      );
    for (const agent of agents) {
      expect(agent).toMatchObject({ id: expect.any(Number), follow_me_number: expect.any(String) });
      expect(Object.keys(agent as object)).toEqual(fields);
    }
    const lock = JSON.parse(
      readFileSync(join(import.meta.dirname, "../../agents.lock.json"), "utf8"),
    );
    expect(agents.map((agent) => fromListed(ListedAgent.parse(agent)))).toEqual(lock.agents);
  });

  test("lists configured agents unchanged, and accepts only their extensions", async () => {
    const agents = [{ id: "007", name: "X", eid: 42, more: true }];
    const { url } = await sandboxFor({ agents });
    const { text } = await call(url, { method: "GET", path: "/v1/agents" });
    expect(JSON.parse(text)).toEqual(agents);
    const to = (eid: string) =>
      create(url, {
        option: [1],
        destination: [`extension||${eid}`],
        invalid_destination: `extension||${eid}`,
        timeout_destination: `extension||${eid}`,
      });
    expect([(await to("42")).status, (await to("500101")).status]).toEqual([200, 400]);
  });
});

describe("the request log", () => {
  test("has the outcome of each request, without tokens, queries and requests for the page", async () => {
    const reported: unknown[] = [];
    const sandbox = await sandboxFor({ onRequest: (request) => reported.push(request) });
    await create(sandbox.url);
    await call(sandbox.url, { method: "GET", path: "/v1/agents?token=s3cret" });
    await call(sandbox.url, { method: "GET", path: "/" });
    await call(sandbox.url, { body: "{" });
    expect(sandbox.requests).toMatchObject([
      { method: "POST", path: "/v1/ivr", name: "Front desk", status: 200, outcome: "created" },
      { method: "GET", path: "/v1/agents", name: null, status: 200, outcome: "agents listed" },
      { method: "POST", path: "/v1/ivr", name: null, status: 400, outcome: "The body is not JSON" },
    ]);
    expect(reported).toEqual(sandbox.requests);
    expect(JSON.stringify(reported)).not.toContain("s3cret");
  });
});

describe("the port", () => {
  test("refuses a port that is in use", async () => {
    const { url } = await sandboxFor();
    await expect(startSandbox({ clock, port: Number(new URL(url).port) })).rejects.toMatchObject({
      code: "EADDRINUSE",
    });
  });
});
