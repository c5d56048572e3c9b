import { describe, expect, test } from "vitest";
import { exampleProject } from "../support/cli.ts";
import { ivrctl } from "../support/commands.ts";
import { menu } from "../support/project.ts";

/** The example project with additional files, and `ivrctl test` in it. */
function tested(files: Readonly<Record<string, string>> = {}) {
  const cwd = exampleProject(files);
  const run = (...args: string[]) => ivrctl(["test", ...args], { cwd });
  return {
    run,
    json: async (...args: string[]) => {
      const { exit, stdout } = await run(...args, "--format", "json");
      return { exit, value: JSON.parse(stdout) };
    },
  };
}

const sales = (tests: string) => ({ "ivrs/sales.yaml": menu("Sales", "Asha Rao", tests) });

describe("test", () => {
  test("the tests of the example pass", async () => {
    const { run } = tested();
    expect(await run()).toEqual({
      exit: 0,
      stdout: "3 passed, 0 failed, in 1 menu.\n",
      stderr: "",
    });
    expect((await run("--verbose")).stdout).toContain("✓ example: press 9,9,9\n");
    expect(await run("--quiet")).toEqual({ exit: 0, stdout: "", stderr: "" });
  });

  test("prints the results as JSON", async () => {
    const { json } = tested();
    const { exit, value } = await json();
    expect(exit).toBe(0);
    expect(value).toMatchObject({
      format_version: "1.0",
      summary: { passed: 3, failed: 0 },
      diagnostics: [],
    });
    expect(value.tests[1]).toEqual({
      key: "example",
      name: "press 9,9,9",
      passed: true,
      file: "ivrs/example.yaml",
      line: 20,
      expected: { reached: { name: "Front Desk", eid: "500104" }, via: "invalid" },
      actual: {
        reached: { name: "Front Desk", eid: "500104" },
        via: "invalid",
        heard: ["welcome", "not-valid", "not-valid", "not-valid"],
        in: "example",
        steps: 3,
        unused: [],
        walk: [1, 2, 3].map((count) => ({
          in: "example",
          press: "9",
          as: "invalid",
          count,
          of: 3,
          heard: ["not-valid"],
          next: count === 3 ? "end" : "wait",
        })),
      },
    });
  });

  test("a failed test shows the call step by step, with what was expected", async () => {
    const { run } = tested(
      sales(
        'tests:\n  - { name: Two wrong keys, press: [9, 1, 7], reaches: Front Desk, via: invalid, hears: ["10", "12"], steps: 4 }\n',
      ),
    );
    const { exit, stdout } = await run("ivrs/sales.yaml");
    expect(exit).toBe(1);
    expect(stdout).toBe(`✗ sales: Two wrong keys
  --> ivrs/sales.yaml:8
    calls      hears 10
    presses 9  wrong key 1 of 3; hears 11
  - expected   hears 12
    presses 1  an option of the menu
    ends       at Asha Rao (extension 500101), via option, after 2 steps
  - expected   at Front Desk (extension 500104), via invalid, after 4 steps
  - expected   to press 7 next, but the call has ended

0 passed, 1 failed, in 1 menu.
`);
  });

  test.each([
    ["a key that is a number", "press: 1, reaches: Asha Rao, via: option, steps: 1"],
    ["star", "press: star, via: invalid, reaches: Front Desk", false],
    ["silence", "press: [_, _, _], via: timeout, hears: ['10', '12', '12', '13']"],
    ["an extension", "press: 1, reaches: { eid: '500101' }"],
    ["fields of an agent", "press: 1, reaches: { team: Sales, intercom: 1001 }"],
    ["another path", "press: 1, via: timeout", false],
    ["a key after the end", "press: [1, 1], via: option", false],
    ["too few expected recordings", "press: 1, hears: []", false],
    ["too many expected recordings", "press: 1, hears: ['10', '11']", false],
  ])("compares the call with the expectations: %s", async (_, body, passes = true) => {
    const { json } = tested(sales(`tests: [{ ${body} }]\n`));
    const { exit, value } = await json("ivrs/sales.yaml");
    // A star is wrong key 1 of 3. Then the caller is silent until the call ends.
    expect(value.tests.map(({ passed }: { passed: boolean }) => passed)).toEqual([passes]);
    expect(exit).toBe(passes ? 0 : 1);
  });

  test("an invalid menu is reported, and the tests of other menus still run", async () => {
    const { run, json } = tested(sales("tests: [{ press: 1, reaches: Asha Rao }]\ncolour: blue\n"));
    const { exit, stdout, stderr } = await run();
    expect(exit).toBe(1);
    expect(stdout).toMatch(/^error\[IVR201\]: There is no field `colour`\./);
    expect(stdout).toMatch(
      /\n1 error\n3 passed, 0 failed, in 1 menu\.\nNot tested because of errors: sales\.\n$/,
    );
    expect(stderr).toBe("");
    const { value } = await json();
    expect(value.not_run).toEqual(["sales"]);
    expect(value.diagnostics).toMatchObject([{ code: "IVR201", file: "ivrs/sales.yaml" }]);
  });

  test.each([
    ["IVR203", "press: 12, via: option", "`12` is not a phone key", 1, 17],
    ["IVR203", `press: ${"x".repeat(5000)}, via: option`, "`xxx", 1, 17],
    ["IVR802", "press: 1", "does not say what to expect", 0, 10],
    ["IVR301", "press: 1, reaches: Asha Roa", "No agent is called `Asha Roa`", 1, 29],
    ["IVR302", "press: 1, reaches: { agent: Ravi Kumar }", "2 agents have the name", 1, 38],
    ["IVR303", "press: 1, reaches: 1004", "`1004` is a number", 1, 29],
    ["IVR307", "press: 1, hears: ['10', wlcome]", "There is no recording", 1, 34],
    ["IVR201", "press: 1, reach: Asha Rao", "There is no field `reach`", 1, 20],
    ["IVR203", "press: 1, steps: many", "must be a whole number", 1, 27],
  ])(
    "reports %s at its exact place, as validate does: %s",
    async (code, body, words, exit, column) => {
      const cwd = exampleProject(sales(`tests: [{ ${body} }]\n`));
      for (const command of ["test", "validate"]) {
        const run = await ivrctl([command, "--format", "json"], { cwd });
        expect(run.exit).toBe(exit);
        // Only `validate` reports that the menu has no key 0.
        const diagnostics = JSON.parse(run.stdout).diagnostics.filter(
          (found: { code: string }) => found.code !== "IVR703",
        );
        expect(diagnostics).toMatchObject([
          { code, file: "ivrs/sales.yaml", line: 7, column: column + 1 },
        ]);
        expect(diagnostics[0].message).toContain(words);
      }
    },
  );

  test("reports an agent who is blocked or missing where the call ends", async () => {
    const { run } = tested({
      "ivrs/sales.yaml": menu(
        "Sales",
        "Meera Joshi",
        "tests: [{ press: 1, reaches: Front Desk }, { press: _, via: option }]\n",
      ).replace("destination: Front Desk }\ntests", "destination: Nobody }\ntests"),
    });
    const { exit, stdout } = await run("ivrs/sales.yaml");
    expect(exit).toBe(1);
    expect(stdout).toContain(
      "at Meera Joshi (extension 500105), who is blocked and gets no calls,",
    );
    expect(stdout).toContain("at Nobody (not on the agent list), via timeout");
    expect(stdout).toContain("0 passed, 2 failed, in 1 menu.\n");
    expect(stdout).not.toContain("Not tested");
    expect(stdout).toContain("error[IVR304 blocked-agent]");
    expect(stdout).toContain("error[IVR301]");
  });

  test("counts more than 1000 retries as 1000", async () => {
    const { json } = tested({
      "ivrs/sales.yaml": menu(
        "Sales",
        "Asha Rao",
        "tests: [{ press: [], via: timeout }]\n",
      ).replace("wait: 5, retries: 2", "wait: 5, retries: 99999999999999999999"),
    });
    const { value } = await json("ivrs/sales.yaml");
    expect(value.tests[0].actual.steps).toBe(1001);
  });

  test("runs no test without an agent list", async () => {
    const cwd = exampleProject();
    const { exit, stdout } = await ivrctl(["test", "--agents", "none.json"], { cwd });
    expect(exit).toBe(1);
    expect(stdout).toContain("IVR121");
    expect(stdout).toMatch(/\nNot tested because of errors: example\.\n$/);
  });

  test("a menu without tests is not an error", async () => {
    const { run } = tested({ "ivrs/sales.yaml": menu("Sales") });
    expect(await run("ivrs/sales.yaml")).toEqual({
      exit: 0,
      stdout: "There are no tests to run.\n",
      stderr: "",
    });
  });
});
