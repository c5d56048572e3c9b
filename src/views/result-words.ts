import { waitsBriefly } from "../deploy/reasons/waiting.ts";
import { isLost } from "../deploy/state/records.ts";
import type { StepOutcome } from "../deploy/apply/step-results.ts";
import { type ResultOutcome, actions } from "../deploy/plan/changes/actions.ts";
import { describeAnswer } from "../util/answer.ts";
import { type Page, type Style, visible } from "./terminal.ts";

/* What became of each menu, in the words of the terminal, of the log of a job and of the comment. */

const styles: Readonly<Record<ResultOutcome, Style>> = {
  created: "green",
  updated: "green",
  bound: "green",
  deleted: "green",
  failed: "red",
  unknown: "magenta",
  not_attempted: "yellow",
  waiting: "blue",
  moved: "cyan",
  reworded: "cyan",
  forgotten: "cyan",
  restored: "cyan",
  missing: "magenta",
  drift: "magenta",
};

export function resultWord({ action, outcome }: Pick<StepOutcome, "action" | "outcome">): string {
  const { outcome: expected, done = expected } = actions[action];
  if (outcome === "failed") return `not ${done}`;
  if (outcome === expected && done !== expected) return done;
  return action === "blocked" || action === "drift"
    ? actions[action].planned
    : outcome.replace("_", " ");
}

/**
 * What follows the word for a result: the reason, or what is still missing. Undefined if nothing is
 * left to do. `isListed`: the service lists its menus.
 */
export function resultReason(result: StepOutcome, isListed = false): string | undefined {
  const { action, outcome, status, message, incomplete, waitsFor = [], id } = result;
  const answer = describeAnswer(status, message);
  const inParentheses = answer === "" ? "" : ` (${answer})`;
  if (incomplete) {
    const why = describeAnswer(incomplete.status, incomplete.message);
    return `, but its links are missing (${why}). The next apply adds them.`;
  }
  switch (outcome) {
    case "waiting":
      return waitsFor.length === 0 ? ", but can be created now" : ` for ${waitsBriefly(waitsFor)}`;
    case "created":
      return isListed && id === undefined
        ? ", but the id is not known yet. The next apply looks for it in the list."
        : undefined;
    case "not_attempted":
    case "forgotten":
    case "failed":
      return inParentheses;
    case "unknown":
      if (isLost(message)) return undefined;
      if (action === "unknown") return " since an earlier run";
      return action === "bind"
        ? `${inParentheses}. The next plan or apply looks for it in the list.`
        : `: ${answer.replace(/[.\s]+$/, "")}.`;
    default:
      return undefined;
  }
}

export function styledResult(
  result: Pick<StepOutcome, "action" | "outcome">,
  reason: string,
  { style }: Pick<Page, "style">,
): string {
  const color = result.action === "blocked" ? "magenta" : styles[result.outcome];
  return style(color, resultWord(result)) + visible(reason);
}
