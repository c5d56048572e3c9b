import type { Reach } from "../call/dead-ends.ts";
import { missing } from "../call/describe-call.ts";
import { many } from "../util/many.ts";
import { phoneText } from "../util/phone.ts";
import { describeEnd } from "./call-lines.ts";
import type { CallDestination } from "../model/call-menu.ts";

/** How many paths reach somebody: `Of 81 paths from 3 numbers, 2 end nowhere`. */
export function reachHead({ paths, dead, numbers, starts }: Reach): string {
  const menus = many(starts - numbers, numbers === 0 ? "menu" : "other menu");
  const from = [numbers > 0 ? many(numbers, "number") : [], numbers < starts ? menus : []].flat();
  if (starts === 0) return "The service has no menus that callers can reach";
  const start = from.join(" and ");
  const all = paths > mostCounted ? `${counted(paths)} paths` : many(paths, "path");
  if (dead === 0) return `All ${all} from ${start} reach somebody`;
  return `Of ${all} from ${start}, ${dead === 1 ? "1 ends" : `${counted(dead)} end`} nowhere`;
}

/** Menus that link to each other can have more paths than a number can hold. */
function counted(count: number): string {
  return count > mostCounted ? `more than ${mostCounted}` : String(count);
}

const mostCounted = 1_000_000;

/** The first paths that end nowhere: `+91 22 4123 4567 → 3 → 2 (South: not on the service)`. */
export function deadPaths({ dead, deadEnds }: Reach, most: number): string[] {
  const paths = deadEnds.slice(0, most).map(({ menu, number, turns, end }) => {
    const start = number === undefined ? menu.name : phoneText(number);
    return `${[start, ...turns].join(" → ")} (${whyNobody(end)})`;
  });
  const more = dead - paths.length;
  return more > 0 ? [...paths, `and ${counted(more)} more`] : paths;
}

function whyNobody(end: CallDestination): string {
  switch (end.kind) {
    case "agent":
      return `${end.name} is blocked`;
    case "unreachable":
      return `${end.name}: ${missing[end.why]}`;
    case "menu":
      return `goes back to ${end.key}, and never to a person`;
    case "other":
      return describeEnd(end);
  }
}
