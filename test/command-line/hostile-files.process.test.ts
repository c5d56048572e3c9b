import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { exampleProject, ivrctl } from "../support/cli.ts";

// Files that no person writes. No command may crash, hang or call them a bug in ivrctl.

const texts = {
  "explicit keys": "? ".repeat(20_000),
  dashes: "- ".repeat(16_000),
  brackets: "[".repeat(100_000),
  "closing brackets": "]".repeat(50_000),
  mappings: "{a: ".repeat(50_000),
  braces: "name: " + "{{ ".repeat(8000),
  "quoted braces": `name: "${"{{ ".repeat(8000)}"`,
  tabs: `name: Desk\n${"\t".repeat(16_000)}b: c`,
  spaces: `name: Desk${" ".repeat(100_000)}b`,
  backslashes: `name: "${"\\".repeat(100_001)}`,
  commas: `[${",".repeat(50_000)}`,
};
const commands = [["validate"], ["plan"], ["test"], ["fmt", "--check"], ["graph"], ["doctor"]];

test.for(Object.entries(texts))(
  "a menu of %s is refused in seconds",
  async ([, text]) => {
    const cwd = exampleProject({ "ivrs/zz.yaml": text });
    for (const command of commands) {
      const started = performance.now();
      const { exit, stdout, stderr } = await ivrctl(command, { cwd });
      const seconds = (performance.now() - started) / 1000;
      expect({ command, exit, isQuick: seconds < 8 }).toEqual({ command, exit: 1, isQuick: true });
      expect(stdout + stderr).toMatch(/IVR\d{3}/);
      expect(stdout + stderr).not.toMatch(/bug in ivrctl|FATAL ERROR/);
    }
  },
  120_000,
);

test("a pattern with many stars is matched in linear time", async () => {
  const key = "a".repeat(60);
  const cwd = exampleProject({ [`ivrs/${key}.yaml`]: "name: A" });
  const target = `${"*a".repeat(30)}!`;
  const started = performance.now();
  expect((await ivrctl(["plan", "--target", target], { cwd })).exit).toBe(1);
  expect(performance.now() - started).toBeLessThan(8000);
}, 30_000);

test("a pipe or a deep list in place of a plan is refused", async () => {
  const cwd = exampleProject();
  execFileSync("mkfifo", [join(cwd, "pipe.json")]);
  writeFileSync(
    join(cwd, "deep.json"),
    `{"plan":${"[".repeat(200_000)}${"]".repeat(200_000)},"digest":""}`,
  );
  for (const [file, code] of [
    ["pipe.json", "IVR121"],
    ["deep.json", "IVR621"],
  ] as const) {
    const { exit, stderr } = await ivrctl(["apply", file, "--auto-approve"], { cwd });
    expect({ exit, stderr }).toEqual({ exit: 1, stderr: expect.stringContaining(code) });
  }
});

test("an error that a plugin throws later is reported as the plugin's", async () => {
  const cwd = exampleProject({
    "ivrctl.yaml": "version: 1\nrules: { plugins: [late.mjs] }\n",
    "late.mjs":
      'setImmediate(() => { throw new Error("late"); });\nawait new Promise((done) => setTimeout(done, 500));\nexport default { name: "late", rules: {} };\n',
  });
  const { exit, stderr } = await ivrctl(["validate"], { cwd });
  expect({ exit, stderr }).toEqual({ exit: 1, stderr: expect.stringMatching(/late\.mjs.*late/) });
  expect(stderr).not.toContain("bug in ivrctl");
});

test("on an older Node, every command says which version is needed", async () => {
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
