import type { Content } from "../../listed/observed.ts";
import { type FieldChange, changedFields } from "../../../model/menu-diff.ts";
import { changeWords } from "../../../model/field-words.ts";
import { actionFor } from "./actions.ts";
import type { DestinationWords } from "../../listed/names.ts";
import type { RecordedId } from "../steps/review.ts";
import { nameIn } from "../../../schema/ref.ts";
import { type Step, isSent, isSame, contentWithIds } from "../steps/step.ts";

/** The step that says most about a menu or phone number: what is sent for it, or else what is recorded last. */
export function mainStep(steps: readonly Step[]): Step | undefined {
  return steps.find(isSent) ?? steps.at(-1);
}

/** What somebody changed on the console since a step was reviewed: the menu, or what a number points to. */
export function changedOnConsole(
  then: Step,
  now: Step,
  idOf: RecordedId,
): { readonly before: Content; readonly after: Content } | undefined {
  if (then.op !== now.op || !then.base || !now.base) return undefined;
  if (then.after && now.after && !isSame(then.after, now.after)) return undefined;
  const before = contentWithIds(then.base, idOf);
  return isSame(before, now.base) ? undefined : { before, after: now.base };
}

/** The fields of a menu that somebody changed on the console. */
export function changedFieldsOf(
  changed: ReturnType<typeof changedOnConsole>,
): readonly FieldChange[] {
  return changed && "menu" in changed.before && "menu" in changed.after
    ? changedFields(changed.before.menu, changed.after.menu)
    : [];
}

/** How the steps for a menu or a phone number differ from the reviewed ones, in words. */
export function describeDifference(
  reviewed: readonly Step[],
  steps: readonly Step[],
  idOf: RecordedId,
  reached: DestinationWords | undefined,
): string {
  const [then, now] = [mainStep(reviewed), mainStep(steps)];
  const onConsole = then && now && reached ? consoleWords(then, now, idOf, reached) : [];
  if (onConsole.length > 0) return onConsole.join(", ");
  const moved = Object.entries(then?.links ?? {}).find(([to, id]) => (now?.links[to] ?? id) !== id);
  if (moved) return `it links to ${nameIn(moved[0])}, whose id is no longer ${moved[1]}`;
  const [was, is] = [reviewed, steps].map((all) => actionFor(all) ?? "nothing to do");
  return `reviewed: ${was}, now: ${is}${was === is ? " with other content" : ""}`;
}

function consoleWords(
  then: Step,
  now: Step,
  idOf: RecordedId,
  reached: DestinationWords,
): string[] {
  const consoleEdit = changedOnConsole(then, now, idOf);
  const changed =
    consoleEdit && "to" in consoleEdit.before && "to" in consoleEdit.after
      ? [`${reached(consoleEdit.before.to)} → ${reached(consoleEdit.after.to)}`]
      : changedFieldsOf(consoleEdit).map((change) => changeWords(change, reached));
  const isSameWebhooks = String(then.webhooks ?? []) === String(now.webhooks ?? []);
  return then.op === now.op && !isSameWebhooks ? [...changed, "webhooks"] : changed;
}
