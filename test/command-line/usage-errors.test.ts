import { expect, test } from "vitest";
import { ivrctl } from "../support/commands.ts";

test.each(["many", "-1", ""])("a wrong value is reported in the format: %j", async (value) => {
  const { exit, stdout } = await ivrctl(["plan", `--max-creates=${value}`, "--format", "json"]);
  expect([exit, JSON.parse(stdout)]).toMatchObject([
    1,
    { error: expect.stringContaining("--max-creates"), diagnostics: [] },
  ]);
});
