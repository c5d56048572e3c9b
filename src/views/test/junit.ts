import type { Diagnostic } from "../../diagnostics/diagnostic.ts";
import type { Span } from "../../diagnostics/source.ts";
import type { CallLine } from "../call-lines.ts";
import { visible } from "../terminal.ts";
import { type Report, passed, placeOf } from "./report.ts";
import { testLines, violationLines } from "./walk.ts";

/**
 * JUnit XML as GitLab, and the reporters for GitHub, read it: a suite for each
 * menu, and one for what kept tests from being run. `prefix` leads from the
 * repository's root to the project.
 */
export function reportJunit({ results, violations, diagnostics }: Report, prefix: string): string {
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
  ];
  const suites = [...bySuite(cases)].map(([name, own]) =>
    element(
      "testsuite",
      { name, ...countsOf(own), skipped: 0 },
      own.map(({ xml }) => xml).join(""),
    ),
  );
  const all = element("testsuites", { name: "ivrctl test", ...countsOf(cases) }, suites.join(""));
  return `<?xml version="1.0" encoding="UTF-8"?>\n${all}`;
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
  return text.map((line) => `${escaped(visible(line))}\n`).join("");
}

function element(
  name: string,
  attributes: Readonly<Record<string, string | number>>,
  body = "",
): string {
  const given = Object.entries(attributes)
    .map(([key, value]) => ` ${key}="${escaped(visible(String(value)))}"`)
    .join("");
  return body === "" ? `<${name}${given}/>\n` : `<${name}${given}>\n${body}</${name}>\n`;
}

/** What XML cannot carry at all is gone after `visible`, but for two that are no characters. */
function escaped(text: string): string {
  return text.replace(/[<>&"'\uFFFE\uFFFF]/g, (sign) => entities[sign] ?? "");
}

const entities: Readonly<Record<string, string>> = {
  "<": "&lt;",
  ">": "&gt;",
  "&": "&amp;",
  '"': "&quot;",
  "'": "&apos;",
};
