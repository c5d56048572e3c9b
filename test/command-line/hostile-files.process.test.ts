import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { exampleProject, ivrctl } from "../support/cli.ts";

// Files that no person writes. No command may crash, hang or call them a bug in ivrctl. The limit of a test
// only ends one that hangs.
const timeout = 120_000;

const texts = {
  "explicit keys": "? ".repeat(20_000),
  dashes: "- ".repeat(16_000),
  brackets: "[".repeat(100_000),
  mappings: "{a: ".repeat(50_000),
  braces: `name: ${"{{ ".repeat(8000)}`,
  "quoted braces": `name: "${"{{ ".repeat(8000)}"`,
  tags: "! ".repeat(20_000),
  tabs: `name: Desk\n${"\t".repeat(16_000)}b: c`,
  spaces: `name: Desk${" ".repeat(100_000)}b`,
  backslashes: `name: "${"\\".repeat(100_001)}`,
};

async function refuses(argv: string[], cwd: string) {
  const { exit, stdout, stderr } = await ivrctl(argv, { cwd });
  expect({ argv, exit }).toEqual({ argv, exit: 1 });
  expect(stdout + stderr).not.toMatch(/bug in ivrctl|FATAL ERROR|^\s+at .*:\d+:\d+/m);
  return stdout + stderr;
}

test("menus that are only one thing are refused, each by its name", { timeout }, async () => {
  const files = Object.keys(texts).map((name) => `ivrs/${name.replace(" ", "-")}.yaml`);
  const menus = Object.values(texts).map((text, at) => [files[at] ?? "", text] as const);
  const cwd = exampleProject(Object.fromEntries(menus));
  const reported = (output: string) => files.filter((file) => output.includes(file));
  expect(reported(await refuses(["validate"], cwd))).toEqual(files);
  expect(reported(await refuses(["plan"], cwd))).toEqual(files);
  // One of them after another once aborted Node, when Prettier got them before the reader.
  expect(reported(await refuses(["fmt", "--check"], cwd))).toEqual(files);
});

test("a pattern with many stars ends", { timeout }, async () => {
  const cwd = exampleProject({ [`ivrs/${"a".repeat(60)}.yaml`]: "name: A" });
  expect(await refuses(["plan", "--target", `${"*a".repeat(30)}!`], cwd)).toContain("--target");
});

test("a plan that is nested 200,000 levels deep was not written by plan", { timeout }, async () => {
  const deep = `${"[".repeat(200_000)}${"]".repeat(200_000)}`;
  const cwd = exampleProject({ "start.json": `{"format_version":${deep}}` });
  expect(await refuses(["apply", "start.json"], cwd)).toContain("IVR621");
});

describe("a pipe in place of", { timeout }, () => {
  test.each([
    ["ivrs/pipe.yaml", ["validate"]],
    ["ivrctl.yaml", ["validate"]],
    ["agents.lock.json", ["plan"]],
    ["plan.json", ["apply", "plan.json"]],
    ["plan.json", ["state", "push", "plan.json"]],
    ["plan.json", ["import", "plan.json"]],
    ["plan.json", ["validate", "--agents", "plan.json"]],
  ])("%s is refused by %j", async (path, argv) => {
    const cwd = exampleProject({});
    execFileSync("rm", ["-f", join(cwd, path)]);
    execFileSync("mkfifo", [join(cwd, path)]);
    expect(await refuses(argv, cwd)).toContain(path);
  });
});

test("an error that a custom rule throws later names its plugin", { timeout }, async () => {
  const check = "check() { setTimeout(() => { throw new Error('late'); }); }";
  const cwd = exampleProject({
    "late.mjs": `export default { name: "acme", rules: { late: { severity: "warn", about: "Late.", ${check} } } };`,
  });
  const config = join(cwd, "ivrctl.yaml");
  execFileSync("sh", ["-c", 'printf "rules:\\n  plugins: [./late.mjs]\\n" >> "$0"', config]);
  expect(await refuses(["validate"], cwd)).toContain("late.mjs");
});

test("on an older Node, every command says which version is needed", { timeout }, async () => {
  const cwd = exampleProject({
    "older.cjs":
      'Object.defineProperty(process, "versions", { value: { ...process.versions, node: "18.20.1" } });',
  });
  const env = { NODE_OPTIONS: `--require ${join(cwd, "older.cjs")}` };
  const { exit, stdout, stderr } = await ivrctl(["validate"], { cwd, env });
  expect({ exit, stdout }).toEqual({ exit: 1, stdout: "" });
  expect(stderr.trim().split("\n")).toHaveLength(1);
  expect(stderr).toContain("18.20.1");
  expect((await ivrctl(["--version"], { cwd, env })).exit).toBe(0);
});
