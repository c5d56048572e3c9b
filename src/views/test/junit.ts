import type { Diagnostic } from "../../diagnostics/diagnostic.ts";
import type { Span } from "../../diagnostics/source.ts";
import type { CallLine } from "../call-lines.ts";
import { element, xmlDocument, xmlText } from "../xml.ts";
import { coverageWords, untestedRows } from "./coverage.ts";
import { type Covered, type Report, passed, placeOf } from "./report.ts";
import { testLines, violationLines } from "./walk.ts";

/**
 * JUnit XML as GitLab, and the reporters for GitHub, read it: a suite for each
 * menu, one for what kept tests from being run, and one for the coverage that
 * was asked for. `prefix` leads from the repository's root to the project.
 */
export function reportJunit(report: Report, prefix: string): string {
  const { results, violations, diagnostics, coverage } = report;
  const cases = [
    ...results.map((result) => {
      const { key, test } = result;
      return callCase(key, test, passed(result) ? undefined : testLines(result), prefix);
    }),
    ...violations.map((violation) => {
      const { key, invariant } = violation;
      return callCase(key, invariant, violationLines(violation), prefix);
    }),
    ...diagnostics
      .filter(({ severity }) => severity === "error")
      .map((fault) => faultCase(fault, prefix)),
    ...(coverage?.least === undefined ? [] : [coverageCase(coverage, coverage.least)]),
  ];
  const suites = [...bySuite(cases)].map(([name, own]) =>
    element(
      "testsuite",
      { name, ...countsOf(own), skipped: 0 },
      own.map(({ xml }) => xml).join(""),
    ),
  );
  const about = { name: "ivrctl test", ...countsOf(cases) };
  return xmlDocument(element("testsuites", about, suites.join("")));
}

interface Case {
  readonly suite: string;
  readonly outcome: "passed" | "failure" | "error";
  readonly xml: string;
}

function callCase(
  key: string,
  call: { readonly name: string; readonly at: Span },
  failed: readonly CallLine[] | undefined,
  prefix: string,
): Case {
  const { file, line } = placeOf(call);
  const about = { classname: key, name: call.name, file: prefix + file, line, time: 0 };
  if (failed === undefined) {
    return { suite: key, outcome: "passed", xml: element("testcase", about) };
  }
  const expected = failed.flatMap((row) => (row.expected ? row.comes : [])).join("; ");
  const rows = failed.map((row) => `${row.expected ? "-" : " "} ${row.what}: ${row.comes}`);
  const text = [`${prefix}${file}:${line}`, ...rows];
  const failure = element(
    "failure",
    { message: `expected: ${expected}`, type: "call" },
    lines(text),
  );
  return { suite: key, outcome: "failure", xml: element("testcase", about, failure) };
}

function faultCase(diagnostic: Diagnostic, prefix: string): Case {
  const { code, message, file, line, column, hint } = diagnostic;
  // Several fields can be missing at one place.
  const name = `${line}:${column} ${code}: ${message}`;
  const about = { classname: file, name, file: prefix + file, line, time: 0 };
  const text = [`${prefix}${file}:${line}:${column}`, message, hint ?? []].flat();
  const fault = element("error", { message, type: code }, lines(text));
  return { suite: "diagnostics", outcome: "error", xml: element("testcase", about, fault) };
}

function coverageCase(coverage: Covered, least: number): Case {
  const suite = "coverage";
  const about = { classname: suite, name: `at least ${least} % of the ways`, time: 0 };
  if (!coverage.short) return { suite, outcome: "passed", xml: element("testcase", about) };
  const message = coverageWords(coverage);
  const text = lines([message, ...untestedRows(coverage)]);
  const failure = element("failure", { message, type: suite }, text);
  return { suite, outcome: "failure", xml: element("testcase", about, failure) };
}

function bySuite(cases: readonly Case[]): Map<string, Case[]> {
  const suites = new Map<string, Case[]>();
  for (const one of cases) {
    const own = suites.get(one.suite);
    if (own === undefined) suites.set(one.suite, [one]);
    else own.push(one);
  }
  return suites;
}

function countsOf(cases: readonly Case[]) {
  const of = (outcome: Case["outcome"]) => cases.filter((one) => one.outcome === outcome).length;
  return { tests: cases.length, failures: of("failure"), errors: of("error") };
}

function lines(text: readonly string[]): string {
  return text.map((line) => `${xmlText(line)}\n`).join("");
}
