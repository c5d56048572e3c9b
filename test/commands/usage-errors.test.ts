import { expect, test } from "vitest";
import { ivrctl } from "../support/commands.ts";

test.each([
  ["validate", "--format", "json", "--nonsense"],
  ["plan", "--format", "markdown", "extra"],
  ["validate", "--format", "yaml"],
  ["nonsense", "--format", "json"],
  ["validate", "--format"],
])("a wrong command line is reported only on stderr: %j", async (...args) => {
  const { exit, stdout, stderr } = await ivrctl(args);
  expect([exit, stdout]).toEqual([1, ""]);
  expect(stderr).toMatch(/^ivrctl: \S/);
});

test.each(["many", "-1", ""])("a wrong value is reported in the format: %j", async (value) => {
  const { exit, stdout } = await ivrctl(["plan", `--max-creates=${value}`, "--format", "json"]);
  expect([exit, JSON.parse(stdout)]).toMatchObject([
    1,
    { error: expect.stringContaining("--max-creates"), diagnostics: [] },
  ]);
});
