import { cpSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { folder, root } from "../support/cli.ts";
import { ivrctl } from "../support/commands.ts";

test("the example with many similar menus is valid, tested and applied", async () => {
  const cwd = folder({});
  cpSync(join(root, "examples/shops"), cwd, { recursive: true });
  const run = async (...args: string[]) => {
    const { exit, stdout } = await ivrctl(args, { cwd });
    return { exit, stdout };
  };
  const valid = "6 menus are valid for the environment sandbox.\n";
  expect(await run("validate")).toEqual({ exit: 0, stdout: valid });
  expect(await run("fmt", "--check")).toEqual({ exit: 0, stdout: "" });
  expect(await run("test")).toEqual({ exit: 0, stdout: "12 passed, 0 failed, in 6 menus.\n" });
  expect((await run("plan")).stdout).toMatch(/\nPlan: 6 to create; 0 unchanged\.\n$/);
  expect((await run("apply", "--auto-approve")).stdout).toBe("sandbox: 6 created.\n");
  expect((await run("plan")).stdout).toBe("Nothing to do: 6 unchanged.\n");
});
