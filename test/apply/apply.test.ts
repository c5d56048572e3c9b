import { writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { quietPort } from "../../scripts/quiet-port.mjs";
import { exampleAgents } from "../../src/sandbox/example-agents.ts";
import { menu, namesOf, project, service, until } from "../support/project.ts";
import { blockFiles, eventsIn } from "../support/file-log.ts";
import { skipWaits, stopClock } from "../support/waits.ts";
import { listen } from "../support/listen.ts";

describe("apply", () => {
  test("writes each intent to disk before it sends the request, in the order of keys", async () => {
    const keys = ["a", "a/b", "b", "c", "d"];
    const arrived: { name: string; last: unknown }[] = [];
    const server = createServer((request, response) => {
      if (request.method === "GET") {
        response.end(JSON.stringify(exampleAgents()));
        return;
      }
      const { event } = at.journal().at(-1);
      let body = "";
      request
        .setEncoding("utf8")
        .on("data", (chunk: string) => (body += chunk))
        .on("end", () => {
          arrived.push({ name: JSON.parse(body).name, last: [event.kind, event.menu?.name] });
          response.end('{"Success":true}');
        });
    });
    const port = await listen(server);
    const url = `http://127.0.0.1:${port}`;
    const menus = Object.fromEntries(keys.toReversed().map((key) => [key, menu(`N ${key}`)]));
    const at = project(url, menus, { service: "concurrency: 1" });
    expect((await at.run("apply", "--auto-approve")).exit).toBe(0);
    const names = keys.map((key) => `N ${key}`);
    expect(arrived).toEqual(names.map((name) => ({ name, last: ["intent", name] })));
    expect(at.journal().map(({ event }) => event.kind)).toEqual([
      "begun",
      ...keys.flatMap(() => ["intent", "outcome"]),
    ]);
  });

  test("creates many menus at the same time", async () => {
    const { url } = await service({ faults: ["latency=50"] });
    const keys = Array.from({ length: 40 }, (_, n) => `m${n}`);
    const menus = Object.fromEntries(keys.map((key) => [key, menu(key)]));
    const { run } = project(url, menus, { service: "concurrency: 32" });
    const { exit, stdout, stderr } = await run("apply", "--auto-approve");
    expect([exit, stdout]).toEqual([0, "test: 40 created.\n"]);
    const lines = stderr.slice(stderr.indexOf("Plan:")).trimEnd().split("\n").slice(1);
    expect(lines.sort()).toEqual(keys.map((key) => `${key}: created`).sort());
  });

  test("sends no faster than requests_per_second", async () => {
    const { url, records } = await service();
    const menus = Object.fromEntries(["a", "b", "c", "d"].map((key) => [key, menu(key)]));
    const { run } = project(url, menus, { service: "concurrency: 4, requests_per_second: 1" });
    const clock = stopClock();
    const applied = run("apply", "--auto-approve");
    // The request for the agent list counts, too.
    for (let sent = 0; sent < 4; sent += 1) {
      await until(() => records.length + clock.waiting === 4);
      expect(records).toHaveLength(sent);
      clock.pass(999);
      expect(clock.waiting).toBe(4 - sent);
      clock.pass(1);
    }
    expect((await applied).exit).toBe(0);
  });

  test("tries again only after HTTP 429", async () => {
    const { url, records, requests } = await service({
      faults: [
        "status=429 retry-after=0 name=slow times=3",
        "status=429 retry-after=0 name=never",
        "status=429 retry-after=3600 name=tomorrow",
        "html=503 name=odd created=yes",
      ],
    });
    skipWaits(100);
    const names = ["slow", "never", "tomorrow", "odd"];
    const { json, journal } = project(url, Object.fromEntries(names.map((n) => [n, menu(n)])));
    const { exit, value } = await json("apply", "--auto-approve");
    expect(exit).toBe(3);
    const results = value.results.map(
      ({ key, outcome, status, attempts }: Record<string, unknown>) => [
        key,
        outcome,
        status,
        attempts,
      ],
    );
    expect(results).toEqual([
      ["never", "failed", 429, 5],
      ["odd", "unknown", 503, 1],
      ["slow", "created", 200, 4],
      ["tomorrow", "failed", 429, 1],
    ]);
    expect(requests.filter(({ name }) => name === "odd")).toHaveLength(1);
    expect(namesOf(records)).toEqual(["odd", "slow"]);
    const refused = journal().filter(({ event }) => event.status === 429);
    expect(refused).toHaveLength(5 + 3 + 1);
  });

  test("does not record an unknown outcome if it cannot connect", async () => {
    const gone = await service({ port: await quietPort() });
    const { run, path } = project(gone.url, { a: menu("A") });
    writeFileSync(join(path, "agents.json"), JSON.stringify(exampleAgents()));
    await gone.close();
    const waits = skipWaits(500);
    const { exit, stdout } = await run("apply", "--auto-approve", "--agents", "agents.json");
    expect(exit).toBe(1);
    expect(stdout).toContain("cannot connect: connection refused (ECONNREFUSED); tried 5 times");
    expect(waits).toHaveLength(4);
    const again = await run("plan", "--agents", "agents.json");
    expect(again.stdout).toContain("1 to create");
  });
});

describe("a changed name", () => {
  test("is updated in the state by an apply with nothing to do", async () => {
    const renamed = exampleAgents().map((agent) =>
      agent.eid === "500101" ? { ...agent, name: "Asha R. Rao" } : agent,
    );
    const { url } = await service();
    const { run, write, path } = project(url, { a: menu("A") });
    await run("apply", "--auto-approve");
    write("renamed.json", JSON.stringify(renamed));
    const list = ["--agents", "renamed.json"];
    expect(await run("plan", ...list)).toMatchObject({ exit: 1 });
    write("ivrs/a.yaml", menu("A", "Asha R. Rao"));
    const { exit, stdout } = await run("apply", "--auto-approve", ...list);
    expect([exit, stdout]).toEqual([0, "test: nothing to do.\n"]);
    expect(eventsIn(path)).toContain('"kind":"named"');
  });
});

describe("an apply that sends and records nothing", () => {
  test("writes no block, not even for its lock", async () => {
    const { url, requests } = await service();
    const { run, write, path } = project(url, { a: menu("A") });
    await run("apply", "--auto-approve");
    await run("plan", "--out", "plan.json");
    const before = blockFiles(path);
    const { exit, stdout } = await run("apply", "--auto-approve");
    expect([exit, stdout]).toEqual([0, "test: nothing to do.\n"]);
    expect((await run("apply", "plan.json")).exit).toBe(0);
    write("ivrs/a.yaml", menu("A", "Nobody"));
    expect((await run("apply", "--auto-approve")).exit).toBe(1);
    expect(blockFiles(path)).toEqual(before);
    // What was read before the lock is not read again.
    write("ivrs/a.yaml", menu("A"));
    write("ivrs/b.yaml", menu("B"));
    const earlier = requests.length;
    expect((await run("apply", "--auto-approve")).exit).toBe(0);
    expect(requests.slice(earlier).map(({ method }) => method)).toEqual(["GET", "POST"]);
    expect(blockFiles(path)).toHaveLength(before.length + 4);
  });
});
