import { describe, expect, test } from "vitest";
import { call, create, ending, payload, sandboxFor } from "../sandbox/client.ts";
import { parseFault } from "./fault-grammar.ts";
import { FaultChooser, faultsBy } from "./faults.ts";
import { clock } from "./host.ts";
import { until } from "./project.ts";
import { stopClock } from "./waits.ts";

const plan = (seed: number, ...faults: string[]) => ({ seed, rules: faults.map(parseFault) });

describe("which requests are hit", () => {
  const names = Array.from({ length: 200 }, (_, i) => `Menu ${i}`);
  const hits = (chooser: FaultChooser, order: readonly string[]) =>
    new Set(order.filter((name) => chooser.next("create", name).fault !== undefined));

  test("the same seed hits the same requests in any order", () => {
    const faults = plan(7, "status=503 rate=0.1");
    const first = hits(new FaultChooser(faults), names);
    const again = hits(new FaultChooser(faults), names.toReversed());
    expect(again).toEqual(first);
    expect(first.size).toBeGreaterThan(8);
    expect(first.size).toBeLessThan(35);
    expect(hits(new FaultChooser({ ...faults, seed: 8 }), names)).not.toEqual(first);
  });

  test("decides separately for each try and each rule", () => {
    const chooser = new FaultChooser(plan(7, "status=503 rate=0.5"));
    expect(hits(chooser, names)).not.toEqual(hits(chooser, names));
    const both = new FaultChooser(plan(7, "latency=1 rate=0.5", "status=503 rate=0.5"));
    const chosen = names.map((name) => both.next("create", name));
    const seen = new Set(
      chosen.map(({ latency, fault }) => `${latency} ${fault === undefined ? "none" : fault.kind}`),
    );
    expect(seen).toEqual(new Set(["0 none", "1 none", "0 status", "1 status"]));
  });

  test.each([
    ["Front*", ["Front desk", "Front"], ["The Front", "front desk"]],
    ["*", ["", "a\nb"], []],
    ["M?nu", ["Menu", "M🎉nu"], ["Mnu", "Meenu"]],
    ["a.b(c)[d]{1}+^$|\\/-", ["a.b(c)[d]{1}+^$|\\/-"], ["aXb"]],
  ])("name=%s hits exactly the matching names", (name, match, others) => {
    const chooser = new FaultChooser({ seed: 1, rules: [{ kind: "silence", name }] });
    const hit = (text: string) => chooser.next("create", text).fault !== undefined;
    expect(match.filter((text) => !hit(text))).toEqual([]);
    expect(others.filter(hit)).toEqual([]);
  });

  test("counts times for each name", () => {
    const chooser = new FaultChooser(plan(1, "status=503 times=2"));
    const hit = (name: string) => chooser.next("create", name).fault !== undefined;
    expect([hit("A"), hit("A"), hit("B"), hit("A"), hit("B"), hit("B")]).toEqual([
      true,
      true,
      true,
      false,
      true,
      false,
    ]);
  });

  test("simulates the first fault that applies, after all latencies before it", () => {
    const chooser = new FaultChooser(plan(1, "latency=5", "cut name=X", "silence", "latency=1000"));
    expect(chooser.next("create", "X")).toMatchObject({ latency: 5, fault: { kind: "cut" } });
    const { latency, fault } = chooser.next("create", "Y");
    expect(latency).toBe(5);
    expect(fault).toMatchObject({ kind: "silence" });
    expect(chooser.next("agents", "")).toEqual({ latency: 0, fault: undefined, rules: [] });
  });
});

test.each([
  "",
  "boom",
  "status",
  "status=503 nmae=x",
  "status=503 rate",
  "reset=later",
  "silence on=calls",
  'silence name="a',
])("refuses %j", (text) => {
  expect(() => parseFault(text)).toThrow(/\S/);
});

describe("what the client sees", () => {
  const play = async (...faults: string[]) =>
    sandboxFor({ faults: faultsBy(plan(1, ...faults), clock) });

  test.each<[string, number | string, number]>([
    ["status=503", 503, 0],
    ["status=504 created=yes", 504, 1],
    ["reset=before", "ECONNRESET", 0],
    ["reset=before name=*", "ECONNRESET", 0],
    ["reset=after", "ECONNRESET", 0],
    ["reset=after created=yes", "ECONNRESET", 1],
    ["reset=answer", "ECONNRESET", 1],
    ["reset=answer created=no", "ECONNRESET", 0],
    ["cut", "ECONNRESET", 1],
    ["cut created=no", "ECONNRESET", 0],
    ["garbage", 200, 1],
    ["garbage created=no", 200, 0],
    ["html", 502, 0],
    ["html=504 created=yes", 504, 1],
    ["not-created", 200, 0],
    ["latency=30", 200, 1],
  ])("%s: %s, %i created", async (fault, end, count) => {
    const sandbox = await play(fault);
    expect(await ending(create(sandbox.url))).toBe(end);
    expect(sandbox.records).toHaveLength(count);
    expect(sandbox.requests).toMatchObject([
      { fault: expect.stringContaining(/^\w+/.exec(fault)?.[0] ?? "") },
    ]);
  });

  test("answers with the body of the fault", async () => {
    const { url } = await play(
      "status=429 name=A retry-after=3 message=Slow success=true",
      "status=500 name=B success=none",
      "status=500 name=C body=[]",
      "status=500 name=D",
      "not-created name=E",
      "garbage name=F",
      "html name=G",
    );
    const a = await create(url, { name: "A" });
    expect(a.headers["retry-after"]).toBe("3");
    expect(JSON.parse(a.text)).toEqual({ Success: true, Message: "Slow" });
    const body = async (name: string) => (await create(url, { name })).text;
    expect(JSON.parse(await body("B"))).not.toHaveProperty("Success");
    expect(await body("C")).toBe("[]");
    expect(JSON.parse(await body("D"))).toMatchObject({ Success: false });
    expect(JSON.parse(await body("E"))).toMatchObject({ Success: false });
    const garbage = await body("F");
    expect(() => JSON.parse(garbage)).toThrow(SyntaxError);
    expect((await create(url, { name: "G" })).headers["content-type"]).toBe("text/html");
  });

  test("half an answer has the headers and half of the body", async () => {
    for (const fault of ["cut", "reset=answer"]) {
      const { url } = await play(fault);
      const response = await fetch(`${url}/v1/ivr`, {
        method: "POST",
        headers: { authorization: "Bearer t", "content-type": "application/json" },
        body: JSON.stringify(payload()),
      });
      expect(response.status).toBe(200);
      await expect(response.text()).rejects.toThrow("terminated");
    }
  });

  test.each(["silence", "silence created=yes"])("%s: never answers", async (fault) => {
    const sandbox = await play(fault);
    const answered = ending(create(sandbox.url));
    await expect
      .poll(() => sandbox.requests, { timeout: 120_000 })
      .toMatchObject([{ status: null, fault: "silence" }]);
    // Other requests are still served.
    expect(await call(sandbox.url, { method: "GET", path: "/v1/agents" })).toMatchObject({
      status: 200,
    });
    const patience = Promise.resolve("still waiting");
    expect(await Promise.race([answered, patience])).toBe("still waiting");
    expect(sandbox.records).toHaveLength(fault === "silence" ? 0 : 1);
  });

  test("latency keeps the answer back", async () => {
    const { url, records } = await play("latency=150");
    const clock = stopClock();
    const answered = ending(create(url));
    await until(() => clock.waiting === 1);
    expect(clock.waits).toEqual([150]);
    clock.pass(149);
    expect(clock.waiting).toBe(1);
    expect(records).toEqual([]);
    clock.pass(1);
    expect(await answered).toBe(200);
  });

  test("on=agents does not hit requests that create menus", async () => {
    const { url } = await play("status=500 on=agents times=1", "cut on=agents");
    const list = () => ending(call(url, { method: "GET", path: "/v1/agents" }));
    expect([await list(), await list(), await ending(create(url))]).toEqual([
      500,
      "ECONNRESET",
      200,
    ]);
  });

  test("still refuses a request without a token or with an invalid payload", async () => {
    const { url, records } = await play("garbage");
    expect(await ending(call(url, { headers: { authorization: "" } }))).toBe(401);
    expect(await ending(create(url, { timeout: "soon" }))).toBe(400);
    expect(records).toEqual([]);
  });

  test("the same faults hit a second run", async () => {
    const run = async () => {
      const { url } = await play("status=503 rate=0.3", "reset=after rate=0.3", "garbage rate=0.3");
      return Promise.all(
        Array.from({ length: 30 }, (_, i) => ending(create(url, { name: `M${i % 10}` }))),
      ).then((endings) =>
        // Requests with the same name may arrive in any order, so only their counts are certain.
        Array.from({ length: 10 }, (_, i) =>
          endings
            .map(String)
            .filter((_, j) => j % 10 === i)
            .sort(),
        ),
      );
    };
    const first = await run();
    expect(await run()).toEqual(first);
    expect(new Set(first.flat())).toEqual(new Set(["200", "503", "ECONNRESET"]));
  });
});
