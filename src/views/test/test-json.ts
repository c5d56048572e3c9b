import { aliasOrId } from "../../call/simulated-call.ts";
import type { Expected } from "../../call/tests.ts";
import type { TestCall, TestContent } from "../../schema/output/test-output.ts";
import { callJson, reachedJson } from "../call-lines.ts";
import { diagnosticsJson } from "../json.ts";
import { type TestReport, type Reported, expectedText } from "./test-report.ts";

/** The report as JSON. A menu that breaks an invariant is a failed test of that menu. */
export function reportJson({ calls, notRun, coverage, diagnostics }: TestReport): string {
  const tests = calls.map(testJson);
  const passed = tests.filter((test) => test.passed).length;
  const content: TestContent = {
    summary: { passed, failed: tests.length - passed },
    tests,
    not_run: notRun,
    ...(coverage && { coverage }),
  };
  return diagnosticsJson(diagnostics, content);
}

function testJson({ key, name, file, line, expected, walk, failed }: Reported): TestCall {
  return {
    key,
    name,
    passed: failed === undefined,
    file,
    line,
    expected: expected ? expectedJson(expected) : { invariant: expectedText(failed ?? []) },
    actual: callJson(walk),
  };
}

function expectedJson({ reached, via, heard, in: inMenu, steps }: Expected): TestCall["expected"] {
  return {
    ...(reached && { reached: reachedJson(reached) }),
    ...(via && { via }),
    ...(heard && { heard: heard.map(aliasOrId) }),
    ...(inMenu !== undefined && { in: inMenu }),
    ...(steps !== undefined && { steps }),
  };
}
