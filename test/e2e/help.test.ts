import { describe, expect, test } from "vitest";
import { commands } from "../../src/commands/index.ts";
import { exampleProject, ivrctl } from "../support/cli.ts";
import { menu, project, service } from "../support/project.ts";
import { atTerminal } from "../support/terminal.ts";

const names = Object.keys(commands);
const widest = (text: string) =>
  Math.max(...text.split(/\r?\n/).map((line) => line.replace(/\u001B\[\d+m/g, "").length));

describe("the help of every command", () => {
  test.each(names)("%s: usage, examples, its own options before everybody's", async (name) => {
    const { exit, stdout } = await ivrctl([name, "--help"]);
    expect(exit).toBe(0);
    expect(stdout).toContain(`Usage: ivrctl ${name}`);
    const headings = [...stdout.matchAll(/^(Examples|Options.*):$/gm)].map(
      ([, heading]) => heading,
    );
    expect(headings.slice(0, 1)).toEqual(["Examples"]);
    expect(headings.at(-1)).toBe("Options of every command");
    expect(stdout).toMatch(new RegExp(`^ {2}(?:.* )?ivrctl ${name}`, "m"));
    expect(widest(stdout)).toBeLessThanOrEqual(80);
  });

  test.each(names)("%s fits 40 columns; a command to copy is not broken", async (name) => {
    const { stdout } = await ivrctl([name, "--help"], { env: { COLUMNS: "40" } });
    const broken = stdout.split("\n").filter((line) => !/^(?:Usage:| {2}\S)/.test(line));
    expect(widest(broken.join("\n"))).toBeLessThanOrEqual(40);
    const wide = await ivrctl([name, "--help"]);
    expect(stdout.split(/\s+/)).toEqual(wide.stdout.split(/\s+/));
  });

  test("the map fits, at a terminal as wide as that is", async () => {
    for (const columns of [40, 60, 200]) {
      const { screen } = await atTerminal({ cwd: "/", args: ["--help"], columns });
      expect(widest(screen)).toBeLessThanOrEqual(Math.min(columns, 80));
    }
    const set = await atTerminal({ cwd: "/", args: [], columns: 200, env: { COLUMNS: "50" } });
    expect(widest(set.screen)).toBeLessThanOrEqual(50);
    for (const odd of ["0", "-1", "x", "9999999", ""]) {
      const { stdout } = await ivrctl(["--help"], { env: { COLUMNS: odd } });
      expect(stdout).toBe((await ivrctl(["--help"])).stdout);
    }
  });

  test.each([
    [["aply"], "Did you mean `apply`?"],
    [["help", "stat"], "Did you mean `state`?"],
    [["init", "--cii", "none"], "Did you mean `--ci`?"],
    [["apply", "--auto-aprove"], "Did you mean `--auto-approve`?"],
    [["state", "lst"], "Did you mean `list`?"],
  ])("%j: the nearest is named", async (args, message) => {
    const { exit, stderr } = await ivrctl(args, { cwd: exampleProject() });
    expect([exit, stderr]).toEqual([1, expect.stringContaining(message)]);
  });
});

describe("at a terminal", () => {
  test.each([
    [{}, true],
    [{ CI: "true" }, false],
    [{ TERM: "dumb" }, false],
  ])("with %j lines are written over: %s", async (env, live) => {
    const { url } = await service({ faults: ["latency=50"] });
    const own = project(url, { a: menu("A") });
    const args = ["apply", "--auto-approve"];
    const { exit, screen } = await atTerminal({ cwd: own.path, args, env: { ...own.env, ...env } });
    expect(exit).toBe(0);
    expect(screen.includes("in flight: a")).toBe(live);
    expect(screen).toContain("created");
  });

  test.each(["validate", "plan", "doctor", "check"])("%s fits 40 columns", async (name) => {
    const cwd = exampleProject();
    await ivrctl(["apply", "--auto-approve"], { cwd });
    const { screen } = await atTerminal({ cwd, args: [name], columns: 40 });
    expect(widest(screen)).toBeLessThanOrEqual(40);
  });
});
