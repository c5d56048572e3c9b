import { describe, expect, test } from "vitest";
import { exampleProject } from "../support/cli.ts";
import { ivrctl } from "../support/commands.ts";
import { menu } from "../support/project.ts";
import { type Element, parseXml } from "../support/xml.ts";

describe("test --format junit", () => {
  const odd = `A <\\"&'> name \\u0007\\u202E\\uFFFE end`;
  const files = {
    "ivrs/sales.yaml": menu(
      "Sales",
      "Asha Rao",
      `tests:\n  - { press: 1, via: option }\n  - { press: 1, via: timeout, name: "${odd}" }\n`,
    ),
    "ivrs/broken.yaml": "name: Broken\n",
  };

  test("is valid XML with any test name, and its counts are right", async () => {
    const cwd = exampleProject(files);
    const { exit, stdout } = await ivrctl(["test", "--format", "junit"], { cwd });
    expect(exit).toBe(1);
    const root = parseXml(stdout);
    expect(root.name).toBe("testsuites");
    const cases = root.children.flatMap(({ children }) => children);
    const counts = (of: readonly Element[]) => ({
      tests: String(of.length),
      failures: String(of.filter(({ children }) => children[0]?.name === "failure").length),
      errors: String(of.filter(({ children }) => children[0]?.name === "error").length),
    });
    expect(root.attributes).toMatchObject(counts(cases));
    for (const suite of root.children)
      expect(suite.attributes).toMatchObject(counts(suite.children));
    expect(root.children.map(({ attributes }) => attributes["name"])).toEqual([
      "example",
      "sales",
      "diagnostics",
    ]);
    const [passed, failed] = root.children[1]?.children ?? [];
    expect(passed?.attributes).toEqual({
      classname: "sales",
      name: "press 1",
      file: "ivrs/sales.yaml",
      line: "8",
      time: "0",
    });
    expect(failed?.attributes["name"]).toBe(`A <"&'> name ␇\\u{202E}\uFFFD end`);
    expect(failed?.children[0]?.attributes["message"]).toBe("expected: via timeout");
    expect(failed?.children[0]?.text).toContain(
      "ivrs/sales.yaml:9\n  calls: hears 10\n  presses 1: an option of the menu\n",
    );
    expect(
      new Set(cases.map(({ attributes }) => `${attributes["classname"]} ${attributes["name"]}`))
        .size,
    ).toBe(cases.length);
  });

  test("names files from the root of the repository if GitHub or GitLab sets it", async () => {
    const cwd = exampleProject();
    const parent = cwd.replace(/\/[^/]+$/, "");
    for (const name of ["GITHUB_WORKSPACE", "CI_PROJECT_DIR"]) {
      const { stdout } = await ivrctl(["test", "--format", "junit"], {
        cwd,
        env: { [name]: parent },
      });
      const [first] = parseXml(stdout).children[0]?.children ?? [];
      expect(first?.attributes["file"]).toBe(`${cwd.slice(parent.length + 1)}/ivrs/example.yaml`);
    }
  });

  test.each([
    [["--env", "nope"], "nope"],
    [["--env", "<zz>"], "<zz>"],
  ])("is also printed if there are no tests to run: %j", async (args, words) => {
    for (const format of [["--format", "junit"], ["--format=junit"]]) {
      const { exit, stdout } = await ivrctl(["test", ...format, ...args]);
      expect(exit).toBe(1);
      const root = parseXml(stdout);
      expect(root.attributes).toMatchObject({ tests: "1", failures: "0", errors: "1" });
      const [error] = root.children[0]?.children[0]?.children ?? [];
      expect(error).toMatchObject({ name: "error", attributes: { type: "IVR402" } });
      expect(error?.attributes["message"]).toContain(words);
    }
  });
});

describe("test --coverage", () => {
  test("shows the keys and paths that no test covers", async () => {
    const cwd = exampleProject({ "ivrs/sales.yaml": menu("Sales") });
    const { exit, stdout } = await ivrctl(["test", "--coverage"], { cwd });
    expect(exit).toBe(0);
    expect(stdout).toBe(`example: 3 of 5 paths tested, not tested: key 1, key 0
sales: 0 of 3 paths tested, not tested: key 1, invalid, timeout

3 passed, 0 failed, in 1 menu.
3 of 8 paths tested: 37.5%.
`);
  });

  test("is in the JSON only with --coverage", async () => {
    const cwd = exampleProject();
    const run = async (...args: string[]) =>
      JSON.parse((await ivrctl(["test", "--format", "json", ...args], { cwd })).stdout);
    expect((await run("--coverage")).coverage).toEqual({
      paths: 5,
      tested: 3,
      percent: 60,
      menus: [{ key: "example", paths: 5, untested: ["key 1", "key 0"] }],
    });
    expect(await run()).not.toHaveProperty("coverage");
  });

  test("counts only the path by which a call ends, and no wrong key if all keys are options", async () => {
    const keys = "0123456789*#".split("").map((key) => `"${key}": Asha Rao`);
    const cwd = exampleProject({
      "ivrs/example.yaml": menu("All", "x", "tests: [{ press: _, via: timeout }]\n").replace(
        "{ 1: x }",
        `{ ${keys.join(", ")} }`,
      ),
    });
    const { stdout } = await ivrctl(["test", "--coverage", "--format", "json"], { cwd });
    const { coverage } = JSON.parse(stdout);
    expect(coverage).toMatchObject({ paths: 13, tested: 1 });
    expect(coverage.menus[0].untested).not.toContain("invalid");
  });
});
