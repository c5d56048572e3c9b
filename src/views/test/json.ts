import type { Violation } from "../../call/verdict.ts";
import { type Walk, nameOf } from "../../call/model.ts";
import type { TestResult } from "../../call/verdict.ts";
import type { Expected } from "../../call/tests.ts";
import { reachedJson, stepJson } from "../call-words.ts";
import { plainDiagnostics } from "../diagnostics/json.ts";
import { formatVersion, toJson } from "../json.ts";
import { type Covered, type Report, passed, placeOf } from "./report.ts";
import { violationLines } from "./walk.ts";

/** A menu that breaks an invariant is a failed test of that menu. */
export function reportJson(report: Report): string {
  const { results, violations, notRun, coverage, diagnostics } = report;
  const good = results.filter(passed).length;
  return toJson({
    format_version: formatVersion,
    summary: { passed: good, failed: results.length - good + violations.length },
    tests: [...results.map(resultJson), ...violations.map(violationJson)],
    not_run: notRun,
    ...(coverage === undefined ? {} : { coverage: coverageJson(coverage) }),
    diagnostics: plainDiagnostics(diagnostics),
  });
}

function coverageJson({ ways, tested, percent, menus }: Covered): object {
  return { ways, tested, percent, menus };
}

function resultJson(result: TestResult): object {
  const { key, test, walk } = result;
  return {
    key,
    name: test.name,
    passed: passed(result),
    ...placeOf(test),
    expected: expectedJson(test.expected),
    actual: actualJson(walk),
  };
}

function violationJson(violation: Violation): object {
  const { key, invariant, walk } = violation;
  const expected = violationLines(violation).flatMap((line) => (line.expected ? line.comes : []));
  return {
    key,
    name: invariant.name,
    passed: false,
    ...placeOf(invariant),
    expected: { invariant: expected.join("; ") },
    actual: actualJson(walk),
  };
}

function expectedJson({ reached, via, heard, steps }: Expected): object {
  return {
    ...(reached === undefined ? {} : { reached: reachedJson(reached) }),
    ...(via === undefined ? {} : { via }),
    ...(heard === undefined ? {} : { heard: heard.map(nameOf) }),
    ...(steps === undefined ? {} : { steps }),
  };
}

/** The same fields, and the walk that led there. */
function actualJson({ landed, heard, steps, unused }: Walk): object {
  return {
    reached: reachedJson(landed.destination),
    via: landed.via,
    heard: heard.map(nameOf),
    steps: steps.length,
    unused,
    walk: steps.map(stepJson),
  };
}
