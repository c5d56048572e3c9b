import { type Violation, violationOf } from "./hold.ts";
import type { Invariant } from "./invariants.ts";
import { type TestResult, runTest } from "./run.ts";
import type { Suite } from "./suites.ts";

/** What came of every test, and which invariants some menu breaks. */
export interface Verdict {
  readonly results: readonly TestResult[];
  readonly violations: readonly Violation[];
}

export function verdictOf(suites: readonly Suite[], invariants: readonly Invariant[]): Verdict {
  return {
    results: suites.flatMap(({ menu, tests }) => tests.map((test) => runTest(menu, test))),
    violations: invariants.flatMap((invariant) =>
      suites.flatMap(({ menu }) => violationOf(menu, invariant) ?? []),
    ),
  };
}
