import { type Walk, aliasOrId } from "../../call/model.ts";
import type { Coverage } from "../../call/suites.ts";
import type { Expected } from "../../call/tests.ts";
import type { TestCall, TestContent } from "../../schema/output/test.ts";
import { reachedJson, stepJson } from "../call-lines.ts";
import { diagnosticsJson } from "../json.ts";
import {
  type Report,
  type Reported,
  expectedText,
  reportedTest,
  reportedViolation,
} from "./report.ts";

/** The report as JSON. A menu that breaks an invariant is a failed test of that menu. */
export function reportJson(report: Report): string {
  const { results, violations, notRun, coverage, diagnostics } = report;
  const tests = results.map((result) =>
    callJson(reportedTest(result), expectedJson(result.test.expected), result.walk),
  );
  const broken = violations.map((violation) => {
    const reported = reportedViolation(violation);
    const invariant = expectedText(reported.failed ?? []);
    return callJson(reported, { invariant }, violation.walk);
  });
  const passed = tests.filter((test) => test.passed).length;
  const content: TestContent = {
    summary: { passed, failed: tests.length - passed + broken.length },
    tests: [...tests, ...broken],
    not_run: notRun,
    ...(coverage && { coverage: coverageJson(coverage) }),
  };
  return diagnosticsJson(diagnostics, content);
}

function coverageJson({ paths, tested, percent, menus }: Coverage): TestContent["coverage"] {
  return {
    paths,
    tested,
    percent,
    menus: menus.map((menu) => ({ key: menu.key, paths: menu.paths, untested: menu.untested })),
  };
}

function callJson(reported: Reported, expected: TestCall["expected"], walk: Walk): TestCall {
  const { key, name, file, line, failed } = reported;
  const passed = failed === undefined;
  return { key, name, passed, file, line, expected, actual: actualJson(walk) };
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

/** The same fields for the actual call, and its steps. */
function actualJson({ state: end, heard, in: inMenu, steps, unused }: Walk): TestCall["actual"] {
  return {
    reached: reachedJson(end.destination),
    via: end.via,
    heard: heard.map(aliasOrId),
    in: inMenu,
    steps: steps.length,
    unused,
    walk: steps.map(stepJson),
  };
}
