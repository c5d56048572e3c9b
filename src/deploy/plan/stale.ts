import { placeOf } from "../../call/words.ts";
import { phoneText } from "../../util/phone.ts";
import { changedFacts, isSame } from "./digest.ts";
import type { Reachable } from "./reachable.ts";
import { type Step, actionOf, isNumber, nameIn } from "./steps/step.ts";

/** How the steps of now differ from the reviewed ones, in words: one for each menu or phone number. */
export function differencesFrom(
  reviewed: readonly Step[],
  different: readonly Step[],
  now: readonly Step[],
  reachable: Reachable | undefined,
): string[] {
  const refs = new Set(different.map(({ ref }) => ref));
  return [...refs].map((ref) => {
    const name = isNumber(ref) ? phoneText(nameIn(ref)) : nameIn(ref);
    const [then, is] = [reviewed, now].map((steps) =>
      mainStep(steps.filter((one) => one.ref === ref)),
    );
    const onConsole = then && is && reachable ? changesOnConsole(then, is, reachable) : [];
    if (onConsole.length > 0) return `${name} (${onConsole.join(", ")})`;
    const moved = [...(then?.links ?? [])].find(([to, id]) => (is?.links.get(to) ?? id) !== id);
    if (moved) return `${name} leads to ${nameIn(moved[0])}, whose id is not ${moved[1]} any more`;
    return `${name} (reviewed: ${then ? actionOf(then) : "nothing to do"}, now: ${is ? wordsOf(is, then) : "nothing to do"})`;
  });
}

/** The step that says most about a menu: what is sent, and not that it moves. */
function mainStep(steps: readonly Step[]): Step | undefined {
  return steps.find(({ op }) => op !== "record") ?? steps.at(-1);
}

function wordsOf(now: Step, then: Step | undefined): string {
  const action = actionOf(now);
  return then && actionOf(then) === action ? `${action} with other content` : action;
}

/** What somebody changed on the console since a step was reviewed, in words. */
function changesOnConsole(then: Step, now: Step, reachable: Reachable): string[] {
  if (then.op !== now.op || !then.base || !now.base) return [];
  const [a, b] = [then.after?.facts, now.after?.facts];
  if (a && b && !isSame(a, b)) return [];
  const changed = changedFacts(then.base, now.base).map(({ field, before, after }) => {
    const isDestination = field.includes("destination");
    const words = (value: string | null) =>
      isDestination ? reachable.words(value || null) : value === null ? "nothing" : `“${value}”`;
    const what = field.replace(/^destination\./, placeOf(""));
    const change = `${words(before)} → ${words(after)}`;
    return isNumber(now.ref) ? change : `${what}: ${change}`;
  });
  return String(then.webhooks ?? []) === String(now.webhooks ?? [])
    ? changed
    : [...changed, "webhooks"];
}
