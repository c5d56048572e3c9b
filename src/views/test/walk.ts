import type { Violation } from "../../call/verdict.ts";
import { claimWords } from "../../call/invariants.ts";
import type { TestResult } from "../../call/verdict.ts";
import { destinationWords, stepsWords } from "../call-words.ts";
import { type CallLine, landingLine, should, stepLines } from "../call-lines.ts";

/** The call, step by step, with what was expected under what came instead. */
export function testLines({ test, walk, misses }: TestResult): CallLine[] {
  const { expected } = test;
  const wanted = misses.includes("heard") ? expected.heard : undefined;
  const instead = [
    expected.reached && misses.includes("reached")
      ? `at ${destinationWords(expected.reached)}`
      : [],
    misses.includes("via") ? `via ${expected.via}` : [],
    misses.includes("steps") ? `after ${stepsWords(expected.steps ?? 0)}` : [],
  ].flat();
  const lines = [...stepLines(walk, wanted), landingLine(walk)];
  if (instead.length > 0) lines.push(should(instead.join(", ")));
  if (misses.includes("unused")) {
    lines.push(should(`to press ${walk.unused.join(",")} after that, but the call has landed`));
  }
  return lines;
}

/** A call that breaks an invariant, with what should have held. */
export function violationLines({ walk, broken, invariant }: Violation): CallLine[] {
  const claim =
    broken === undefined
      ? `the menu has the key ${invariant.key}`
      : broken.kind === "max-heard"
        ? `${claimWords(broken)}, not ${walk.heard.length}`
        : claimWords(broken);
  return [...stepLines(walk), landingLine(walk), should(claim)];
}
