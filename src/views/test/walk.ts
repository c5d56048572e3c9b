import { nameOf } from "../../call/model.ts";
import type { TestResult } from "../../call/run.ts";
import { actWords, countWords, destinationWords, recordingWords } from "../call-words.ts";

/** A line of a call as a test saw it; `expected` ones say what should have come instead. */
export interface WalkLine {
  readonly expected: boolean;
  readonly what: string;
  readonly comes: string;
}

/** The call, step by step, with what was expected under what came instead. */
export function walkLines({ test, walk, misses }: TestResult): WalkLine[] {
  const { expected } = test;
  const { prompt, landed, steps, unused } = walk;
  const wanted = misses.includes("heard") ? (expected.heard ?? []) : undefined;
  let at = 0;
  const hears = (what: string, before: string, heard: typeof walk.heard): WalkLine[] => {
    const words = [before, ...heard.map((one) => `hears ${recordingWords(one)}`)].filter(Boolean);
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
    ...hears("calls", "", prompt),
    ...steps.flatMap((step) => hears(actWords(step), countWords(step), step.heard)),
  ];
  const unheard = wanted?.slice(at) ?? [];
  if (unheard.length > 0) lines.push(should(`hears ${unheard.map(nameOf).join(", ")}`));
  lines.push(
    came(
      "lands",
      `at ${destinationWords(landed.destination)}, via ${landed.via}, after ${stepWords(steps.length)}`,
    ),
  );
  const instead = [
    expected.reached && misses.includes("reached")
      ? `at ${destinationWords(expected.reached)}`
      : [],
    misses.includes("via") ? `via ${expected.via}` : [],
    misses.includes("steps") ? `after ${stepWords(expected.steps ?? 0)}` : [],
  ].flat();
  if (instead.length > 0) lines.push(should(instead.join(", ")));
  if (unused.length > 0) {
    lines.push(should(`to press ${unused.join(",")} after that, but the call has landed`));
  }
  return lines;
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
