import { expect, test } from "vitest";
import { readFaults } from "../../src/sandbox/faults.ts";
import { call, create, ending, sandboxFor } from "./client.ts";

const faulty = async (...texts: string[]) =>
  sandboxFor({ faults: readFaults(texts), operations: ["update", "delete"] });

test.each<[string, number | string, number]>([
  ["cut", "ECONNRESET", 1],
  ["503", 503, 0],
  ["200", 200, 0],
  ["cut:Front*", "ECONNRESET", 1],
  ["422:Front desk", 422, 0],
  ["422:front*", 200, 1],
  ["cut:desk", 200, 1],
])("--fault %s: %s, %i created", async (fault, end, count) => {
  const sandbox = await faulty(fault);
  expect(await ending(create(sandbox.url))).toBe(end);
  expect(sandbox.records).toHaveLength(count);
});

test("the first fault that matches hits writes of every kind, and no list", async () => {
  const { url, requests } = await faulty("503:Sales", "429");
  const status = async (method: string, path: string) => {
    const body = method === "PUT" ? "{}" : "";
    return ending(call(url, { method, path, body }));
  };
  expect(await ending(create(url, { name: "Sales" }))).toBe(503);
  expect(await ending(create(url, { name: "Sales line" }))).toBe(429);
  expect(await status("PUT", "/v1/ivr/1")).toBe(429);
  expect(await status("DELETE", "/v1/ivr/1")).toBe(429);
  expect(await status("GET", "/v1/agents")).toBe(200);
  expect(requests.map(({ fault }) => fault)).toEqual(["503:Sales", "429", "429", "429", undefined]);
});

test("silence: never answers, and creates nothing", async () => {
  const sandbox = await faulty("silence");
  const answered = ending(create(sandbox.url));
  await expect
    .poll(() => sandbox.requests, { timeout: 120_000 })
    .toMatchObject([{ status: null, fault: "silence" }]);
  const patience = Promise.resolve("still waiting");
  expect(await Promise.race([answered, patience])).toBe("still waiting");
  expect(sandbox.records).toEqual([]);
});

test("still refuses a request without a token or with an invalid payload", async () => {
  const { url, records } = await faulty("cut");
  expect(await ending(call(url, { headers: { authorization: "" } }))).toBe(401);
  expect(await ending(create(url, { timeout: "soon" }))).toBe(400);
  expect(records).toEqual([]);
});

test.each(["", "boom", "99", "600", "503:", "cut name=x", "status=503"])("refuses %j", (text) => {
  expect(() => readFaults([text])).toThrow(`does not accept \`${text}\``);
});
