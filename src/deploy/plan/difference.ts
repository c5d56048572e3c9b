import { keyPlace } from "../../call/describe-call.ts";
import { type Difference, changedFacts, isSame } from "./digest.ts";
import { actionFor } from "./actions.ts";
import type { Reached } from "./names.ts";
import type { RecordedId } from "./steps/review.ts";
import { isNumber, nameIn } from "../../schema/ref.ts";
import { type Step, withIds } from "./steps/step.ts";

/** The step that says most about a menu or phone number: what is sent for it, or else what is recorded last. */
export function mainStep(steps: readonly Step[]): Step | undefined {
  return steps.find(({ op }) => op !== "record") ?? steps.at(-1);
}

/** What somebody changed on the console since a step was reviewed. */
export function changedOnConsole(then: Step, now: Step, idOf: RecordedId): Difference[] {
  if (then.op !== now.op || !then.base || !now.base) return [];
  const [a, b] = [then.after?.facts, now.after?.facts];
  if (a && b && !isSame(a, b)) return [];
  return changedFacts(withIds(then.base, idOf), now.base);
}

/** How the steps for a menu or a phone number differ from the reviewed ones, in words. */
export function describeDifference(
  reviewed: readonly Step[],
  steps: readonly Step[],
  idOf: RecordedId,
  reached: Reached | undefined,
): string {
  const [then, now] = [mainStep(reviewed), mainStep(steps)];
  const onConsole = then && now && reached ? consoleWords(then, now, idOf, reached) : [];
  if (onConsole.length > 0) return onConsole.join(", ");
  const moved = Object.entries(then?.links ?? {}).find(([to, id]) => (now?.links[to] ?? id) !== id);
  if (moved) return `it links to ${nameIn(moved[0])}, whose id is no longer ${moved[1]}`;
  const [was, is] = [reviewed, steps].map((all) => actionFor(all) ?? "nothing to do");
  return `reviewed: ${was}, now: ${is}${was === is ? " with other content" : ""}`;
}

function consoleWords(then: Step, now: Step, idOf: RecordedId, reached: Reached): string[] {
  const changed = changedOnConsole(then, now, idOf).map(({ field, before, after }) => {
    const words = (value: string | null) => {
      if (field.includes("destination")) return reached(value || null);
      return value === null ? "nothing" : `“${value}”`;
    };
    const change = `${words(before)} → ${words(after)}`;
    return isNumber(now.ref)
      ? change
      : `${field.replace(/^destination\./, keyPlace(""))}: ${change}`;
  });
  const isSameWebhooks = String(then.webhooks ?? []) === String(now.webhooks ?? []);
  return then.op === now.op && !isSameWebhooks ? [...changed, "webhooks"] : changed;
}
