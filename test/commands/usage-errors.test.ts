import { describe, expect, test } from "vitest";
import { ivrctl } from "../support/commands.ts";

/** Wrong command lines, and a part of the message. */
const mistakes: readonly (readonly [readonly string[], string])[] = [
  [["validate", "--nonsense"], "There is no option `--nonsense`."],
  [["plan", "extra"], "Unexpected argument `extra`."],
  [["nonsense"], "There is no command `nonsense`."],
  [["state", "nonsense"], "There is no `state nonsense`."],
  [["state", "show"], "An argument is missing."],
  [["validate", "--env"], "`--env` needs a value"],
  [["apply", "--max-creates", "many"], "`--max-creates` must be a whole number"],
];

describe("a wrong command line", () => {
  test.each(mistakes)("is reported as JSON: %j", async ([command = "", ...rest], words) => {
    for (const format of [["--format", "json"], ["--format=json"]]) {
      const { exit, stdout, stderr } = await ivrctl([command, ...format, ...rest]);
      const { error, ...others } = JSON.parse(stdout);
      expect([exit, others]).toEqual([1, { format_version: "1.0", diagnostics: [] }]);
      expect(error).toContain(words);
      expect(stderr).toContain(words);
    }
  });

  test("is reported as SARIF", async () => {
    const { exit, stdout } = await ivrctl(["validate", "--format", "sarif", "--nonsense"]);
    expect(exit).toBe(1);
    const [run] = JSON.parse(stdout).runs;
    expect(run.invocations[0].executionSuccessful).toBe(false);
    const [problem] = run.invocations[0].toolConfigurationNotifications;
    expect(problem.message.text).toContain("There is no option `--nonsense`.");
  });

  test("is reported as an annotation", async () => {
    const { exit, stdout } = await ivrctl(["validate", "--format", "github", "--100%"]);
    expect(exit).toBe(1);
    expect(stdout).toMatch(/^::error title=ivrctl::There is no option `--100%25`\. .*\n$/);
  });

  test.each(["plan", "diff"])("is reported in a comment: %s", async (command) => {
    const { exit, stdout } = await ivrctl([command, "--format", "markdown", "--<b>"]);
    expect(exit).toBe(1);
    expect(stdout).toMatch(/^> \[!CAUTION\]\n> There is no option <code>--&#60;b&#62;<\/code>/);
  });

  test.each([
    [["graph", "--format", "svg", "--nonsense"], "no picture"],
    [["validate", "--format", "yaml"], "the format does not exist"],
    [["plan", "--format", "sarif", "--nonsense"], "the command does not have the format"],
    [["graph", "--format", "json"], "the command does not have the format"],
    [["validate", "--nonsense", "--format"], "the format is missing"],
    [["plan", "--nonsense", "--", "--format", "json"], "the format is an argument"],
  ])("is reported only on stderr: %j, because %s", async (args) => {
    const { exit, stdout, stderr } = await ivrctl(args);
    expect([exit, stdout]).toEqual([1, ""]);
    expect(stderr).toMatch(/^ivrctl: \S/);
  });
});
