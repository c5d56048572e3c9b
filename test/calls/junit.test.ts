import { describe, expect, test } from "vitest";
import { exampleProject } from "../support/cli.ts";
import { ivrctl } from "../support/commands.ts";
import { menu } from "../support/project.ts";
import { type Element, parseXml } from "../support/xml.ts";

// The golden cases in test/cases/calls show what `ivrctl test` prints.
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
