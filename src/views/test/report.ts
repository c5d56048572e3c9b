import type { Coverage } from "../../call/verdict.ts";
import type { Violation } from "../../call/verdict.ts";
import type { TestResult } from "../../call/verdict.ts";
import type { Diagnostic } from "../../diagnostics/diagnostic.ts";
import type { Span } from "../../diagnostics/source.ts";

/** What a run of the tests has found. */
export interface Report {
  readonly results: readonly TestResult[];
  /** How many invariants were looked at, and the menus that break one. */
  readonly invariants: number;
  readonly violations: readonly Violation[];
  /** Menus whose tests were not run. */
  readonly notRun: readonly string[];
  /** Where it was asked for. */
  readonly coverage: Covered | undefined;
  readonly diagnostics: readonly Diagnostic[];
}

export interface Covered extends Coverage {
  /** Of a hundred, where that was asked for. */
  readonly least: number | undefined;
  /** Whether it is less than that. */
  readonly short: boolean;
}

/** Where a test, or an invariant, stands. */
export function placeOf({ at }: { readonly at: Span }): { file: string; line: number } {
  return { file: at.source.file, line: at.source.position(at.start).line };
}

export function passed({ misses }: TestResult): boolean {
  return misses.length === 0;
}

export function many(count: number, word: string): string {
  return count === 1 ? `1 ${word}` : `${count} ${word}s`;
}
