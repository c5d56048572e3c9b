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
  const isKnown = "reachedBy" in change;
  if (leaders.length === 0 && isKnown) return knownTexts(change);
  if (leaders.length === 0) {
    return [
      `A new menu is created. Callers reach the old one until ${pointed}.`,
      "New menus are created. Callers reach the old ones until someone points the phone numbers at the new ones.",
    ];
  }
  const replaced = `${leaders.join(" and ")} ${are(leaders)} replaced too`;
  const until = naming.numbers === undefined || isKnown ? replaced : `${replaced} and ${pointed}`;
  const left = leadersOutside(leaders, plan.changes);
  const outside =
    left.length === 0 ? "" : ` ${left.join(" and ")} ${are(left)} not part of this plan.`;
  return [
    `A new menu is created. Callers reach the old one until ${until}.${outside}`,
    "New menus are created. Callers reach the old ones until the menus that lead to them are replaced too.",
  ];
}

/** What happens to callers if the plan knows what all phone numbers lead to. */
function knownTexts({ bind, reachedBy }: Pick<Replace, "bind" | "reachedBy">) {
  if (bind !== undefined) {
    return [
      "A new menu is created. Its phone numbers lead to it as soon as it exists.",
      "New menus are created. Their phone numbers lead to them as soon as they exist.",
    ] as const;
  }
  return reachedBy?.length === 0
    ? ([
        "A new menu is created. No phone number leads to the old one.",
        "New menus are created. No phone number leads to the old ones.",
      ] as const)
    : (["A new menu is created.", "New menus are created."] as const);
}

/** How callers get back to a menu that is restored. */
export function restoreTexts({
  before,
  followUp: { id, record },
  ledBy = [],
  bind,
  reachedBy,
}: Extract<Change, { action: "restore" }>): readonly [one: string, several: string] {
  const isKnown = reachedBy !== undefined;
  const [sent, sentAll] =
    bind === undefined
      ? ["nothing is sent", "nothing is sent"]
      : ["only its phone numbers change", "only their phone numbers change"];
  if (before === undefined) {
    return [
      `This menu still exists on the service, so ${sent}. Follow-up ${id} is marked as done.`,
      `These menus still exist on the service, so ${sentAll}. Their follow-ups are marked as done.`,
    ];
  }
  const isLed = ledBy.length > 0;
  const led = isLed ? ` Menus that lead to it: ${ledBy.join(", ")}.` : "";
  const point =
    isKnown || (isLed && record.naming.numbers === undefined)
      ? ""
      : ` Point ${numbersOf(record.naming)} back to it on the console.`;
  const pointAll = isLed
    ? " Other menus lead to them."
    : isKnown
      ? ""
      : " Point the phone numbers back to them on the console.";
  return [
    `This menu still exists on the service (${madeWords(record)}; follow-up ${id}), so ${sent}.${led}${point} The menu on record until now becomes a follow-up.`,
    `These menus still exist on the service, so ${sentAll}.${pointAll} The menus on record until now become follow-ups.`,
  ];
}

type Replace = Extract<Change, { action: "replace" }>;
type AnyReplace = Extract<AnyChange, { action: "replace" }>;

function are({ length }: readonly string[]): string {
  return length === 1 ? "is" : "are";
}
