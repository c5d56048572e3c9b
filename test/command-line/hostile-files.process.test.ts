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
const commands = [["validate"], ["plan"], ["fmt", "--check"]];

test.each(Object.entries(texts))(
  "a menu of %s is refused in seconds",
  async (_, text) => {
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

test("a pattern with many stars is matched in linear time", { timeout: 30_000 }, async () => {
  const key = "a".repeat(60);
  const cwd = exampleProject({ [`ivrs/${key}.yaml`]: "name: A" });
  const target = `${"*a".repeat(30)}!`;
  const started = performance.now();
  expect((await ivrctl(["plan", "--target", target], { cwd })).exit).toBe(1);
  expect(performance.now() - started).toBeLessThan(8000);
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
