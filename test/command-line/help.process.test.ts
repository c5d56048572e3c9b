import { describe, expect, test } from "vitest";
import { allCommands, commandNames } from "../support/all-commands.ts";
import { exampleProject } from "../support/cli.ts";
import { ivrctl } from "../support/commands.ts";
import { atTerminal } from "../support/terminal.ts";

const names = [...commandNames, ...(await allCommands()).map(([name]) => name)].filter(
  (name, at, all) => all.indexOf(name) === at,
);
const widest = (text: string) =>
  Math.max(...text.split(/\r?\n/).map((line) => line.replace(/\u001B\[\d+m/g, "").length));

describe("the help of every command", () => {
  test.each(names)(
    "%s: prints usage, options and examples, and fits the terminal",
    async (name) => {
      const args = [...name.split(" "), "--help"];
      const { exit, stdout } = await ivrctl(args);
      expect(exit).toBe(0);
      expect(stdout).toContain(`Usage: ivrctl ${name}`);
      const headings = [...stdout.matchAll(/^(Examples|Options.*):$/gm)].map(
        ([, heading]) => heading,
      );
      expect(headings).toEqual(
        stdout.includes("\nOptions:\n") ? ["Options", "Examples"] : ["Examples"],
      );
      // Every option that takes a value names it.
      expect(stdout).not.toMatch(/ --(?:env|out|format|agents|target|to|press|port|evidence) {2}/);
      expect(stdout).toMatch(new RegExp(`^ {2}(?:.* )?ivrctl ${name}`, "m"));
      expect(widest(stdout)).toBeLessThanOrEqual(80);
      // In fewer columns yargs would break the longest option name in two.
      const narrow = (await ivrctl(args, { env: { COLUMNS: "50" } })).stdout;
      const broken = narrow.split("\n").filter((line) => !/^(?:Usage:| {2}ivrctl)/.test(line));
      expect(widest(broken.join("\n"))).toBeLessThanOrEqual(50);
      expect(narrow.split(/\s+/)).toEqual(stdout.split(/\s+/));
    },
  );

  test("the list of commands fits the width of the terminal", async () => {
    for (const columns of [50, 200]) {
      const { stdout } = await ivrctl(["--help"], { columns });
      expect(widest(stdout)).toBeLessThanOrEqual(Math.min(columns, 80));
    }
    const set = await ivrctl([], { columns: 200, env: { COLUMNS: "50" } });
    expect(widest(set.stdout)).toBeLessThanOrEqual(50);
    for (const odd of ["0", "-1", "x", "9999999", ""]) {
      const { stdout } = await ivrctl(["--help"], { env: { COLUMNS: odd } });
      expect(stdout).toBe((await ivrctl(["--help"])).stdout);
    }
  });
});

describe("the help of a subcommand", () => {
  test("shows only this subcommand", async () => {
    const { stdout } = await ivrctl(["state", "resolve", "--help"]);
    expect(stdout).toContain("Usage: ivrctl state resolve [KEY..] [options]");
    expect(stdout).toMatch(/^Arguments:\n {2}KEY /m);
    expect(stdout).toContain("--absent");
    for (const other of ["--from", "--schema", "state migrate"])
      expect(stdout).not.toContain(other);
    expect(await ivrctl(["help", "state", "resolve"])).toMatchObject({ exit: 0, stdout });
    expect(await ivrctl(["--help", "state", "resolve"])).toMatchObject({ exit: 0, stdout });
  });

  test("is printed for an incomplete command line", async () => {
    expect((await ivrctl(["state", "rebind", "-h"])).exit).toBe(0);
    const { stdout } = await ivrctl(["--version"]);
    expect(await ivrctl(["state", "rebind", "--version"])).toEqual({ exit: 0, stdout, stderr: "" });
  });
});

describe("options", () => {
  const said = async (...args: string[]) => {
    const { stdout, stderr } = await ivrctl(args, { cwd: exampleProject() });
    return stdout + stderr;
  };

  test("of every command can be before the command", async () => {
    expect(await said("--env", "b", "validate")).toContain("no environment `b`");
    expect(await said("--quiet", "validate")).toBe("");
  });

  test("keep values that look like numbers, other options or lists", async () => {
    expect(await said("call", "007", "--press", "1")).toContain(
      "There is no menu with the key `007`",
    );
    expect(await said("state", "show", "--", "-x")).toContain("-x has no record");
    expect(await said("show", "--", "a", "b")).toContain("Unexpected argument `b`");
    expect(await said("validate", "--agents", "--live")).toContain("--live");
    expect(await said("validate", "--env", "a", "--env", "b")).toContain("no environment `b`");
    expect(await said("validate", "--quiet", "true")).toContain("true");
    for (const wrong of ["--no-quiet", "--noColor", "--env.x", "--hC"]) {
      expect(await said("validate", wrong)).toContain(`There is no option ${wrong}.`);
    }
  });
});

test("plan fits a terminal with 40 columns", async () => {
  const main = `name: Main
description: First
recording: welcome
options: { 1: { for: Sales, menu: example } }
invalid: { destination: Front Desk }
timeout: { destination: Front Desk }
`;
  // The problem of a menu that does not change is not shown.
  const other = main.replace("Main", "Other").replace("menu: example", "agent: Asha Rao");
  const cwd = exampleProject({ "ivrs/main.yaml": main, "ivrs/other.yaml": other });
  const { stdout, stderr } = await ivrctl(["plan", "--target", "main"], { cwd, columns: 40 });
  const [callers = ""] = stdout.split("Needs manual action");
  expect(callers).toMatch(/waits\s+for/);
  expect(widest(callers)).toBeLessThanOrEqual(40);
  expect(stdout + stderr).not.toContain("other.yaml");
});

test("the example fits a terminal with 40 columns", async () => {
  const { screen } = await atTerminal({ cwd: exampleProject(), args: ["plan"], columns: 40 });
  expect(widest(screen)).toBeLessThanOrEqual(40);
});
