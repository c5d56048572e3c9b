import type { Violation } from "../../call/invariants.ts";
import type { CallDestination, Walk } from "../../call/model.ts";
import { type Coverage, type TestResult, checkProject } from "../../call/suites.ts";
import type { Expected } from "../../call/tests.ts";
import type { Tests } from "../../compile/load-project.ts";
import type { Diagnostic } from "../../diagnostics/diagnostic.ts";
import type { Span } from "../../diagnostics/source.ts";
import { type CallLine, describeEnd, callEndLine, expectedLine, stepLines } from "../call-lines.ts";
import { many } from "../../util/many.ts";

/** What a run of the tests found. */
export interface Report {
  readonly results: readonly TestResult[];
  /** The number of invariants that were checked. */
  readonly invariants: number;
  readonly violations: readonly Violation[];
  /** Menus whose tests were not run. */
  readonly notRun: readonly string[];
  /** Undefined unless it was asked for. */
  readonly coverage: Coverage | undefined;
  readonly diagnostics: readonly Diagnostic[];
}

/** Returns what the tests of a project found, without coverage and diagnostics. */
export function testReport({ suites, invariants, notRun, flow }: Tests): Report {
  return {
    ...checkProject(suites, invariants, flow),
    invariants: invariants.length,
    notRun,
    coverage: undefined,
    diagnostics: [],
  };
}

/** A test, or an invariant that a menu breaks, as every format reports it. */
export interface Reported {
  readonly key: string;
  readonly name: string;
  readonly file: string;
  readonly line: number;
  /** What a test expects. Undefined for an invariant. */
  readonly expected: Expected | undefined;
  readonly walk: Walk;
  /** The call step by step, with what was expected; undefined if it passed. */
  readonly failed: readonly CallLine[] | undefined;
}

/** Returns the tests, then the invariants that are broken. */
export function reportedCalls({
  results,
  violations,
}: Pick<Report, "results" | "violations">): Reported[] {
  return [
    ...results.map((result) => {
      const { key, test, walk, misses } = result;
      const failed = misses.length === 0 ? undefined : testLines(result);
      return { key, name: test.name, ...placeOf(test), expected: test.expected, walk, failed };
    }),
    ...violations.map(({ key, invariant, walk, broken }) => {
      const claim =
        broken === undefined
          ? `the menu has key ${invariant.key}`
          : broken.kind === "length" && broken.of === "heard"
            ? `${broken.words}, not ${walk.heard.length}`
            : broken.words;
      const failed = [...stepLines(walk), callEndLine(walk), expectedLine(claim)];
      return {
        key,
        name: invariant.name,
        ...placeOf(invariant),
        expected: undefined,
        walk,
        failed,
      };
    }),
  ];
}

/** Returns the tests that failed and the invariants that are broken. */
export function failedIn(report: Report): Reported[] {
  return reportedCalls(report).filter(({ failed }) => failed !== undefined);
}

/** Returns what was expected, in one line. */
export function expectedText(lines: readonly CallLine[]): string {
  return lines.flatMap((line) => (line.expected ? line.text : [])).join("; ");
}

function testLines({ test, walk, misses }: TestResult): CallLine[] {
  const { expected } = test;
  const wanted = misses.includes("heard") ? expected.heard : undefined;
  const instead = [
    expected.reached && misses.includes("reached") ? wantedWords(expected.reached) : [],
    misses.includes("via") ? `via ${expected.via}` : [],
    misses.includes("in") ? `in ${expected.in}` : [],
    misses.includes("steps") ? `after ${many(expected.steps ?? 0, "step")}` : [],
  ].flat();
  const lines = [...stepLines(walk, wanted), callEndLine(walk)];
  if (instead.length > 0) lines.push(expectedLine(instead.join(", ")));
  if (misses.includes("unused")) {
    lines.push(expectedLine(`to press ${walk.unused.join(",")} next, but the call has ended`));
  }
  return lines;
}

/** The end that a test wants. A blocked agent gets no calls, so the words say what has to change. */
function wantedWords(wanted: CallDestination): string {
  if (wanted.kind !== "agent" || !wanted.blocked) return describeEnd(wanted);
  return `${describeEnd({ ...wanted, blocked: false })}, who must not be blocked`;
}

/** Where a test or an invariant is written. */
function placeOf({ at }: { readonly at: Span }): { file: string; line: number } {
  return { file: at.source.file, line: at.source.position(at.start).line };
}
