import type { TestResult } from "../../call/run.ts";
import type { CallTest } from "../../call/tests.ts";
import type { Diagnostic } from "../../diagnostics/diagnostic.ts";

/** What a run of the tests has found. */
export interface Report {
  readonly results: readonly TestResult[];
  /** Menus whose tests were not run. */
  readonly notRun: readonly string[];
  readonly diagnostics: readonly Diagnostic[];
}

/** Where a test stands. */
export function placeOf({ at }: Pick<CallTest, "at">): { file: string; line: number } {
  return { file: at.source.file, line: at.source.position(at.start).line };
}
