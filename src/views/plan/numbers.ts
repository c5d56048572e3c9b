import type { Unbound } from "../../schema/plan.ts";
import { reachedWords } from "../../deploy/plan/live-numbers.ts";
import { type Action, bindsOf } from "../../deploy/plan/plan.ts";
import { phoneText } from "../../util/phone.ts";
import { type AnyChange, type Detail, type Part, partId } from "./parts.ts";

/** What callers of the phone numbers of a menu reach before and after a change. */
export function numberParts(change: AnyChange): Part[] {
  const { action } = change;
  const bind = bindsIn(change).map((one) => detail(one, `${wordsOf(one)} → this menu`));
  const unbound = ("unbound" in change ? (change.unbound ?? []) : []).map((one) =>
    detail(one, `leads to ${wordsOf(one)}, and stays there ${meanwhile[action] ?? ""}`),
  );
  const reachedBy = ("reachedBy" in change ? (change.reachedBy ?? []) : []).map((number) => ({
    label: phoneText(number),
    text: `still leads to ${stillReached[action] ?? "this menu"}`,
  }));
  return [...part(action, bind), ...part(action, unbound), ...part(action, reachedBy)];
}

/** The phone numbers that a change binds: `+91 22 4123 4567, +91 22 4123 4568`. Empty if there are none. */
export function boundNumbers(change: AnyChange): string {
  return bindsIn(change)
    .map(({ number }) => phoneText(number))
    .join(", ");
}

/** Only a plan binds phone numbers. A comparison of files does not know what they lead to. */
function bindsIn(change: AnyChange) {
  return "bind" in change ? bindsOf(change) : [];
}

const meanwhile: Partial<Record<Action, string>> = {
  waiting: "while this menu waits",
  missing: "while this menu is missing",
  drift: "while this menu differs from its record",
  unknown: "until the outcome is resolved",
};

const stillReached: Partial<Record<Action, string>> = {
  replace: "the old menu",
  restore: "the newer menu",
};

function wordsOf({ before, reached }: Unbound): string {
  return reachedWords(before, reached);
}

function detail({ number }: Unbound, text: string): Detail {
  return { label: phoneText(number), text };
}

/** All numbers are one part. In a group, the keys of the menus have the numbers. */
function part(action: Action, details: readonly Detail[]): Part[] {
  if (details.length === 0) return [];
  const texts = details.map(({ text }) => text.replace(/ \(\d+\)/, ""));
  const label = details.length === 1 ? "its phone number" : "its phone numbers";
  const shared = [...new Set(texts)].map((text) => ({ label, text }));
  return [{ id: partId(action, "numbers", texts), details, shared }];
}
