import { type Call, type CallStep, type Walk, aliasOrId, silence } from "../call/simulated-call.ts";
import { endWords, missing } from "../call/describe-call.ts";
import type { ReachedOutput, StepOutput } from "../schema/output/test-output.ts";
import { visible } from "../util/visible.ts";
import { many } from "../util/many.ts";
import { wrap } from "./text.ts";
import type { CallDestination, CallRecording } from "../model/call-menu.ts";
import { describeMenu, describeOther } from "../model/field-words.ts";

/** A line of a call; `expected` lines say what should have happened instead. */
export interface CallLine {
  readonly expected: boolean;
  readonly what: string;
  readonly text: string;
}

/** The prompt and each step, with lines for recordings in `wanted` that the caller does not hear. */
export function stepLines(walk: Walk, wanted?: readonly CallRecording[]): CallLine[] {
  let at = 0;
  const withWanted = (line: CallLine, heard: readonly CallRecording[]): CallLine[] => {
    const lines = [line];
    for (const { id } of heard) {
      const instead = wanted?.[at];
      at += 1;
      // After the last expected recording, one line is enough.
      if (wanted === undefined || instead?.id === id || at > wanted.length + 1) continue;
      lines.push(
        expectedLine(instead === undefined ? "hears nothing more" : `hears ${aliasOrId(instead)}`),
      );
    }
    return lines;
  };
  const lines = [
    ...withWanted(promptLine(walk), [walk.first.recording]),
    ...walk.steps.flatMap((step) => withWanted(stepLine(step), step.heard)),
  ];
  const unheard = wanted?.slice(at) ?? [];
  if (unheard.length > 0) lines.push(expectedLine(`hears ${unheard.map(aliasOrId).join(", ")}`));
  return lines;
}

export function promptLine({ first }: Pick<Call, "first">): CallLine {
  return actualLine("calls", hears(first.recording));
}

export function stepLine(step: CallStep): CallLine {
  const act = step.press === silence ? "is silent" : `presses ${step.press}`;
  // The prompt of the next menu comes last.
  const heard = step.heard.map(hears);
  const entered = step.enters && [`continues in ${describeMenu(step.enters.key)}`];
  if (entered) heard.splice(-1, 0, ...entered);
  return actualLine(act, [describeCount(step), ...heard].join("; "));
}

export function callEndLine({ state, steps }: EndedCall): CallLine {
  const { destination } = state;
  if (destination.kind === "menu") {
    const back = describeMenu(destination.key);
    return actualLine("ends", `never, because silence goes back to ${back}`);
  }
  const last = steps.at(-1)?.in;
  const inMenu = last === steps[0]?.in ? "" : ` in ${describeMenu(last ?? "")}`;
  return actualLine("ends", `${describeEnd(destination)}${afterWords({ steps })}${inMenu}`);
}

type EndedCall = Pick<Walk, "state" | "steps">;

export function expectedLine(text: string): CallLine {
  return { expected: true, what: "expected", text };
}

export function failedLine(text: string): CallLine {
  return { expected: true, what: "failed", text };
}

/** The width of `presses 9`. It is fixed, because the lines of a call may be printed one by one. */
const column = 9;

/** Returns a row with `what` in a column, and `text` wrapped in the next. */
export function callRow({ what, text }: CallLine, lead: string, columns: number): string {
  const head = `${lead}${visible(what).padEnd(column)}  `;
  const indent = " ".repeat(lead.length + column + 2);
  const beyond = head.length - indent.length;
  return head + wrap(visible(text), indent, columns, beyond).slice(indent.length);
}

/** How a call ends: `at Asha Rao (extension 500101)`. */
export function describeEnd(destination: CallDestination): string {
  return endWords(destination) ?? `at ${describeDestination(destination)}`;
}

/** Where a call ends and, if no agent is reached there, why not. */
export function describeDestination(destination: CallDestination): string {
  switch (destination.kind) {
    case "agent": {
      const who = `${destination.name} (extension ${destination.eid})`;
      return destination.blocked ? `${who}, who is blocked and gets no calls` : who;
    }
    case "menu":
      return describeMenu(destination.key);
    case "other":
      return describeOther(destination);
    case "unreachable":
      return `${destination.name} (${missing[destination.why]})`;
  }
}

/** What a step counts as: `wrong key 1 of 3`. */
export function describeCount({ as, count, of, for: purpose }: CallStep): string {
  switch (as) {
    case "option":
      return purpose ?? "a menu key";
    case "invalid":
      return `wrong key ${count} of ${of}`;
    case "timeout":
      return `silence ${count} of ${of}`;
  }
}

export function reachedJson(destination: CallDestination): ReachedOutput {
  switch (destination.kind) {
    case "agent": {
      const { name, eid, blocked } = destination;
      return { name, eid, ...(blocked ? { problem: "blocked" } : {}) };
    }
    case "menu":
    case "other":
      return { name: describeDestination(destination), eid: null };
    case "unreachable":
      return { name: destination.name, eid: null, problem: destination.why };
  }
}

export function callJson({ state: { destination, via }, heard, in: inMenu, unused, steps }: Walk) {
  return {
    reached: reachedJson(destination),
    via,
    heard: heard.map(aliasOrId),
    in: inMenu,
    steps: steps.length,
    unused,
    walk: steps.map(stepJson),
  };
}

function stepJson(step: CallStep): StepOutput {
  const { in: inMenu, press, as, count, of, heard, enters, state } = step;
  const next = state.at === "ended" ? "end" : enters === undefined ? "wait" : "enter";
  return { in: inMenu, press, as, count, of, heard: heard.map(aliasOrId), next };
}

function actualLine(what: string, text: string): CallLine {
  return { expected: false, what, text };
}

/** A recording that is heard, with its words if they are known. */
function hears(recording: CallRecording): string {
  const says = recording.says?.trim().replace(/\s+/g, " ");
  return `hears ${aliasOrId(recording)}${says === undefined ? "" : ` “${says}”`}`;
}

/** What the caller did before the call ended, unless it was a key of the menu: `after 3 wrong keys`. */
export function afterWords({ steps }: Pick<Call, "steps">): string {
  const { as, count = 0 } = steps.at(-1) ?? {};
  if (as === "invalid") return ` after ${many(count, "wrong key")}`;
  return as === "timeout" ? ` after ${many(count, "silence")}` : "";
}
