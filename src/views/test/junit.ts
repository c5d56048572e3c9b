import { type Diagnostic, diagnosticPlace } from "../../diagnostics/diagnostic.ts";
import { groupBy } from "../../util/group-by.ts";
import { markupText } from "../../util/html.ts";
import type { TestReport, Reported } from "./test-report.ts";
import { hintText } from "../../util/suggest.ts";

/**
 * The report as JUnit XML, as GitLab and the reporters for GitHub read it: a suite for each menu,
 * and one for errors that prevented tests. `prefix` is the path from the root of the repository to
 * the project.
 */
export function reportJunit(report: TestReport, prefix: string): string {
  const errors = report.diagnostics.filter(({ severity }) => severity === "error");
  const cases = [
    ...report.calls.map((reported) => callCase(reported, prefix)),
    ...errors.map((error) => errorCase(error, prefix)),
  ];
  const suites = [...groupBy(cases, ({ suite }) => suite)].map(([name, suiteCases]) => {
    const about = { name, ...countsOf(suiteCases), skipped: 0 };
    return element("testsuite", about, suiteCases.map(({ xml }) => xml).join(""));
  });
  const attributes = { name: "ivrctl test", ...countsOf(cases) };
  return `<?xml version="1.0" encoding="UTF-8"?>\n${element("testsuites", attributes, suites.join(""))}`;
}

interface Case {
  readonly suite: string;
  readonly outcome: "passed" | "failure" | "error";
  readonly xml: string;
}

function callCase({ key, name, file, line, failed }: Reported, prefix: string): Case {
  const attributes = { classname: key, name, file: prefix + file, line, time: 0 };
  if (failed === undefined) {
    return { suite: key, outcome: "passed", xml: element("testcase", attributes) };
  }
  const rows = failed.map((row) => `${row.expected ? "-" : " "} ${row.what}: ${row.text}`);
  const text = lines([`${prefix}${file}:${line}`, ...rows]);
  const reasons = failed.flatMap((row) => (row.expected ? `${row.what}: ${row.text}` : []));
  const message = reasons.join("; ");
  const failure = element("failure", { message, type: "call" }, text);
  return { suite: key, outcome: "failure", xml: element("testcase", attributes, failure) };
}

function errorCase(diagnostic: Diagnostic, prefix: string): Case {
  const { code, message, file, line, column, hint } = diagnostic;
  const place = line === undefined ? "" : `${line}${column === undefined ? "" : `:${column}`} `;
  // The message makes the name unique: several fields can be missing at one place.
  const name = `${place}${code}: ${message}`;
  const lineOrNone = line === undefined ? {} : { line };
  const attributes = { classname: file, name, file: prefix + file, ...lineOrNone, time: 0 };
  const text = [
    prefix + diagnosticPlace(diagnostic),
    message,
    hint === undefined ? [] : hintText(hint),
  ].flat();
  const error = element("error", { message, type: code }, lines(text));
  return { suite: "diagnostics", outcome: "error", xml: element("testcase", attributes, error) };
}

function countsOf(cases: readonly Case[]) {
  const of = (outcome: Case["outcome"]) => cases.filter((one) => one.outcome === outcome).length;
  return { tests: cases.length, failures: of("failure"), errors: of("error") };
}

function lines(text: readonly string[]): string {
  return text.map((line) => `${markupText(line)}\n`).join("");
}

/** An element on separate lines. Its body must already be XML. */
function element(
  name: string,
  attributes: Readonly<Record<string, string | number>>,
  body = "",
): string {
  const pairs = Object.entries(attributes)
    .map(([key, value]) => ` ${key}="${markupText(String(value))}"`)
    .join("");
  return body === "" ? `<${name}${pairs}/>\n` : `<${name}${pairs}>\n${body}</${name}>\n`;
}
