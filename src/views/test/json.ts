import type { Walk } from "../../call/model.ts";
import { nameOf } from "../../call/model.ts";
import type { TestResult } from "../../call/run.ts";
import type { Expected } from "../../call/tests.ts";
import { plainDiagnostics } from "../diagnostics/json.ts";
import { reachedJson, stepJson } from "../call-words.ts";
import { formatVersion, toJson } from "../json.ts";
import { type Report, placeOf } from "./report.ts";

export function reportJson(report: Report): string {
  const { results, notRun, diagnostics } = report;
  return toJson({
    format_version: formatVersion,
    summary: {
      passed: results.filter(({ misses }) => misses.length === 0).length,
      failed: results.filter(({ misses }) => misses.length > 0).length,
    },
    tests: results.map(resultJson),
    not_run: notRun,
    diagnostics: plainDiagnostics(diagnostics),
  });
}

function resultJson(result: TestResult): object {
  const { key, test, walk, misses } = result;
  return {
    key,
    name: test.name,
    passed: misses.length === 0,
    ...placeOf(test),
    expected: expectedJson(test.expected),
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
