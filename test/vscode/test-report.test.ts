import { expect, test } from "vitest";
import { difference, readReport } from "../../editors/vscode/src/test-report.ts";
import { ivrctl } from "../support/commands.ts";
import { exampleProject } from "../support/cli.ts";
import { menu } from "../support/project.ts";

test("the extension reads what `ivrctl test` writes", async () => {
  const tests = `tests:
  - { press: 1, reaches: Front Desk, via: timeout }
  - { press: 1, reaches: Asha Rao }
`;
  const cwd = exampleProject({
    "ivrs/example.yaml": menu("A", "Asha Rao") + tests,
    "ivrs/broken.yaml": `${menu("B", "Asha Rao")}unknown: 1\n${tests}`,
  });
  const { stdout } = await ivrctl(["test", "--format", "json"], { cwd });
  const report = readReport(stdout);
  expect(report?.not_run).toEqual(["broken"]);
  const own = report?.tests.filter(({ key }) => key === "example") ?? [];
  expect(own.map(({ passed }) => passed).slice(0, 2)).toEqual([false, true]);
  expect(own.slice(0, 1).map(difference)).toEqual([
    { expected: "reaches Front Desk\nvia timeout", actual: "reaches Asha Rao\nvia option" },
  ]);
});

test.each([
  "",
  "{",
  "null",
  "[]",
  '{"format_version":"1.0"}',
  '{"format_version":"2.0","tests":[]}',
])("the extension does not read %j", (text) => {
  expect(readReport(text)).toBeUndefined();
});
