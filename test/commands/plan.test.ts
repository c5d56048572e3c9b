import { lstatSync, readFileSync, readdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { folder } from "../support/cli.ts";
import { ivrctl } from "../support/commands.ts";
import { menu, project, service } from "../support/project.ts";

describe("guards", () => {
  test("the same address, written otherwise, is the same", async () => {
    const { url } = await service();
    const { run, path } = project(url, { desk: menu("Desk") });
    await run("apply", "--auto-approve");
    const env = { BASE_URL: `${url}/`, TOKEN: "t" };
    expect((await ivrctl(["plan"], { cwd: path, env })).exit).toBe(0);
  });
});

describe("--out", () => {
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
