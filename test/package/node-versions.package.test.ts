import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, beforeEach, describe, expect, test } from "vitest";
import { type Finished, exampleProject, folder, start } from "../support/cli.ts";
import { newestNode, nodeProgram } from "../support/node-version.ts";
import { install, pack } from "../support/package.ts";

const manifest = JSON.parse(readFileSync(join(import.meta.dirname, "../../package.json"), "utf8"));

/** The lowest version that `engines` allows, one that many use, and the newest one. */
const versions = ["20.19.0", "24.21.0", newestNode];

/** Where the package is installed. */
let installed: string;
beforeAll(() => {
  installed = install(pack());
});

test("the first version is the lowest that the package allows", () => {
  expect(`${manifest.engines.node}.0`).toBe(`>=${versions[0]}`);
});

describe.each(versions)("on Node %s", (version) => {
  let node = "";
  let reason = "";
  beforeAll(() => {
    try {
      node = nodeProgram(version);
    } catch (error) {
      reason = String(error);
    }
  });
  beforeEach(({ skip }) => skip(node === "", reason));

  const entry = () => join(installed, "node_modules/ivrctl/dist/ivrctl.cjs");
  const starting = (args: readonly string[], cwd: string) =>
    start(node, [entry(), ...args], { cwd, env: { NODE_OPTIONS: "--trace-warnings" } });

  /** Runs the command and checks that Node prints no warnings. */
  const ivrctl = async (args: readonly string[], cwd = folder({})): Promise<Finished> => {
    const finished = await starting(args, cwd).finished;
    expect(finished.stderr).not.toMatch(/\(node:\d+\)|^\s+at /m);
    return finished;
  };

  test("validates, plans, applies and compares a menu", async () => {
    const cwd = exampleProject();
    const git = (...args: string[]) =>
      execFileSync("git", ["-c", "user.name=T", "-c", "user.email=t@t.example", ...args], { cwd });
    git("init", "-q");
    git("add", "-A");
    git("commit", "-qm", "x");
    expect(await ivrctl(["validate"], cwd)).toMatchObject({ exit: 0, stderr: "" });
    expect(await ivrctl(["plan", "--out", "plan.json"], cwd)).toMatchObject({ exit: 0 });
    expect(await ivrctl(["apply", "plan.json"], cwd)).toMatchObject({ exit: 0 });
    const menu = join(cwd, "ivrs/example.yaml");
    const text = readFileSync(menu, "utf8");
    writeFileSync(menu, text.replace("agent: Ravi Kumar, team: Billing", "agent: Asha Rao"));
    const diff = await ivrctl(["diff", "--detailed-exitcode"], cwd);
    expect(diff.exit).toBe(2);
    expect(diff.stdout).toContain("key 2 (Billing): Ravi Kumar (Billing) → Asha Rao");
    const markdown = await ivrctl(["plan", "--format", "markdown"], cwd);
    expect(markdown.stdout).toContain("```mermaid");
  });

  test("marks the exact column of a mistake in wide characters", async () => {
    const cwd = exampleProject({ "ivrs/wide.yaml": "name: 受付\noptions: { 1: 太郎 }\n" });
    const { exit, stdout } = await ivrctl(["validate"], cwd);
    expect(exit).toBe(1);
    expect(stdout).toContain(
      "ivrs/wide.yaml:2:15\n2 | options: { 1: 太郎 }\n  |               ^^^^\n",
    );
  });

  test("applies to the sandbox over HTTP, and stops it with Ctrl-C", async () => {
    const { child, finished } = starting(["sandbox", "--port", "0"], folder({}));
    const ready = await new Promise<string>((resolve, reject) => {
      child.stdout.setEncoding("utf8").once("data", resolve);
      child.on("close", () => reject(new Error("The sandbox has ended.")));
    });
    const url = ready.trim();
    const cwd = exampleProject({
      "ivrctl.yaml": readFileSync(join(exampleProject(), "ivrctl.yaml"), "utf8").replace(
        "service: sandbox",
        `service: { base_url: "${url}", token: { command: [echo, t] } }`,
      ),
    });
    expect(await ivrctl(["state", "init"], cwd)).toMatchObject({ exit: 0 });
    const applied = await ivrctl(["apply", "--auto-approve", "--format", "json"], cwd);
    expect(JSON.parse(applied.stdout).summary).toMatchObject({ created: 1, failed: 0 });
    child.kill("SIGINT");
    const { exit, stderr } = await finished;
    expect(exit).toBe(0);
    expect(stderr).toMatch(/POST .* 200 .*\(created\)/);
  });

  test.each([
    ["import", "mjs", 'import { compile } from "ivrctl";'],
    ["require", "cjs", 'const { compile } = require("ivrctl");'],
  ])("loads the library with %s", async (_, ending, line) => {
    const file = join(installed, `${version}.${ending}`);
    writeFileSync(file, `${line}\nconsole.log(typeof compile);\n`);
    const { finished } = start(node, [file], { cwd: installed });
    expect(await finished).toEqual({ exit: 0, stdout: "function\n", stderr: "" });
  });
});
