import { execFileSync, spawn } from "node:child_process";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  writeFileSync,
} from "node:fs";
import { createServer } from "node:http";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, onTestFinished, test } from "vitest";
import { playAgents } from "../../src/sandbox/agents.ts";
import { command, ivrctl } from "../support/cli.ts";
import { listen } from "../support/rude-server.ts";
import { menu, project, service, token, until } from "../support/project.ts";

const namesOf = (records: readonly { payload: { name: string } }[]) =>
  records.map(({ payload }) => payload.name);

describe("apply", () => {
  test("prints the JSON that the contract names", async () => {
    const { url } = await service({ faults: ["status=400 message=Bad name=B"] });
    const { json } = project(url, { a: menu("A"), b: menu("B") });
    const { exit, value } = await json("apply", "--auto-approve");
    expect(exit).toBe(1);
    expect(value).toEqual({
      format_version: "1.0",
      environment: "test",
      summary: {
        created: 1,
        failed: 1,
        unknown: 0,
        not_attempted: 0,
        moved: 0,
        forgotten: 0,
        restored: 0,
      },
      results: [
        {
          key: "a",
          name: "A",
          action: "create",
          outcome: "created",
          status: 200,
          message: "IVR created successfully",
          attempts: 1,
        },
        {
          key: "b",
          name: "B",
          action: "create",
          outcome: "failed",
          status: 400,
          message: "Bad",
          attempts: 1,
        },
      ],
      follow_ups: [],
      diagnostics: [],
    });
  });

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
        response.end(JSON.stringify(playAgents()));
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

  test("keeps to the concurrency that is set", async () => {
    const menus = Object.fromEntries(["a", "b", "c", "d", "e"].map((key) => [key, menu(key)]));
    const { url } = await service({ faults: ["silence"] });
    const { start, run, journal, path } = project(url, menus, "timeout: 30, concurrency: 3");
    const { child, finished } = start("apply", "--auto-approve");
    await until(() => existsSync(join(path, ".ivrctl/state/test.journal.jsonl")));
    await until(() => journal().length >= 4);
    await sleep(200);
    child.kill("SIGKILL");
    await finished;
    const { stdout } = await run("plan");
    expect(stdout).toContain("Plan: 2 to create, 3 unknown; 0 unchanged.");
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
    const { url, requests } = await service();
    const menus = Object.fromEntries(["a", "b", "c", "d"].map((key) => [key, menu(key)]));
    const { run } = project(url, menus, "concurrency: 4, requests_per_second: 5");
    await run("apply", "--auto-approve");
    const times = requests.filter(({ name }) => name !== null).map(({ at }) => Date.parse(at));
    expect(times).toHaveLength(4);
    expect(Math.max(...times) - Math.min(...times)).toBeGreaterThan(450);
  });

  test("stops at 401 and attempts nothing further", async () => {
    const { url, requests } = await service({ faults: ["status=401 message=No name=b"] });
    const menus = Object.fromEntries(["a", "b", "c", "d"].map((key) => [key, menu(key)]));
    const { json } = project(url, menus, "concurrency: 1");
    const { exit, value } = await json("apply", "--auto-approve");
    expect(exit).toBe(1);
    expect(value.summary).toMatchObject({ created: 1, failed: 1, not_attempted: 2 });
    expect(requests.filter(({ method }) => method === "POST")).toHaveLength(2);
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
    const gone = await service();
    const { run, path } = project(gone.url, { a: menu("A") });
    writeFileSync(join(path, "agents.json"), JSON.stringify(playAgents()));
    await gone.close();
    const { exit, stdout } = await run("apply", "--auto-approve", "--agents", "agents.json");
    expect(exit).toBe(1);
    expect(stdout).toContain("no connection: it was refused (ECONNREFUSED) (tried 5 times)");
    const again = await run("plan", "--agents", "agents.json");
    expect(again.stdout).toContain("1 to create");
  });

  test("says a line a menu without a terminal, and a summary from what is on record", async () => {
    const { url } = await service({ faults: ["status=400 message=Bad name=B", "cut name=C"] });
    const { run } = project(url, { a: menu("A"), b: menu("B"), c: menu("C") }, "concurrency: 1");
    const { stdout, stderr } = await run("apply", "--auto-approve");
    expect(stderr).toContain("\na: created\nb: failed (HTTP 400: Bad)\nc: unknown (");
    expect(stdout).toContain("test: 1 created, 1 failed, 1 unknown.");
    expect(stdout).toContain("ivrctl state resolve c --created");
    const quiet = await run("apply", "--auto-approve", "--quiet");
    expect([quiet.exit, quiet.stdout, quiet.stderr]).toEqual([3, "", ""]);
  });

  test("lists an earlier unknown with no attempt, and ends with 3", async () => {
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
    // Narrowed to what is known, it is fine.
    expect((await json("apply", "--auto-approve", "--target", "b")).exit).toBe(0);
  });

  test("moves, forgets and restores in the state alone", async () => {
    const { url, requests } = await service();
    const { json, write, remove } = project(url, { a: menu("A"), b: menu("B") });
    await json("apply", "--auto-approve");
    const before = requests.filter(({ method }) => method === "POST").length;
    remove("ivrs/a.yaml");
    write("ivrs/c.yaml", `moved_from: a\n${menu("A")}`);
    remove("ivrs/b.yaml");
    const first = await json("apply", "--auto-approve");
    expect(first).toMatchObject({ exit: 0, value: { summary: { moved: 1, forgotten: 1 } } });
    expect(first.value.follow_ups).toMatchObject([{ key: "b", name: "B", reason: "removed" }]);
    expect(Object.keys(first.value.follow_ups[0])).toEqual([
      "id",
      "key",
      "name",
      "reason",
      "created_at",
      "payload",
    ]);
    write("ivrs/b.yaml", menu("B"));
    const second = await json("apply", "--auto-approve");
    expect(second).toMatchObject({ exit: 0, value: { summary: { restored: 1 }, follow_ups: [] } });
    expect(requests.filter(({ method }) => method === "POST")).toHaveLength(before);
  });

  test("carries a record over with a change, and keeps it where the replace fails", async () => {
    const { url } = await service({ faults: ["status=400 name=A2 times=1"] });
    const { json, write, remove } = project(url, { a: menu("A") });
    await json("apply", "--auto-approve");
    remove("ivrs/a.yaml");
    write("ivrs/b.yaml", `moved_from: a\n${menu("A2")}`);
    expect((await json("apply", "--auto-approve")).value.summary).toMatchObject({ failed: 1 });
    const { value } = await json("plan");
    expect(value.changes).toMatchObject([
      { key: "b", action: "replace", before: { name: "A" }, after: { name: "A2" } },
    ]);
    const done = await json("apply", "--auto-approve");
    expect(done).toMatchObject({ exit: 0, value: { follow_ups: [{ key: "b", name: "A" }] } });
  });

  test("does nothing and writes nothing where there is nothing to do", async () => {
    const { url } = await service();
    const { run, journal } = project(url, { a: menu("A") });
    await run("apply", "--auto-approve");
    const before = journal().length;
    const { exit, stdout } = await run("apply", "--auto-approve");
    expect([exit, stdout]).toEqual([0, "test: nothing to do.\n"]);
    expect(journal()).toHaveLength(before);
  });

  test("refuses a real service without a state, before it asks it anything", async () => {
    const { path } = project("", { a: menu("A") });
    const env = { BASE_URL: "https://telephony.invalid", TOKEN: "t" };
    const refused = await ivrctl(["apply", "--auto-approve"], { cwd: path, env });
    expect([refused.exit, refused.stderr]).toEqual([1, expect.stringContaining("IVR608")]);
    const meant = await ivrctl(["apply", "--auto-approve", "--new-state"], { cwd: path, env });
    expect(meant.stderr).not.toContain("IVR608");
    expect(meant.stderr).toContain("IVR503");
    const list = ["apply", "--auto-approve", "--new-state", "--agents", "agents.json"];
    const agents = await ivrctl(list, { cwd: path, env });
    expect([agents.exit, agents.stderr]).toEqual([1, expect.stringContaining("--agents is for")]);
  });

  test("refuses at once without a terminal, --auto-approve or a plan", async () => {
    const { url, requests } = await service();
    const { run, path } = project(url, { a: menu("A") });
    const { exit, stderr } = await run("apply");
    expect([exit, stderr]).toEqual([1, expect.stringContaining("--auto-approve")]);
    expect(requests).toEqual([]);
    expect(existsSync(join(path, ".ivrctl"))).toBe(false);
  });
});

describe("a plan file", () => {
  async function planned() {
    const at = await service();
    const own = project(at.url, { a: menu("A"), b: menu("B") });
    expect((await own.run("plan", "--out", "p.json")).exit).toBe(0);
    const refusal = async (env = {}, ...more: string[]) => {
      const options = { cwd: own.path, env: { ...own.env, ...env } };
      const { exit, stderr } = await ivrctl(["apply", "p.json", ...more], options);
      expect(exit).toBe(1);
      expect(at.records).toEqual([]);
      return stderr;
    };
    return { ...own, at, refusal };
  }

  test("is applied without a question, and good for one apply", async () => {
    const { run, at } = await planned();
    expect((await run("apply", "p.json")).exit).toBe(0);
    expect(namesOf(at.records)).toEqual(["A", "B"]);
    const { exit, stderr } = await run("apply", "p.json");
    expect([exit, stderr]).toEqual([1, expect.stringContaining("there was no state then")]);
    expect(at.records).toHaveLength(2);
  });

  test("is good for one apply also where that failed", async () => {
    const at = await service({ faults: ["status=400"] });
    const { run } = project(at.url, { a: menu("A") });
    await run("plan", "--out", "p.json");
    expect((await run("apply", "p.json")).exit).toBe(1);
    expect((await run("apply", "p.json")).stderr).toContain("IVR622");
  });

  test("that another run overtook is refused", async () => {
    const { run, at, write } = await planned();
    await run("apply", "--auto-approve", "--target", "a");
    await run("plan", "--out", "q.json");
    write("ivrs/a.yaml", menu("A", "Front Desk"));
    await run("apply", "--auto-approve", "--target", "a");
    write("ivrs/a.yaml", menu("A"));
    const { exit, stderr } = await run("apply", "q.json");
    expect([exit, stderr]).toEqual([1, expect.stringMatching(/IVR622.*from serial 3 to serial 5/)]);
    expect(namesOf(at.records)).toEqual(["A", "A"]);
  });

  test.each<[string, (text: string) => string]>([
    ["a payload", (text) => text.replace("extension||500101", "extension||500103")],
    ["a digest", (text) => text.replace(/"digest": "[0-9a-f]/, '"digest": "x')],
    ["the state", (text) => text.replace('"serial": 0', '"serial": 1')],
    ["half of it", (text) => text.slice(0, text.length / 2)],
    ["all of it", () => "{}"],
    ["not even JSON", () => "plan"],
  ])("that was altered is refused: %s", async (_, alter) => {
    const { path, refusal } = await planned();
    const file = join(path, "p.json");
    writeFileSync(file, alter(readFileSync(file, "utf8")));
    expect(await refusal()).toContain("IVR621");
  });

  test("laid out otherwise is the same plan", async () => {
    const { run, path } = await planned();
    const file = join(path, "p.json");
    writeFileSync(file, JSON.stringify(JSON.parse(readFileSync(file, "utf8"))));
    expect((await run("apply", "p.json")).exit).toBe(0);
  });

  test("of a newer version is refused as such", async () => {
    const { path, refusal } = await planned();
    const file = join(path, "p.json");
    writeFileSync(file, readFileSync(file, "utf8").replace('"version": 1', '"version": 2'));
    expect(await refusal()).toContain("IVR602");
  });

  test("for another address is refused", async () => {
    const { refusal } = await planned();
    const other = await service();
    expect(await refusal({ BASE_URL: other.url })).toContain("IVR623");
    expect(other.records).toEqual([]);
  });

  test("for another environment is refused; its own need not be named", async () => {
    const { refusal, path, env } = await planned();
    expect(await refusal({ IVRCTL_ENV: "other" })).toContain("IVR623");
    expect(await refusal({}, "--env", "other")).toContain("IVR623");
    const config = readFileSync(join(path, "ivrctl.yaml"), "utf8");
    const without = config.replace("default_environment: test\n", "");
    writeFileSync(join(path, "ivrctl.yaml"), without);
    expect(
      (await ivrctl(["plan", "--env", "test", "--out", "p.json"], { cwd: path, env })).exit,
    ).toBe(0);
    expect((await ivrctl(["apply", "p.json"], { cwd: path, env })).exit).toBe(0);
  });

  test("says which files moved since", async () => {
    const { refusal, write, remove } = await planned();
    write("ivrs/a.yaml", `${menu("A")}# a word more\n`);
    remove("ivrs/b.yaml");
    write("ivrs/c.yaml", menu("C"));
    const stderr = await refusal();
    expect(stderr).toContain("IVR624");
    expect(stderr).toContain("ivrs/a.yaml has changed, ivrs/c.yaml is new, ivrs/b.yaml is gone");
  });

  test("made from another configuration is refused", async () => {
    const { refusal, write, path } = await planned();
    write("ivrctl.yaml", `${readFileSync(join(path, "ivrctl.yaml"), "utf8")}max_creates: 9\n`);
    expect(await refusal()).toContain("ivrctl.yaml has changed");
  });

  test("needs no menus on disk", async () => {
    const { run, remove, at } = await planned();
    remove("ivrs/a.yaml");
    remove("ivrs/b.yaml");
    expect((await run("apply", "p.json")).exit).toBe(0);
    expect(at.records).toHaveLength(2);
  });

  test.each<[string, (agents: ReturnType<typeof playAgents>) => object[], string]>([
    ["gone", ([, ...others]) => others, "is gone"],
    ["blocked", ([asha, ...others]) => [{ ...asha, custom_status: 1 }, ...others], "is blocked"],
    [
      "called otherwise",
      ([asha, ...rest]) => [{ ...asha, name: "Asha R." }, ...rest],
      "now called",
    ],
    ["with another extension", ([asha, ...rest]) => [{ ...asha, eid: "1" }, ...rest], "instead of"],
    [
      "one of two by that name",
      ([asha, ...rest]) => [asha, ...rest, { ...asha, eid: "1" }] as object[],
      "now fits 2 agents",
    ],
  ])("that routes to an agent who is %s by now is refused", async (_, change, words) => {
    const { refusal, write } = await planned();
    write("agents.json", JSON.stringify(change(playAgents())));
    const stderr = await refusal({}, "--agents", "agents.json");
    expect(stderr).toContain("IVR625");
    expect(stderr).toContain(`a, key 1: `);
    expect(stderr).toContain(words);
  });

  test("bears a change of other agents, and of other fields", async () => {
    const { run, write } = await planned();
    const [asha, ravi, ...rest] = playAgents();
    const agents = [{ ...asha, team_name: "Elsewhere", intercom: "1" }, ...rest];
    write("agents.json", JSON.stringify(agents));
    expect(ravi?.name).toBe("Ravi Kumar");
    expect((await run("apply", "p.json", "--agents", "agents.json")).exit).toBe(0);
  });

  test("takes no --target", async () => {
    const { refusal } = await planned();
    expect(await refusal({}, "--target", "a")).toContain("--target");
  });

  test("is held to --max-creates too", async () => {
    const { refusal } = await planned();
    expect(await refusal({}, "--max-creates", "1")).toContain("IVR612");
  });

  test("that is not there is told", async () => {
    const { url } = await service();
    const { run } = project(url, { a: menu("A") });
    const { exit, stderr } = await run("apply", "nowhere.json");
    expect([exit, stderr]).toEqual([1, expect.stringContaining("nowhere.json cannot be read")]);
  });
});

describe("interrupted", () => {
  const menus = Object.fromEntries(["a", "b", "c"].map((key) => [key, menu(key)]));

  test.each(["SIGINT", "SIGTERM"] as const)(
    "by %s once: what is in flight finishes",
    async (signal) => {
      const { url, records } = await service({ faults: ["latency=1500"] });
      const { start, journal, path, json } = project(url, menus, "concurrency: 1, timeout: 10");
      const { child, finished } = start("apply", "--auto-approve", "--format", "json");
      await until(() => hasIntent(path));
      await sleep(300);
      child.kill(signal);
      const { exit, stdout, stderr } = await finished;
      expect(exit).toBe(130);
      expect(JSON.parse(stdout).summary).toMatchObject({ created: 1, not_attempted: 2 });
      expect(stderr).toContain("Interrupted");
      expect(records).toHaveLength(1);
      expect(journal().at(-1).event.kind).toBe("created");
      expect((await json("plan")).value.summary).toMatchObject({ create: 2, unchanged: 1 });
    },
  );

  test("twice: it stops at once, and what was in flight is unknown", async () => {
    const { url } = await service({ faults: ["silence"] });
    const { start, path, json } = project(url, menus, "concurrency: 2, timeout: 300");
    const { child, finished } = start("apply", "--auto-approve", "--format", "json");
    await until(() => hasIntent(path));
    child.kill("SIGINT");
    await sleep(200);
    child.kill("SIGINT");
    const { exit, stdout } = await finished;
    expect(exit).toBe(3);
    expect(JSON.parse(stdout).summary).toMatchObject({ unknown: 2, not_attempted: 1 });
    expect((await json("plan")).value.summary).toMatchObject({ create: 1, unknown: 2 });
  });

  test("while it waits to try again: not processed, so not unknown", async () => {
    const { url, requests } = await service({ faults: ["status=429 retry-after=20"] });
    const { start, json } = project(url, { a: menu("a") });
    const { child, finished } = start("apply", "--auto-approve", "--format", "json");
    await until(() => requests.some(({ status }) => status === 429));
    await sleep(200);
    child.kill("SIGINT");
    const { exit, stdout } = await finished;
    expect(exit).toBe(130);
    expect(JSON.parse(stdout).results).toMatchObject([{ outcome: "failed", attempts: 1 }]);
    expect((await json("plan")).value.summary).toMatchObject({ create: 1, unknown: 0 });
  });

  test("by kill -9: the next run takes the lock over, and sends nothing again", async () => {
    const { url, requests } = await service({
      faults: ["silence created=yes name=a", "silence name=b"],
    });
    const { start, run, path, json } = project(url, menus, "concurrency: 2, timeout: 300");
    const { child, finished } = start("apply", "--auto-approve");
    await until(() => requests.length > 0 && hasIntent(path));
    await sleep(200);
    child.kill("SIGKILL");
    await finished;
    expect(existsSync(join(path, ".ivrctl/state/test.lock"))).toBe(true);
    const before = await json("plan");
    expect(before.value.summary).toMatchObject({ create: 1, unknown: 2 });
    const { exit, stderr } = await run("apply", "--auto-approve");
    expect(exit).toBe(3);
    expect(stderr).toMatch(/lock/);
    expect(existsSync(join(path, ".ivrctl/state/test.lock"))).toBe(false);
    const sent = requests.flatMap(({ name }) => name ?? []);
    expect(new Set(sent).size).toBe(sent.length);
  });
});

describe("the lock", () => {
  test("keeps a second run out, with who holds it, and exit code 4", async () => {
    const { url } = await service({ faults: ["silence"] });
    const { start, run, path, json } = project(url, { a: menu("A") }, "timeout: 300");
    const { child, finished } = start("apply", "--auto-approve", "--lock-id", "job-17");
    await until(() => hasIntent(path));
    const text = await run("apply", "--auto-approve");
    expect(text.exit).toBe(4);
    expect(text.stderr).toContain("IVR601");
    expect(text.stderr).toContain("job-17");
    expect(text.stderr).toContain(`process ${child.pid}`);
    const { exit, value } = await json("apply", "--auto-approve");
    expect(exit).toBe(4);
    expect(value.diagnostics).toMatchObject([{ code: "IVR601" }]);
    child.kill("SIGKILL");
    await finished;
  });

  test("is waited for as long as --lock-timeout says", async () => {
    const { url, records } = await service({ faults: ["latency=600"] });
    const { start, run, path } = project(url, { a: menu("A") });
    const { finished } = start("apply", "--auto-approve");
    await until(() => hasIntent(path));
    const second = await run("apply", "--auto-approve", "--lock-timeout", "20");
    expect(second).toMatchObject({ exit: 0, stdout: "test: nothing to do.\n" });
    await finished;
    expect(records).toHaveLength(1);
    const wrong = await run("apply", "--auto-approve", "--lock-timeout", "soon");
    expect([wrong.exit, wrong.stderr]).toEqual([1, expect.stringContaining("--lock-timeout")]);
  });
});

describe("a state that cannot be written", () => {
  test("before the first request: nothing is sent", async () => {
    const { url, requests } = await service();
    const { run, path } = project(url, { a: menu("A") });
    mkdirSync(join(path, ".ivrctl"));
    writeFileSync(join(path, ".ivrctl/state"), "a file where the folder should be");
    const { exit, stderr } = await run("apply", "--auto-approve");
    expect([exit, stderr]).toEqual([1, expect.stringContaining("IVR604")]);
    expect(requests.filter(({ method }) => method === "POST")).toEqual([]);
  });

  test("in mid-run: no further request leaves, and what is known is printed", async () => {
    const { url, requests, records } = await service({ faults: ["latency=300 name=A1"] });
    const menus = Object.fromEntries(
      Array.from({ length: 30 }, (_, n) => [`m${String(n).padStart(2, "0")}`, menu(`A${n}`)]),
    );
    const { path, env, run } = project(url, menus, "concurrency: 2");
    // Files of this process may not grow beyond 8 KiB: the journal stops in the midst.
    const limited = `ulimit -f 8; exec "${process.execPath}" "${command}" apply --auto-approve`;
    const child = spawn("bash", ["-c", limited], { cwd: path, env: { ...process.env, ...env } });
    let [stdout, stderr] = ["", ""];
    child.stdout.setEncoding("utf8").on("data", (chunk: string) => (stdout += chunk));
    child.stderr.setEncoding("utf8").on("data", (chunk: string) => (stderr += chunk));
    const exit = await new Promise((resolve) => child.on("close", resolve));
    expect(stderr).toContain("IVR604");
    expect(stdout).toContain("not attempted");
    expect([1, 3]).toContain(exit);
    const sent = requests.filter(({ method }) => method === "POST").length;
    expect(sent).toBeLessThan(30);
    // Whatever the service has is known: as current, or as unknown.
    const { stdout: plan } = await run("plan", "--format", "json");
    const { summary } = JSON.parse(plan);
    expect(summary.unchanged + summary.unknown).toBe(records.length);
    expect(exit).toBe(summary.unknown > 0 ? 3 : 1);
    for (const [line] of stderr.matchAll(
      /ivrctl state resolve \S+ --created --evidence '[^']*'/g,
    )) {
      execFileSync("sh", ["-c", line.replace("ivrctl", `"${process.execPath}" "${command}"`)], {
        cwd: path,
        env: { ...process.env, ...env },
      });
    }
    const after = JSON.parse((await run("plan", "--format", "json")).stdout);
    expect(after.summary.unchanged).toBe(records.length);
  });

  test("a read-only state folder is told, and nothing is sent", async ({ skip }) => {
    skip(process.getuid?.() === 0, "root may write everywhere");
    const { url, requests } = await service();
    const { run, path } = project(url, { a: menu("A") });
    mkdirSync(join(path, ".ivrctl"));
    chmodSync(join(path, ".ivrctl"), 0o500);
    expect((await run("apply", "--auto-approve")).stderr).toContain("IVR604");
    expect(requests.filter(({ method }) => method === "POST")).toEqual([]);
  });
});

describe("at a terminal", () => {
  /** What a person sees who types this. */
  function typed(cwd: string, env: Record<string, string>, answer: string, ...args: string[]) {
    const words = [process.execPath, command, ...args].map((word) => `'${word}'`).join(" ");
    return spawnTerminal(words, cwd, env, answer);
  }

  test("shows the plan, asks, and takes only yes for one", async () => {
    const { url, records } = await service();
    const { path, env } = project(url, { a: menu("A") });
    for (const answer of ["no\n", "y\n", "\n"]) {
      const { exit, screen } = await typed(path, env, answer, "apply");
      expect(exit).toBe(1);
      expect(screen).toContain("1 to create");
      expect(screen).toContain(`Apply this to test (${url})?`);
      expect(screen).toContain("Nothing was applied.");
    }
    expect(records).toHaveLength(0);
    const { exit, screen } = await typed(path, env, "yes\n", "apply");
    expect(exit).toBe(0);
    expect(screen).toContain("1 created.");
    expect(records).toHaveLength(1);
  });

  test("Ctrl-C at the question is 130, and leaves no lock", async () => {
    const { url, records } = await service();
    const { path, env } = project(url, { a: menu("A") });
    const { exit } = await typed(path, env, "\u0003", "apply");
    expect(exit).toBe(130);
    expect(records).toHaveLength(0);
    expect(existsSync(join(path, ".ivrctl/state/test.lock"))).toBe(false);
  });

  test("draws how far it is, in colour", async () => {
    const { url } = await service({ faults: ["latency=100"] });
    const { path, env } = project(url, { a: menu("A"), b: menu("B") });
    const { screen } = await typed(path, env, "yes\n", "apply");
    expect(screen).toContain("in flight: a, b");
    expect(screen).toContain("\u001B[32mcreated\u001B[39m");
  });
});

async function spawnTerminal(
  words: string,
  cwd: string,
  env: Record<string, string>,
  answer: string,
) {
  const child = spawn("script", ["-qec", words, "/dev/null"], {
    cwd,
    env: { PATH: process.env["PATH"], TERM: "xterm", ...env },
  });
  let screen = "";
  child.stdout.setEncoding("utf8").on("data", (chunk: string) => {
    screen += chunk;
    if (screen.includes("Only yes is taken as one: ") && !child.stdin.writableEnded) {
      child.stdin.end(answer);
    }
  });
  const exit = await new Promise((resolve) => child.on("close", resolve));
  return { exit, screen };
}

function hasIntent(path: string): boolean {
  const file = join(path, ".ivrctl/state/test.journal.jsonl");
  return existsSync(file) && readFileSync(file, "utf8").includes('"kind":"intent"');
}
