import type { Change, Plan } from "../../deploy/plan/plan.ts";
import { madeWords, numbersOf } from "../follow-ups.ts";
import type { AnyChange } from "./parts.ts";
import { leadersOutside } from "./waiting.ts";

/** Until when callers reach the old menu of a replace. */
export function replaceTexts(
  { after: { naming }, ...change }: AnyReplace,
  plan: Plan,
): readonly [one: string, several: string] {
  const pointed = `someone points ${numbersOf(naming)} at the new one`;
  const leaders = ("ledBy" in change ? change.ledBy : undefined) ?? [];
  if (leaders.length === 0) {
    return [
      `A new menu is created. Callers reach the old one until ${pointed}.`,
      "New menus are created. Callers reach the old ones until someone points the phone numbers at the new ones.",
    ];
  }
  const replaced = `${leaders.join(" and ")} ${are(leaders)} replaced too`;
  const until = naming.numbers === undefined ? replaced : `${replaced} and ${pointed}`;
  const left = leadersOutside(leaders, plan.changes);
  const outside =
    left.length === 0 ? "" : ` ${left.join(" and ")} ${are(left)} not part of this plan.`;
  return [
    `A new menu is created. Callers reach the old one until ${until}.${outside}`,
    "New menus are created. Callers reach the old ones until the menus that lead to them are replaced too.",
  ];
}

/** How callers get back to a menu that is restored. */
export function restoreTexts({
  before,
  followUp: { id, record },
  ledBy = [],
}: Extract<Change, { action: "restore" }>): readonly [one: string, several: string] {
  if (before === undefined) {
    return [
      `This menu still exists on the service, so nothing is sent. Follow-up ${id} is marked as done.`,
      "These menus still exist on the service, so nothing is sent. Their follow-ups are marked as done.",
    ];
  }
  const isLed = ledBy.length > 0;
  const led = isLed ? ` Menus that lead to it: ${ledBy.join(", ")}.` : "";
  const point =
    isLed && record.naming.numbers === undefined
      ? ""
      : ` Point ${numbersOf(record.naming)} back to it on the console.`;
  const pointAll = isLed
    ? "Other menus lead to them."
    : "Point the phone numbers back to them on the console.";
  return [
    `This menu still exists on the service (${madeWords(record)}; follow-up ${id}), so nothing is sent.${led}${point} The menu on record until now becomes a follow-up.`,
    `These menus still exist on the service, so nothing is sent. ${pointAll} The menus on record until now become follow-ups.`,
  ];
}

type AnyReplace = Extract<AnyChange, { action: "replace" }>;

function are({ length }: readonly string[]): string {
  return length === 1 ? "is" : "are";
}
