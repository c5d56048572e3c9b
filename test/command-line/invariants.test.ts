import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { exampleProject } from "../support/cli.ts";
import { ivrctl } from "../support/commands.ts";
import { menu } from "../support/project.ts";

const config = readFileSync(join(import.meta.dirname, "../../ivrctl.yaml"), "utf8");
const line = config.split("\n").length + 1;

interface Options {
  readonly env?: Record<string, string>;
  readonly args?: readonly string[];
}

async function held(invariant: string, files: Record<string, string> = {}, options: Options = {}) {
  const cwd = exampleProject({
    "ivrctl.yaml": `${config}\ninvariants:\n  - ${invariant}\n`,
    ...files,
  });
  const { args = [], env = {} } = options;
  const { exit, stdout } = await ivrctl(["test", "--format", "json", ...args], { cwd, env });
  const { tests, summary, diagnostics } = JSON.parse(stdout);
  const broken = tests.filter(({ passed }: { passed: boolean }) => !passed);
  return { exit, broken, summary, diagnostics, cwd };
}

describe("invariants", () => {
  test("are reported as failed tests, with their line and the call that breaks them", async () => {
    const sales = { "ivrs/sales.yaml": menu("Sales") };
    const { exit, broken, summary, cwd } = await held(
      "{ name: Zero is the desk, key: 0, reaches: Front Desk }",
      sales,
    );
    expect({ exit, summary }).toEqual({ exit: 1, summary: { passed: 3, failed: 1 } });
    expect(broken).toMatchObject([
      {
        key: "sales",
        name: "Zero is the desk",
        file: "ivrctl.yaml",
        line: line + 1,
        expected: { invariant: "the menu has key 0" },
        actual: { via: "timeout", walk: [{ press: "0", as: "invalid" }, {}, {}, {}] },
      },
    ]);
    const { stdout } = await ivrctl(["test"], { cwd });
    expect(stdout).toContain(
      `✗ sales breaks the invariant: Zero is the desk\n  --> ivrctl.yaml:${line + 1}\n`,
    );
    expect(stdout).toContain("  - expected   the menu has key 0\n");
    expect(stdout).toContain("1 of 1 invariant broken, in 1 menu.\n");
    const junit = await ivrctl(["test", "--format", "junit"], { cwd });
    expect(junit.stdout).toContain(
      '<testcase classname="sales" name="Zero is the desk" file="ivrctl.yaml"',
    );
  });

  test.each([
    ["{ not_blocked: true }", []],
    ["{ max_heard: 6 }", []],
    ["{ max_heard: 5 }", ["every path hears at most 5 recordings"]],
    ["{ max_steps: 5 }", []],
    ["{ max_steps: 4 }", ["every path takes at most 4 steps"]],
    ["{ key: 0, reaches: Front Desk }", []],
    ["{ key: 1, reaches: { team: Sales } }", []],
    ["{ key: 2, reaches: Ravi Kumar }", []],
    ["{ key: 2, via: option, reaches: Ravi Kumar }", []],
    ["{ key: 2, reaches: { team: Sales } }", ["key 2 reaches team Sales"]],
    ["{ key: star, max_steps: 9 }", ["key * takes at most 9 steps"]],
    ["{ via: timeout, reaches: Front Desk }", []],
    ["{ via: invalid, reaches: Asha Rao }", ["invalid reaches Asha Rao"]],
    ["{ menus: other/*, max_steps: 0 }", []],
    ["{ menus: [other, exam*], max_steps: 0 }", ["every path takes at most 0 steps"]],
    ["{ except: '**', max_steps: 0 }", []],
  ])("are checked on every path: %s", async (invariant, names) => {
    const { broken, exit } = await held(invariant);
    expect(broken.map(({ name }: { name: string }) => name)).toEqual(names);
    expect(exit).toBe(names.length === 0 ? 0 : 1);
  });

  test("are broken by an agent who is blocked or missing", async () => {
    for (const agent of ["Meera Joshi", "Nobody", "Ravi Kumar"]) {
      const { broken } = await held("{ not_blocked: true }", {
        "ivrs/sales.yaml": menu("Sales", agent),
      });
      expect(broken).toMatchObject([{ key: "sales", name: "every path reaches no blocked agent" }]);
    }
  });

  test("are checked only for the files on the command line", async () => {
    const options = { args: ["ivrs/example.yaml"] };
    const { broken } = await held(
      "{ max_steps: 0 }",
      { "ivrs/sales.yaml": menu("Sales") },
      options,
    );
    expect(broken.map(({ key }: { key: string }) => key)).toEqual(["example"]);
  });

  test.each([
    ["IVR802", "{ menus: example }", "does not say what must hold.", 7],
    ["IVR802", "{ menus: exmaple, max_steps: 9 }", "applies to no menu", 7],
    ["IVR802", "{ key: 1, via: timeout, max_steps: 9 }", "No call takes both key 1 and", 20],
    ["IVR802", "{ key: star, via: invalid, max_steps: 9 }", "No call takes both key * and", 23],
    ["IVR201", "{ max_hear: 3 }", "There is no field `max_hear` in `invariants[0]`.", 7],
    ["IVR203", "{ max_heard: few }", "`invariants[0].max_heard` must be a whole number", 18],
    ["IVR203", "{ via: timeot, max_steps: 9 }", "`invariants[0].via` must be", 12],
    ["IVR203", "{ not_blocked: false }", "`invariants[0].not_blocked` must be `true`", 20],
    ["IVR301", "{ key: 0, reaches: Front Dsk }", "No agent is called `Front Dsk`.", 24],
    ["IVR301", "{ reaches: { team: Slaes } }", "There is no team `Slaes`.", 24],
    ["IVR218", '{ max_steps: "${MOST}" }', "`${MOST}` is replaced only under", 18],
  ])("%s is reported by test and validate: %s", async (code, invariant, message, column) => {
    const { diagnostics, cwd } = await held(invariant);
    const { stdout } = await ivrctl(["validate", "--format", "json"], { cwd });
    for (const found of [diagnostics, JSON.parse(stdout).diagnostics]) {
      expect(found).toHaveLength(1);
      expect(found[0]).toMatchObject({ code, file: "ivrctl.yaml", line: line + 1, column });
      expect(found[0].message).toContain(message);
    }
  });

  test("are ignored by compile and plan", async () => {
    const { cwd } = await held("{ max_steps: 0 }");
    expect((await ivrctl(["compile"], { cwd })).exit).toBe(0);
  });
});
