import {
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { playAgents } from "../../src/sandbox/agents.ts";
import { folder } from "../support/cli.ts";
import { ivrctl } from "../support/commands.ts";
import { menu, project, service, token } from "../support/project.ts";

describe("plan", () => {
  test("prints the JSON that the contract names, and writes nothing", async () => {
    const { url } = await service();
    const { json, path } = project(url, { b: menu("B"), "a/x": menu("A") });
    const { exit, value } = await json("plan");
    expect(exit).toBe(0);
    expect(Object.keys(value)).toEqual([
      "format_version",
      "environment",
      "state",
      "summary",
      "changes",
      "follow_ups",
      "diagnostics",
    ]);
    expect(value).toMatchObject({
      format_version: "1.0",
      environment: "test",
      state: { lineage: null, serial: 0 },
      summary: { create: 2, replace: 0, move: 0, forget: 0, restore: 0, unknown: 0, unchanged: 0 },
      follow_ups: [],
      diagnostics: [],
    });
    expect(value.changes.map(({ key }: { key: string }) => key)).toEqual(["a/x", "b"]);
    const [{ after, ...first }] = value.changes;
    expect(first).toEqual({ key: "a/x", name: "A", action: "create", before: null, diff: [] });
    expect(after).toMatchObject({ name: "A", option: ["1"], destination: ["extension||500101"] });
    expect(readdirSync(path).sort()).toEqual(["ivrctl.yaml", "ivrs"]);
  });

  test("tells which state there is, and the open follow-ups, also where the menus are at fault", async () => {
    const { url } = await service();
    const { run, json, write, remove } = project(url, { a: menu("A"), b: menu("B") });
    await run("apply", "--auto-approve");
    remove("ivrs/b.yaml");
    await run("apply", "--auto-approve");
    const { state, follow_ups: open } = (await json("plan")).value;
    write("ivrs/a.yaml", menu("A", "Nobody"));
    const { exit, value } = await json("plan");
    expect(exit).toBe(1);
    expect(value.state).toEqual({ lineage: state.lineage, serial: state.serial });
    expect(value.follow_ups).toEqual(open);
    expect(open).toMatchObject([{ key: "b", reason: "removed" }]);
  });

  test("shows a change as people think of it, and the wire under --verbose", async () => {
    const { url } = await service();
    const { run, write } = project(url, { desk: menu("Desk") });
    await run("apply", "--auto-approve");
    write(
      "ivrs/desk.yaml",
      menu("Desk", "Front Desk")
        .replace(
          "{ 1: Front Desk }",
          '{ 1: Front Desk, 2: { for: Sales, agent: Asha Rao }, "*": Asha Rao }',
        )
        .replace("wait: 5", "wait: 7"),
    );
    const plain = await run("plan");
    expect(plain.stdout).toMatchInlineSnapshot(`
      "~ replace  desk  “Desk”
          key 1:         Asha Rao → Front Desk
          key 2 (Sales): Asha Rao, new
          key *:         Asha Rao, new
          timeout.wait:  5 → 7
          note:          A second record is created; callers stay on the old one until
                         its number is pointed at the new one.

      Plan: 1 to replace; 0 unchanged.
      "
    `);
    const verbose = await run("plan", "--verbose");
    expect(verbose.stdout).toContain('    -   "timeout": "5",\n    +   "timeout": "7",\n');
  });

  test("says with an exit code whether there is something to do, when asked", async () => {
    const { url } = await service();
    const { run, write } = project(url, { desk: menu("Desk") });
    expect((await run("plan")).exit).toBe(0);
    expect((await run("plan", "--detailed-exitcode")).exit).toBe(2);
    await run("apply", "--auto-approve");
    expect((await run("plan", "--detailed-exitcode")).exit).toBe(0);
    write("ivrs/desk.yaml", menu("Desk", "Front Desk"));
    await run("apply", "--auto-approve");
    // A follow-up is open now, and that alone is nothing to do.
    expect((await run("plan", "--detailed-exitcode")).exit).toBe(0);
    write("ivrs/desk.yaml", "name: [");
    expect((await run("plan", "--detailed-exitcode")).exit).toBe(1);
  });

  test("needs neither token nor service with an agent list from a file", async () => {
    const { path } = project("", { desk: menu("Desk") });
    writeFileSync(join(path, "agents.json"), JSON.stringify(playAgents()));
    const env = { BASE_URL: "http://127.0.0.1:9" };
    const result = await ivrctl(["plan", "--agents", "agents.json"], { cwd: path, env });
    expect(result).toMatchObject({ exit: 0 });
    expect(result.stdout).toContain("1 to create");
  });

  test("opens with NO STATE for a real service that nothing is recorded of", async () => {
    const { path } = project("", { a: menu("A"), b: menu("B") });
    writeFileSync(join(path, "agents.json"), JSON.stringify(playAgents()));
    const env = { BASE_URL: "https://telephony.example" };
    const plan = ["plan", "--agents", "agents.json"];
    const text = await ivrctl(plan, { cwd: path, env });
    expect(text.exit).toBe(0);
    expect(text.stdout).toMatch(/^NO STATE: all 2 menus would be created\n/);
    const { stdout } = await ivrctl([...plan, "--format", "json"], { cwd: path, env });
    expect(JSON.parse(stdout).diagnostics).toMatchObject([{ code: "IVR608", severity: "warning" }]);
    const local = await ivrctl(plan, { cwd: path, env: { BASE_URL: "http://127.0.0.1:9" } });
    expect(local.stdout).not.toContain("NO STATE");
  });

  test("shows nothing as new while a file is at fault, and says where", async () => {
    const { url } = await service();
    const { json } = project(url, { desk: menu("Desk", "Asha Roa"), fine: menu("Fine") });
    const { exit, value, stderr } = await json("plan");
    expect(exit).toBe(1);
    expect(value.changes).toEqual([]);
    expect(value.diagnostics).toMatchObject([
      { code: "IVR301", file: "ivrs/desk.yaml", line: 4, column: 15 },
    ]);
    expect(stderr).toContain("ivrs/desk.yaml:4:15");
  });

  test("strips from names what could command a terminal", async () => {
    const { url } = await service();
    const { run } = project(url, { desk: menu('"De\\e[2Jsk\\u202e"') });
    const { stdout } = await run("plan", "--verbose");
    expect(stdout).toContain("“De␛[2Jsk\\u{202E}”");
    expect(stdout).not.toMatch(/[\u001B\u202E]/);
  });
});

describe("guards", () => {
  test("another address than the state's is refused", async () => {
    const [first, second] = [await service(), await service()];
    const { run, path } = project(first.url, { desk: menu("Desk") });
    await run("apply", "--auto-approve");
    for (const args of [["plan"], ["apply", "--auto-approve"]]) {
      const { exit, stderr } = await ivrctl(args, {
        cwd: path,
        env: { BASE_URL: second.url, TOKEN: "t" },
      });
      expect(exit).toBe(1);
      expect(stderr).toContain("IVR606");
      expect(stderr).toContain(first.url);
      expect(stderr).toContain("state rebind --to URL --evidence TEXT --env test");
    }
    // The same address, written otherwise.
    const same = { BASE_URL: `${first.url}/`, TOKEN: "t" };
    expect((await ivrctl(["plan"], { cwd: path, env: same })).exit).toBe(0);
    expect(second.records).toEqual([]);
  });

  test("an agent list without any extension of the state is of the wrong account", async () => {
    const { url } = await service();
    const { run, write } = project(url, { desk: menu("Desk") });
    await run("apply", "--auto-approve");
    const others = playAgents().map((agent) => ({ ...agent, eid: `9${agent.eid}` }));
    // Also where the people have other names, so that no menu can be compiled.
    const strangers = others.map((agent) => ({ ...agent, name: `Another ${agent.name}` }));
    for (const list of [others, strangers]) {
      write("others.json", JSON.stringify(list));
      for (const args of [["plan"], ["apply", "--auto-approve"]]) {
        const { exit, stderr } = await run(...args, "--agents", "others.json");
        expect([exit, stderr.includes("IVR607")]).toEqual([1, true]);
      }
    }
    write("some.json", JSON.stringify([...others.slice(1), playAgents()[0]]));
    expect((await run("plan", "--agents", "some.json")).stderr).not.toContain("IVR607");
  });

  test("more creates than allowed are refused, replaces included", async () => {
    const { url, records } = await service();
    const { run, write, json } = project(url, { a: menu("A"), b: menu("B"), c: menu("C") });
    expect((await run("plan", "--max-creates", "2")).stderr).toContain("IVR612");
    expect((await run("plan", "--max-creates", "0", "--target", "a")).stderr).toContain(
      "The plan would send 1 create, and 0 are allowed.",
    );
    expect((await run("apply", "--auto-approve", "--max-creates", "2")).exit).toBe(1);
    expect(records).toHaveLength(0);
    expect((await run("apply", "--auto-approve", "--max-creates", "3")).exit).toBe(0);
    for (const name of ["A", "B"])
      write(`ivrs/${name.toLowerCase()}.yaml`, menu(name, "Front Desk"));
    const config = readFileSync(join(project("", {}).path, "ivrctl.yaml"), "utf8");
    write("ivrctl.yaml", `${config}max_creates: 1\n`);
    const { exit, value } = await json("plan");
    expect(exit).toBe(1);
    expect(value.diagnostics).toMatchObject([{ code: "IVR612", file: "ivrctl.yaml", line: 7 }]);
    expect(value.summary.replace).toBe(2);
    expect((await run("plan", "--target", "a")).exit).toBe(0);
    expect((await run("plan", "--max-creates", "2")).exit).toBe(0);
    const wrong = await run("plan", "--max-creates", "few");
    expect([wrong.exit, wrong.stderr]).toEqual([1, expect.stringContaining("--max-creates")]);
  });
});

describe("--target", () => {
  test("narrows the run; errors in other menus are shown and do not stop it", async () => {
    const { url, records } = await service();
    const { run, json } = project(url, {
      "sales/a": menu("A"),
      "sales/b": menu("B"),
      broken: menu("Broken", "Nobody At All"),
    });
    const { exit, value, stderr } = await json("plan", "--target", "sales/*");
    expect(exit).toBe(0);
    expect(value.summary).toMatchObject({ create: 2 });
    expect(stderr).toContain("IVR301");
    expect((await run("plan", "--target", "broken")).exit).toBe(1);
    expect((await run("apply", "--auto-approve", "--target", "sales/a")).exit).toBe(0);
    expect(records.map(({ payload }) => payload.name)).toEqual(["A"]);
  });

  test.each([
    ["an unreadable file", { "ivrs/broken.yaml": "name: [" }],
    ["two menus of one name", { "ivrs/b.yaml": menu("A") }],
    ["two menus of one key", { "ivrs/b.yaml": `id: a\n${menu("B")}` }],
  ])("is stopped by %s all the same", async (_, files) => {
    const { url } = await service();
    const { run, write } = project(url, { a: menu("A") });
    for (const [name, text] of Object.entries(files)) write(name, text);
    expect((await run("plan", "--target", "a")).exit).toBe(1);
  });

  test("that matches nothing is an error, with the nearest key", async () => {
    const { url } = await service();
    const { run } = project(url, { "front-desk": menu("A") });
    const { exit, stderr } = await run("plan", "--target", "front-dsk");
    expect(exit).toBe(1);
    expect(stderr).toContain("IVR613");
    expect(stderr).toContain("front-desk");
  });
});

describe("--out", () => {
  test("keeps a plan that holds all that is sent and never the token", async () => {
    const { url } = await service();
    const { run, path } = project(url, { desk: menu("Desk") });
    const { exit, stderr } = await run("plan", "--out", "plans/p.json");
    expect(exit).toBe(1);
    expect(stderr).toContain("IVR626");
    mkdirSync(join(path, "plans"));
    expect((await run("plan", "--out", "plans/p.json")).exit).toBe(0);
    const text = readFileSync(join(path, "plans/p.json"), "utf8");
    expect(JSON.parse(text)).toMatchObject({ format: "ivrctl-plan", version: 1 });
    expect(text).toContain('"name": "Desk"');
    expect(text).not.toContain(token);
    expect(readdirSync(path).sort()).toEqual(["ivrctl.yaml", "ivrs", "plans"]);
  });

  test("writes to what is not a regular file, and never renames over it", async () => {
    const { url } = await service();
    const { run, path } = project(url, { desk: menu("Desk") });
    const printed = await run("plan", "--quiet", "--out", "/dev/stdout");
    expect(JSON.parse(printed.stdout)).toMatchObject({ format: "ivrctl-plan" });
    writeFileSync(join(path, "real.json"), "old");
    symlinkSync("real.json", join(path, "link.json"));
    await run("plan", "--out", "link.json");
    expect(lstatSync(join(path, "link.json")).isSymbolicLink()).toBe(true);
    expect(JSON.parse(readFileSync(join(path, "real.json"), "utf8"))).toMatchObject({ version: 1 });
    expect((await run("plan", "--out", "/dev/null")).exit).toBe(0);
    expect(lstatSync("/dev/null").isCharacterDevice()).toBe(true);
    const toFolder = await run("plan", "--out", "ivrs");
    expect([toFolder.exit, toFolder.stderr]).toEqual([1, expect.stringContaining("IVR626")]);
  });

  test("is not written while anything is wrong", async () => {
    const { url } = await service();
    const { run, path } = project(url, { desk: menu("Desk", "Nobody") });
    expect((await run("plan", "--out", "p.json")).exit).toBe(1);
    expect(existsSync(join(path, "p.json"))).toBe(false);
  });
});

describe("a state that is not as it was left", () => {
  async function applied() {
    const { url, requests } = await service();
    const own = project(url, { a: menu("A"), b: menu("B") });
    expect((await own.run("apply", "--auto-approve")).exit).toBe(0);
    const state = join(own.path, ".ivrctl/state/test.json");
    const journal = join(own.path, ".ivrctl/state/test.journal.jsonl");
    const edit = (path: string, change: (text: string) => string) =>
      writeFileSync(path, change(readFileSync(path, "utf8")));
    return { ...own, state, journal, edit, requests };
  }

  test.each<[string, (text: string) => string, RegExp]>([
    ["cut off", (text) => text.slice(0, text.length / 2), /warning.*IVR629.*is cut off/],
    ["edited", (text) => text.replace('"name": "A"', '"name": "X"'), /warning.*IVR605.*edited/],
    ["emptied", () => "", /warning.*IVR629.*is cut off/],
  ])("%s: planned from its journal, with a warning", async (_, change, words) => {
    const { run, state, edit } = await applied();
    edit(state, change);
    const { exit, stdout, stderr } = await run("plan");
    expect([exit, stdout]).toEqual([0, "Nothing to do: 2 unchanged.\n"]);
    expect(stderr).toMatch(words);
  });

  test("of a newer version: refused, and left alone", async () => {
    const { run, state, edit } = await applied();
    edit(state, (text) => text.replace('"version": 2', '"version": 3'));
    const before = readFileSync(state, "utf8");
    for (const args of [["plan"], ["apply", "--auto-approve"], ["state", "list"]]) {
      const { exit, stderr } = await run(...args);
      expect([exit, stderr]).toEqual([1, expect.stringContaining("IVR602")]);
    }
    expect(readFileSync(state, "utf8")).toBe(before);
  });

  test("with half a line at the journal's end: that is a crash, and nothing is lost", async () => {
    const { run, journal, edit, write } = await applied();
    edit(journal, (text) => `${text}{"sum":"0123456789abcdef","seq":6,"at`);
    expect((await run("plan")).stdout).toContain("2 unchanged");
    write("ivrs/c.yaml", menu("C"));
    expect((await run("apply", "--auto-approve")).exit).toBe(0);
    const { exit, stdout } = await run("plan");
    expect([exit, stdout]).toEqual([0, "Nothing to do: 3 unchanged.\n"]);
  });

  test("with a damaged line in the midst: refused, with its place, and nothing is sent", async () => {
    const { run, journal, edit, requests, write } = await applied();
    edit(journal, (text) => text.replace('"name":"A"', '"name":"X"'));
    write("ivrs/c.yaml", menu("C"));
    const before = requests.filter(({ method }) => method === "POST").length;
    for (const args of [["plan"], ["apply", "--auto-approve"]]) {
      const { exit, stderr } = await run(...args);
      expect(exit).toBe(1);
      expect(stderr).toMatch(/IVR603.*\.ivrctl\/state\/test\.journal\.jsonl:2/);
    }
    expect(requests.filter(({ method }) => method === "POST")).toHaveLength(before);
  });

  test("environments never share one", async () => {
    const { path, env, run } = await applied();
    const config = readFileSync(join(path, "ivrctl.yaml"), "utf8");
    const second = config.slice(config.indexOf("  test:")).replace("  test:", "  other:");
    writeFileSync(join(path, "ivrctl.yaml"), config + second);
    expect((await run("plan", "--env", "other")).stdout).toContain("2 to create");
    await ivrctl(["apply", "--auto-approve", "--env", "other"], { cwd: path, env });
    expect(readdirSync(join(path, ".ivrctl/state")).sort()).toEqual([
      "other.journal.jsonl",
      "other.json",
      "test.journal.jsonl",
      "test.json",
    ]);
  });
});

test("a snapshot given as the list is told with its age", async () => {
  const { url } = await service();
  const { run, write } = project(url, { a: menu("A") });
  const { stdout } = await run("agents", "list", "--format", "json");
  const { agents } = JSON.parse(stdout);
  const pulledAt = new Date(Date.now() - 3 * 24 * 3600 * 1000 - 1000).toISOString();
  write("agents.lock.json", JSON.stringify({ format_version: "1.0", pulled_at: pulledAt, agents }));
  const { exit, stderr } = await run("plan", "--agents", "agents.lock.json");
  expect([exit, stderr]).toEqual([0, expect.stringMatching(/IVR616.*of 3 days ago/)]);
});

test("the embedded sandbox knows the agents of the snapshot, else those given", async () => {
  const path = folder({
    "ivrctl.yaml":
      "version: 1\nenvironments: { s: { service: sandbox } }\ndefault_environment: s\n",
    "ivrs/desk.yaml": menu("Desk", "Zoe Okafor").replaceAll("Front Desk", "Zoe Okafor"),
    "staff.json": JSON.stringify([{ id: 1, name: "Zoe Okafor", eid: "700", intercom: "7" }]),
  });
  const apply = ["apply", "--auto-approve"];
  expect((await ivrctl(apply, { cwd: path })).stderr).toContain("IVR301");
  expect(await ivrctl([...apply, "--agents", "staff.json"], { cwd: path })).toMatchObject({
    exit: 0,
  });
  writeFileSync(join(path, "agents.lock.json"), readFileSync(join(path, "staff.json")));
  expect((await ivrctl(["plan"], { cwd: path })).stdout).toContain("1 unchanged");
});
