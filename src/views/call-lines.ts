import { type CallRecording, type Step, type Walk, nameOf } from "../call/model.ts";
import {
  actWords,
  countWords,
  destinationWords,
  recordingWords,
  stepsWords,
} from "./call-words.ts";
import { visible } from "../util/visible.ts";
import { wrap } from "./wrap.ts";

/** A line of a call; `expected` ones say what should have come instead. */
export interface CallLine {
  readonly expected: boolean;
  readonly what: string;
  readonly comes: string;
}

/** What is heard first, then step by step; with what should have been heard, where that is given. */
export function stepLines(walk: Walk, wanted?: readonly CallRecording[]): CallLine[] {
  let at = 0;
  const withWanted = (line: CallLine, heard: readonly CallRecording[]): CallLine[] => {
    const lines = [line];
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
    ...withWanted(promptLine(walk.prompt), walk.prompt),
    ...walk.steps.flatMap((step) => withWanted(stepLine(step), step.heard)),
  ];
  const unheard = wanted?.slice(at) ?? [];
  if (unheard.length > 0) lines.push(should(`hears ${unheard.map(nameOf).join(", ")}`));
  return elided(lines);
}

export function promptLine(heard: readonly CallRecording[]): CallLine {
  return came("calls", heard.map(hears).join("; "));
}

export function stepLine(step: Step): CallLine {
  return came(actWords(step), [countWords(step), ...step.heard.map(hears)].join("; "));
}

export function landingLine({ landed, steps }: Pick<Walk, "landed" | "steps">): CallLine {
  const { destination, via } = landed;
  const where = destinationWords(destination);
  return came("lands", `at ${where}, via ${via}, after ${stepsWords(steps.length)}`);
}

export function should(comes: string): CallLine {
  return { expected: true, what: "expected", comes };
}

interface RowShape {
  /** What stands before it. */
  readonly lead: string;
  /** The width of the column of `what`, at the least. */
  readonly column: number;
  /** Where words are broken. */
  readonly columns: number;
}

/** `what` in a column of its own, and words that have no room beside it below each other. */
export function rowOf({ what, comes }: CallLine, { lead, column, columns }: RowShape): string {
  const head = `${lead}${visible(what).padEnd(column)}  `;
  const indent = " ".repeat(lead.length + column + 2);
  const beyond = head.length - indent.length;
  return head + wrap(visible(comes), indent, columns, beyond).slice(indent.length);
}

/** As wide as most of what callers do. */
export function widthOf(lines: readonly CallLine[]): number {
  return Math.max(...lines.map(({ what }) => visible(what).length));
}

function came(what: string, comes: string): CallLine {
  return { expected: false, what, comes };
}

function hears(recording: CallRecording): string {
  return `hears ${recordingWords(recording)}`;
}

/** The ends of a long call are what is read. */
const mostLines = 40;

function elided(lines: readonly CallLine[]): CallLine[] {
  const half = mostLines / 2;
  const left = lines.length - mostLines;
  if (left < 2) return [...lines];
  return [...lines.slice(0, half), came("…", `${left} more lines`), ...lines.slice(-half)];
}
