import { existsSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { quietPort } from "../../scripts/quiet-port.mjs";
import { exampleAgents } from "../../src/sandbox/agents.ts";
import { ivrctl } from "../support/commands.ts";
import { menu, namesOf, project, service, token, until } from "../support/project.ts";
import { listen } from "../support/rude-server.ts";
import { skipWaits, stopClock } from "../support/waits.ts";

describe("apply", () => {
  test("keeps the token out of everything it leaves behind", async () => {
    const { url } = await service({ faults: [`status=400 message=${token} name=B`] });
    const { run, path } = project(url, { a: menu("A"), b: menu("B") });
    await run("plan", "--out", "p.json");
    const { stdout, stderr } = await run("apply", "p.json", "--verbose");
    const kept = readdirSync(join(path, ".ivrctl/state")).map((name) =>
      readFileSync(join(path, ".ivrctl/state", name), "utf8"),
    );
    expect(kept.length).toBeGreaterThan(1);
    for (const text of [stdout, stderr, readFileSync(join(path, "p.json"), "utf8"), ...kept]) {
      expect(text).not.toContain(token);
    }
    expect(stdout).toContain("***");
  });

  test("has each intent on disk before its request arrives, in the order of keys", async () => {
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
          arrived.push({ name: JSON.parse(body).name, last: [event.kind, event.payload?.name] });
          response.end('{"Success":true}');
        });
    });
    await listen(server);
    onTestFinished(() => void server.close());
    const address = server.address();
    const url = `http://127.0.0.1:${typeof address === "object" ? address?.port : 0}`;
    const menus = Object.fromEntries(keys.toReversed().map((key) => [key, menu(`N ${key}`)]));
    const at = project(url, menus, "concurrency: 1");
    expect((await at.run("apply", "--auto-approve")).exit).toBe(0);
    const names = keys.map((key) => `N ${key}`);
    expect(arrived).toEqual(names.map((name) => ({ name, last: ["intent", name] })));
    expect(at.journal().map(({ event }) => event.kind)).toEqual([
      "begun",
      ...keys.flatMap(() => ["intent", "created"]),
    ]);
  });

  test("says nothing beside its own words with many in flight", async () => {
    const { url } = await service({ faults: ["latency=50"] });
    const keys = Array.from({ length: 40 }, (_, n) => `m${n}`);
    const menus = Object.fromEntries(keys.map((key) => [key, menu(key)]));
    const { run } = project(url, menus, "concurrency: 32");
    const { exit, stdout, stderr } = await run("apply", "--auto-approve");
    expect([exit, stdout]).toEqual([0, "test: 40 created.\n"]);
    const lines = stderr.slice(stderr.indexOf("Plan:")).trimEnd().split("\n").slice(1);
    expect(lines.sort()).toEqual(keys.map((key) => `${key}: created`).sort());
  });

  test("leaves no faster than requests_per_second says", async () => {
    const { url, records } = await service();
    const menus = Object.fromEntries(["a", "b", "c", "d"].map((key) => [key, menu(key)]));
    const { run } = project(url, menus, "concurrency: 4, requests_per_second: 1");
    const clock = stopClock();
    const applied = run("apply", "--auto-approve");
    for (let sent = 1; sent <= 4; sent += 1) {
      await until(() => records.length + clock.waiting === 4);
      expect(records).toHaveLength(sent);
      clock.pass(999);
      expect(clock.waiting).toBe(4 - sent);
      clock.pass(1);
    }
    expect((await applied).exit).toBe(0);
  });

  test.each([401, 403])("stops at %i and sends nothing more", async (status) => {
    const { url, requests } = await service({ faults: [`status=${status} message=No name=b`] });
    const menus = Object.fromEntries(["a", "b", "c", "d"].map((key) => [key, menu(key)]));
    const { json } = project(url, menus, "concurrency: 1");
    const { exit, value } = await json("apply", "--auto-approve");
    expect(exit).toBe(1);
    expect(value.summary).toMatchObject({ created: 1, failed: 1, not_attempted: 2 });
    expect(requests.filter(({ method }) => method === "POST")).toHaveLength(2);
  });

  test("lists an earlier unknown outcome without sending it, and exits with 3", async () => {
    const { url } = await service({ faults: ["cut name=A"] });
    const { json, write } = project(url, { a: menu("A") });
    await json("apply", "--auto-approve");
    write("ivrs/b.yaml", menu("B"));
    const { exit, value } = await json("apply", "--auto-approve");
    expect(exit).toBe(3);
    expect(value.results).toMatchObject([
      { key: "a", action: "unknown", outcome: "unknown", attempts: 0 },
      { key: "b", action: "create", outcome: "created", attempts: 1 },
    ]);
    // With --target, only that menu counts.
    expect((await json("apply", "--auto-approve", "--target", "b")).exit).toBe(0);
  });

  test("asks the service nothing without a terminal, --auto-approve or a plan file", async () => {
    const { url, requests } = await service();
    const { run, path } = project(url, { a: menu("A") });
    const { exit, stderr } = await run("apply");
    expect([exit, stderr]).toEqual([1, expect.stringContaining("--auto-approve")]);
    expect(requests).toEqual([]);
    expect(existsSync(join(path, ".ivrctl"))).toBe(false);
  });

  test("tries again after 429 and never after anything else", async () => {
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
    const told = value.results.map(
      ({ key, outcome, status, attempts }: Record<string, unknown>) => [
        key,
        outcome,
        status,
        attempts,
      ],
    );
    expect(told).toEqual([
      ["never", "failed", 429, 5],
      ["odd", "unknown", 503, 1],
      ["slow", "created", 200, 4],
      ["tomorrow", "failed", 429, 1],
    ]);
    expect(requests.filter(({ name }) => name === "odd")).toHaveLength(1);
    expect(namesOf(records).sort()).toEqual(["odd", "slow"]);
    const waits = journal().filter(({ event }) => event.kind === "not-processed");
    expect(waits).toHaveLength(3 + 4);
  });

  test("tells a service that cannot be reached from one that may have had it", async () => {
    const gone = await service({ port: await quietPort() });
    const { run, path } = project(gone.url, { a: menu("A") });
    writeFileSync(join(path, "agents.json"), JSON.stringify(exampleAgents()));
    await gone.close();
    const waits = skipWaits(500);
    const { exit, stdout } = await run("apply", "--auto-approve", "--agents", "agents.json");
    expect(exit).toBe(1);
    expect(stdout).toContain("no connection: it was refused (ECONNREFUSED) (tried 5 times)");
    expect(waits).toHaveLength(4);
    const again = await run("plan", "--agents", "agents.json");
    expect(again.stdout).toContain("1 to create");
  });

  test("asks a real service without a state when --new-state is given", async () => {
    const { path } = project("", { a: menu("A") });
    const env = { BASE_URL: "https://telephony.invalid", TOKEN: "t" };
    const meant = await ivrctl(["apply", "--auto-approve", "--new-state"], { cwd: path, env });
    expect(meant.stderr).not.toContain("IVR608");
    expect(meant.stderr).toContain("IVR503");
  });
});

describe("a name that has changed", () => {
  test("is brought up to date by an apply that has nothing to do, and check is content", async () => {
    const renamed = exampleAgents().map((agent) =>
      agent.eid === "500101" ? { ...agent, name: "Asha R. Rao" } : agent,
    );
    const { url } = await service();
    const { run, write, path } = project(url, { a: menu("A") });
    await run("apply", "--auto-approve");
    write("renamed.json", JSON.stringify(renamed));
    const list = ["--agents", "renamed.json"];
    expect(await run("check", ...list)).toMatchObject({ exit: 1 });
    write("ivrs/a.yaml", menu("A", "Asha R. Rao"));
    const { exit, stdout } = await run("apply", "--auto-approve", ...list);
    expect([exit, stdout]).toEqual([0, "test: nothing to do.\n"]);
    expect(await run("check", ...list)).toMatchObject({ exit: 0 });
    expect(readFileSync(join(path, ".ivrctl/state/test.journal.jsonl"), "utf8")).toContain(
      '"kind":"named"',
    );
  });
});
