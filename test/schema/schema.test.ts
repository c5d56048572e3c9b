import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { folder } from "../support/cli.ts";
import { ivrctl } from "../support/commands.ts";

const root = join(import.meta.dirname, "../..");

describe("schema", () => {
  test.each([
    ["menu", ["schema"]],
    ["menu", ["schema", "menu"]],
    ["config", ["schema", "config"]],
    ["config", ["schema", "config", "--format", "json"]],
    ["plan-output", ["schema", "plan-output"]],
  ])("prints the committed schema of a %s: ivrctl %j", async (subject, args) => {
    const { exit, stdout, stderr } = await ivrctl(args, { cwd: folder({}) });
    expect({ exit, stderr }).toEqual({ exit: 0, stderr: "" });
    await expect(stdout).toMatchFileSnapshot(join(root, `schema/${subject}.schema.json`));
  });

  test.each([
    [
      ["schema", "menus"],
      "There is no schema `menus`. Use menu, config, test, defaults, validate-output,",
    ],
    [["schema", "menu", "config"], "Unexpected argument `config`."],
    [["schema", "--format", "yaml"], "--format takes json, not yaml."],
  ])("refuses ivrctl %j", async (args, message) => {
    const { exit, stdout, stderr } = await ivrctl(args, { cwd: folder({}) });
    expect({ exit, stdout }).toEqual({ exit: 1, stdout: "" });
    expect(stderr).toContain(message);
  });
});
