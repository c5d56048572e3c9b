import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import {
  cases,
  compileCommand,
  isRuleCase,
  projectOf,
  withOutput,
  withoutCount,
} from "./support/cases.ts";
import { ivrctl } from "./support/commands.ts";
import { pick } from "./support/json.ts";
import { allCodes } from "../src/rules/explanations.ts";

// The section payloads.json has the payloads of a case, or the fields that its command picks, and
// diagnostics.txt its problems. A case of a rule is only about problems. A case without its own ivrctl.yaml or agents.lock.json uses those in _common.txt.
// Only `validate` reports notes.
describe("cases", () => {
  /** What this run prints. `--update` writes it to the files only at the end. */
  const printed: string[] = [];
  const compiled = cases.filter(({ expected }) => expected.transcript === undefined);

  test.each(compiled.map((testCase) => [testCase.name, testCase] as const))(
    "%s",
    async (_, testCase) => {
      const { words, variables, filter } = compileCommand(testCase);
      const options = { cwd: projectOf(testCase), env: variables };
      const flags = words.slice(2);
      const { exit, stdout, stderr } = await ivrctl(["compile", ...flags], options);
      const clean = exit === 0;
      // Both commands read a project the same way, so for most errors one of them is enough.
      const validated =
        clean || isRuleCase(testCase)
          ? await ivrctl(["validate", "--quiet", ...flags], options)
          : undefined;

      if (validated !== undefined) expect(validated.exit).toBe(exit);
      const problems = (isRuleCase(testCase) ? validated?.stdout : stderr) ?? "";
      printed.push(problems);
      const shown = withoutCount(problems);
      // Every list of problems ends with the right count.
      expect(shown === problems).toBe(problems === "");
      const text = withOutput(testCase, {
        ...(clean && !isRuleCase(testCase) && { "payloads.json": pick(stdout, filter.slice(1)) }),
        ...(problems !== "" && { "diagnostics.txt": shown }),
      });
      await expect(text).toMatchFileSnapshot(testCase.file);
    },
  );

  test("every code is in a golden case or in a test", () => {
    const texts = readdirSync(import.meta.dirname, { recursive: true, encoding: "utf8" })
      .filter((file) => /\.test\.ts$|^cases\/.*\.txt$/.test(file))
      .map((file) => readFileSync(join(import.meta.dirname, file), "utf8"))
      .concat(printed)
      .join("\n");
    expect(allCodes().filter((code) => !texts.includes(code))).toEqual([]);
  });
});
