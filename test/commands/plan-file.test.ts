import { cpSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { sha256 } from "../../src/deploy/plan/digest.ts";
import { playAgents } from "../../src/sandbox/agents.ts";
import { ivrctl } from "../support/commands.ts";
import { menu, namesOf, project, service } from "../support/project.ts";

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
    expect([exit, stderr]).toEqual([1, expect.stringContaining("now there is one")]);
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

  test("that knows more than the state is refused, and no new one is asked for", async () => {
    const { run, at, path, write } = await planned();
    await run("apply", "--auto-approve", "--target", "a");
    const state = join(path, ".ivrctl/state");
    cpSync(state, join(path, "backup"), { recursive: true });
    await run("apply", "--auto-approve");
    write("ivrs/c.yaml", menu("C"));
    await run("plan", "--out", "q.json");
    for (const older of [join(path, "backup"), undefined]) {
      rmSync(state, { recursive: true });
      if (older !== undefined) cpSync(older, state, { recursive: true });
      const { exit, stderr } = await run("apply", "q.json");
      expect([exit, stderr]).toEqual([1, expect.stringContaining("IVR628")]);
      expect(stderr).not.toContain("Make the plan again");
    }
    expect(namesOf(at.records)).toEqual(["A", "B"]);
  });

  test("for a state that came to the same serial by another way is refused", async () => {
    const at = await service({ faults: ["status=400 name=B times=1"] });
    const { run, write, path } = project(at.url, { a: menu("A") });
    await run("apply", "--auto-approve");
    const state = join(path, ".ivrctl/state");
    cpSync(state, join(path, "backup"), { recursive: true });
    write("ivrs/b.yaml", menu("B"));
    await run("apply", "--auto-approve");
    await run("plan", "--out", "p.json");
    // The backup comes back, and this time B is created: as many events, and other ones.
    rmSync(state, { recursive: true });
    renameSync(join(path, "backup"), state);
    expect((await run("apply", "--auto-approve")).exit).toBe(0);
    const { exit, stderr } = await run("apply", "p.json");
    expect([exit, stderr]).toEqual([1, expect.stringContaining("gone another way")]);
    expect(namesOf(at.records)).toEqual(["A", "B"]);
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

  test.each<[string, RegExp, string]>([
    ["another payload", /"description":"/, '"description":"Not '],
    ["a menu without a file", /"key":"a","name":"A"/, '"key":"c","name":"C"'],
  ])("that says %s is refused, though its digest fits", async (_, what, instead) => {
    const { path, refusal } = await planned();
    const file = join(path, "p.json");
    const { digest, ...content } = JSON.parse(readFileSync(file, "utf8"));
    const forged = JSON.stringify(content).replace(what, instead);
    expect(sha256(forged)).not.toBe(digest);
    writeFileSync(file, JSON.stringify({ ...JSON.parse(forged), digest: sha256(forged) }));
    expect(await refusal()).toContain("IVR627");
  });

  test("that lists a change twice is refused, and nothing is recorded or sent", async () => {
    const { path, refusal, journal } = await planned();
    const file = join(path, "p.json");
    const { digest: _, ...content } = JSON.parse(readFileSync(file, "utf8"));
    content.plan.changes.push(...content.plan.changes);
    const digest = sha256(JSON.stringify(content));
    writeFileSync(file, JSON.stringify({ ...content, digest }));
    const told = await refusal();
    expect(told).toMatch(/IVR627.*a is in it twice/);
    expect(told).not.toContain("bug");
    expect(journal).toThrow("ENOENT");
  });

  test("is applied where a variable that only the files need is not set", async () => {
    const at = await service();
    const named = menu("A").replace('recording: "10"', "recording: welcome");
    const { run, env, path, write } = project(at.url, { a: named });
    const config = readFileSync(join(path, "ivrctl.yaml"), "utf8");
    write("ivrctl.yaml", `${config}recordings: { welcome: "\${WELCOME}" }\n`);
    const planning = { cwd: path, env: { ...env, WELCOME: "19549" } };
    expect((await ivrctl(["plan", "--out", "p.json"], planning)).exit).toBe(0);
    expect((await run("apply", "p.json")).exit).toBe(0);
    expect(namesOf(at.records)).toEqual(["A"]);
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
