import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { ivrctl } from "../support/commands.ts";

const cwd = join(import.meta.dirname, "../../examples/flow");

describe("examples/flow", () => {
  test("is valid, without warnings and notes", async () => {
    const { exit, stdout } = await ivrctl(["validate"], { cwd });
    expect(stdout).toBe("2 menus are valid for the environment sandbox.\n");
    expect(exit).toBe(0);
  });

  test("passes its tests, which cover every path", async () => {
    const { exit, stdout } = await ivrctl(["test", "--min-coverage", "100"], { cwd });
    expect(stdout).toContain("10 passed, 0 failed, in 2 menus.");
    expect(stdout).toContain("3 invariants checked on every path: none broken.");
    expect(exit).toBe(0);
  });

  test("is the flow in docs/graph.md", async () => {
    const { stdout } = await ivrctl(["graph", "--format", "svg"], { cwd });
    await expect(stdout).toMatchFileSnapshot(join(cwd, "../../docs/graph-flow.svg"));
  });

  test.each([
    ["call", "main", "--press", "1,2"],
    ["graph", "main"],
  ])("runs %s", async (...args) => {
    const { exit, stdout } = await ivrctl(args, { cwd });
    expect(stdout).toContain("Sales");
    expect(exit).toBe(0);
  });
});
