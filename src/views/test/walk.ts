import type { Violation } from "../../call/hold.ts";
import { claimWords } from "../../call/invariants.ts";
import { type CallRecording, type Walk, nameOf } from "../../call/model.ts";
import type { TestResult } from "../../call/run.ts";
import { actWords, countWords, destinationWords, recordingWords } from "../call-words.ts";

/** A line of a call as a test saw it; `expected` ones say what should have come instead. */
export interface WalkLine {
  readonly expected: boolean;
  readonly what: string;
  readonly comes: string;
}

/** The call, step by step, with what was expected under what came instead. */
export function testLines({ test, walk, misses }: TestResult): WalkLine[] {
  const { expected } = test;
  const wanted = misses.includes("heard") ? expected.heard : undefined;
  const instead = [
    expected.reached && misses.includes("reached")
      ? `at ${destinationWords(expected.reached)}`
      : [],
    misses.includes("via") ? `via ${expected.via}` : [],
    misses.includes("steps") ? `after ${stepWords(expected.steps ?? 0)}` : [],
  ].flat();
  const lines = [...stepLines(walk, wanted), landingLine(walk)];
  if (instead.length > 0) lines.push(should(instead.join(", ")));
  if (misses.includes("unused")) {
    lines.push(should(`to press ${walk.unused.join(",")} after that, but the call has landed`));
  }
  return lines;
}

/** A call that breaks an invariant, with what should have held. */
export function violationLines({ walk, broken, invariant }: Violation): WalkLine[] {
  const claim =
    broken === undefined
      ? `the menu has the key ${invariant.key}`
      : broken.kind === "max-heard"
        ? `${claimWords(broken)}, not ${walk.heard.length}`
        : claimWords(broken);
  return [...stepLines(walk, undefined), landingLine(walk), should(claim)];
}

function stepLines(walk: Walk, wanted: readonly CallRecording[] | undefined): WalkLine[] {
  let at = 0;
  const hears = (what: string, counts: string, heard: readonly CallRecording[]): WalkLine[] => {
    const words = [counts, ...heard.map((one) => `hears ${recordingWords(one)}`)].filter(Boolean);
    const lines = [came(what, words.join("; "))];
    for (const { id } of heard) {
      const instead = wanted?.[at];
      at += 1;
      // Of what nobody expected, the first says it all.
      if (wanted === undefined || instead?.id === id || at > wanted.length + 1) continue;
      lines.push(should(instead === undefined ? "hears nothing more" : `hears ${nameOf(instead)}`));
    }
    return lines;
  };
  const lines = [
    ...hears("calls", "", walk.prompt),
    ...walk.steps.flatMap((step) => hears(actWords(step), countWords(step), step.heard)),
  ];
  const unheard = wanted?.slice(at) ?? [];
  if (unheard.length > 0) lines.push(should(`hears ${unheard.map(nameOf).join(", ")}`));
  return elided(lines);
}

/** The ends of a long call are what is read. */
const mostLines = 40;

function elided(lines: readonly WalkLine[]): WalkLine[] {
  const half = mostLines / 2;
  const left = lines.length - mostLines;
  if (left < 2) return [...lines];
  return [...lines.slice(0, half), came("…", `${left} more lines`), ...lines.slice(-half)];
}

function landingLine({ landed, steps }: Walk): WalkLine {
  const { destination, via } = landed;
  return came(
    "lands",
    `at ${destinationWords(destination)}, via ${via}, after ${stepWords(steps.length)}`,
  );
}

function came(what: string, comes: string): WalkLine {
  return { expected: false, what, comes };
}

function should(comes: string): WalkLine {
  return { expected: true, what: "expected", comes };
}

function stepWords(count: number): string {
  return count === 1 ? "1 step" : `${count} steps`;
}
