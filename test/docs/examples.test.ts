import { cpSync } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { folder } from "../support/cli.ts";
import { ivrctl } from "../support/commands.ts";

const examples = join(import.meta.dirname, "../../examples");
const cwd = join(examples, "flow");

describe("examples/flow", () => {
  test("is valid, without warnings and notes", async () => {
    const { exit, stdout } = await ivrctl(["validate"], { cwd });
    expect(stdout).toBe("2 menus are valid for the environment sandbox.\n");
    expect(exit).toBe(0);
  });

  test("passes its tests, which cover every path", async () => {
    const { exit, stdout } = await ivrctl(["test", "--coverage"], { cwd });
    expect(stdout).toContain("10 passed, 0 failed, in 2 menus.");
    expect(stdout).toContain("3 invariants checked on every path: none broken.");
    expect(stdout).toContain("tested: 100%.");
    expect(exit).toBe(0);
  });

  test("is planned and applied in two steps, with the id of the second menu between them", async () => {
    const copy = folder({});
    cpSync(cwd, copy, { recursive: true });
    const run = async (...args: string[]) => (await ivrctl(args, { cwd: copy })).stdout;
    expect(await run("plan")).toContain("\nPlan: 1 to create, 1 waiting; 0 unchanged.\n");
    expect(await run("apply", "--auto-approve")).toContain("sandbox: 1 created, 1 waiting.\n");
    expect(
      await run("state", "resolve", "sales/world=1", "--created", "--evidence", "its page"),
    ).toBe("sales/world: has the id 1.\n");
    expect(await run("apply", "--auto-approve")).toBe("sandbox: 1 created.\n");
    expect(await run("plan")).toBe("Nothing to do: 2 unchanged.\n");
    expect(await run("fmt", "--check")).toBe("");
  });

  test("with a key that goes back is the flow in docs/preview.md", async () => {
    const copy = folder({});
    cpSync(cwd, copy, { recursive: true });
    const edit = async (file: string, from: string, to: string) => {
      const path = join(copy, file);
      await writeFile(path, (await readFile(path, "utf8")).replace(from, to));
    };
    await edit("ivrs/main.yaml", "name: Main\n", "name: Main\nentry: true\n");
    await edit("ivrs/sales/world.yaml", "tests:\n", "  star: { for: Back, menu: main }\ntests:\n");
    const { stdout } = await ivrctl(["graph", "--format", "svg"], { cwd: copy });
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

test("examples/shops, with many similar menus, is valid, tested and applied", async () => {
  const copy = folder({});
  cpSync(join(examples, "shops"), copy, { recursive: true });
  for (const [command, printed] of [
    ["validate", /^6 menus are valid for the environment sandbox\.\n$/],
    ["fmt --check", /^$/],
    ["test", /^13 passed, 0 failed, in 6 menus\.\n$/],
    ["plan", /\nPlan: 6 to create; 0 unchanged\.\n$/],
    ["apply --auto-approve", /^sandbox: 6 created\.\n$/],
    ["plan", /^Nothing to do: 6 unchanged\.\n$/],
  ] as const) {
    const { exit, stdout } = await ivrctl(command.split(" "), { cwd: copy });
    expect([exit, stdout]).toEqual([0, expect.stringMatching(printed)]);
  }
});
