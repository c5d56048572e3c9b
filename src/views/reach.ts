import type { Reach } from "../call/dead-ends.ts";
import { missing } from "../call/describe-call.ts";
import { many } from "../util/many.ts";
import { phoneText } from "../util/phone.ts";
import { describeEnd } from "./call-lines.ts";
import type { CallDestination } from "../model/call-menu.ts";

/** Whether calls reach somebody: `Calls from 3 numbers reach nobody at 2 places`. */
export function reachHead({ deadEnds, numbers, starts }: Reach): string {
  const menus = many(starts - numbers, numbers === 0 ? "menu" : "other menu");
  const from = [numbers > 0 ? many(numbers, "number") : [], numbers < starts ? menus : []].flat();
  if (starts === 0) return "The service has no menus that callers can reach";
  const start = from.join(" and ");
  if (deadEnds.length === 0) return `Every call from ${start} reaches somebody`;
  return `Calls from ${start} reach nobody at ${many(deadEnds.length, "place")}`;
}

/** The first calls that reach nobody: `+91 22 4123 4567 → 3 → 2 (South: not on the service)`. */
export function deadPaths({ deadEnds }: Reach, most: number): string[] {
  const paths = deadEnds.slice(0, most).map(({ menu, number, turns, end }) => {
    const start = number === undefined ? menu.name : phoneText(number);
    return `${[start, ...turns].join(" → ")} (${whyNobody(end)})`;
  });
  const more = deadEnds.length - paths.length;
  return more > 0 ? [...paths, `and ${more} more`] : paths;
}

function whyNobody(end: CallDestination): string {
  switch (end.kind) {
    case "agent":
      return `${end.name} is blocked`;
    case "unreachable":
      return `${end.name}: ${missing[end.why]}`;
    case "menu":
      return `no key of ${end.key} leads to a person`;
    case "other":
      return describeEnd(end);
  }
}
