import type { TestCall, TestContent } from "../../../src/schema/output/test-output.ts";

export type TestReport = Pick<TestContent, "tests" | "not_run">;

/** Reads the JSON of `ivrctl test`. Undefined if it is of a different kind. */
export function readReport(text: string): TestReport | undefined {
  try {
    const report = JSON.parse(text);
    const isKnown = String(report.format_version).startsWith("1.") && Array.isArray(report.tests);
    return isKnown ? report : undefined;
  } catch {
    return undefined;
  }
}

/** Returns what a failed test expected and what happened, line by line, to compare them. */
export function difference({ expected, actual }: TestCall): { expected: string; actual: string } {
  if ("invariant" in expected) return { expected: expected.invariant, actual: words(actual) };
  const named = new Set(Object.keys(expected));
  const sameFields = Object.fromEntries(
    Object.entries(actual).filter(([field]) => named.has(field)),
  );
  return { expected: words(expected), actual: words(sameFields) };
}

/** The fields of a call that a test names. */
type Call = Exclude<TestCall["expected"], { readonly invariant: string }>;

function words({ reached, via, in: menu, heard, steps }: Call): string {
  const problem = reached?.problem === undefined ? "" : ` (${reached.problem})`;
  return [
    reached && `reaches ${reached.name}${problem}`,
    menu !== undefined && `in ${menu}`,
    via !== undefined && `via ${via}`,
    heard && `hears ${heard.join(", ")}`,
    steps !== undefined && `${steps} steps`,
  ]
    .filter((line) => line !== false && line !== undefined)
    .join("\n");
}
