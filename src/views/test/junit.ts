import type { TestResult } from "../../call/run.ts";
import type { Diagnostic } from "../../diagnostics/diagnostic.ts";
import { visible } from "../terminal.ts";
import { type Report, placeOf } from "./report.ts";
import { walkLines } from "./walk.ts";

/**
 * JUnit XML as GitLab, and the reporters for GitHub, read it: a suite for each
 * menu, and one for what kept tests from being run. `prefix` leads from the
 * repository's root to the project.
 */
export function reportJunit({ results, diagnostics }: Report, prefix: string): string {
  const suites = [...byKey(results)].map(([key, own]) => ({
    name: key,
    cases: own.map((result) => testCase(result, prefix)),
    failures: own.filter(({ misses }) => misses.length > 0).length,
    errors: 0,
  }));
  const faults = diagnostics.filter(({ severity }) => severity === "error");
  if (faults.length > 0) {
    const cases = faults.map((fault) => faultCase(fault, prefix));
    suites.push({ name: "ivrctl", cases, failures: 0, errors: faults.length });
  }
  const total = (count: (suite: (typeof suites)[number]) => number) =>
    suites.reduce((sum, suite) => sum + count(suite), 0);
  const counts = {
    tests: total(({ cases }) => cases.length),
    failures: total(({ failures }) => failures),
    errors: total(({ errors }) => errors),
  };
  const body = suites.map(({ name, cases, failures, errors }) =>
    element(
      "testsuite",
      { name, tests: cases.length, failures, errors, skipped: 0 },
      cases.join(""),
    ),
  );
  return `<?xml version="1.0" encoding="UTF-8"?>\n${element("testsuites", { name: "ivrctl test", ...counts }, body.join(""))}`;
}

function byKey(results: readonly TestResult[]): Map<string, TestResult[]> {
  const groups = new Map<string, TestResult[]>();
  for (const result of results) {
    const own = groups.get(result.key);
    if (own === undefined) groups.set(result.key, [result]);
    else own.push(result);
  }
  return groups;
}

function testCase(result: TestResult, prefix: string): string {
  const { key, test, misses } = result;
  const { file, line } = placeOf(test);
  const about = { classname: key, name: test.name, file: prefix + file, line, time: 0 };
  if (misses.length === 0) return element("testcase", about);
  const lines = walkLines(result);
  const message = lines
    .filter(({ expected }) => expected)
    .map(({ comes }) => comes)
    .join("; ");
  const rows = lines.map(
    ({ expected, what, comes }) => `${expected ? "-" : " "} ${what}: ${comes}`,
  );
  const walk = [`${prefix}${file}:${line}`, ...rows].map(visible).join("\n");
  const failure = element(
    "failure",
    { message: `expected: ${message}`, type: "test" },
    `${escaped(walk)}\n`,
  );
  return element("testcase", about, failure);
}

function faultCase({ code, message, file, line, hint }: Diagnostic, prefix: string): string {
  const about = {
    classname: file,
    name: `${code} at ${file}:${line}`,
    file: prefix + file,
    line,
    time: 0,
  };
  const text = [`${prefix}${file}:${line}`, message, hint ?? []].flat().map(visible).join("\n");
  return element(
    "testcase",
    about,
    element("error", { message, type: code }, `${escaped(text)}\n`),
  );
}

function element(
  name: string,
  attributes: Readonly<Record<string, string | number>>,
  body = "",
): string {
  const given = Object.entries(attributes).map(
    ([key, value]) => ` ${key}="${escaped(visible(String(value)))}"`,
  );
  return body === ""
    ? `<${name}${given.join("")}/>\n`
    : `<${name}${given.join("")}>\n${body}</${name}>\n`;
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
