import type { ExitName } from "../../model/menu.ts";
import { joined, listed } from "../../util/many.ts";
import { phoneText } from "../../util/phone.ts";

/** A place of a live menu, with the name of that menu. */
interface Way {
  readonly menu: string;
  readonly place: ExitName;
}

/** How callers get somewhere: through live menus, or with a phone number. */
export interface Ways {
  readonly through: readonly Way[];
  readonly numbers: readonly string[];
}

/** `Callers who press 2 in South`. Undefined if it is not known who gets there. */
export function callersOn({ through, numbers }: Ways): string | undefined {
  const ways = [...new Set(through.map(wayWords))];
  const keyPresses = ways.length > mostShown ? listed(ways, mostShown) : joined(ways, "or");
  const parts = [
    ...(numbers.length > 0 ? [`callers of ${listed(numbers.map(phoneText), mostShown)}`] : []),
    ...(ways.length > 0 ? [`callers who ${keyPresses}`] : []),
  ];
  return parts.length === 0 ? undefined : joined(parts, "and").replace(/^c/, "C");
}

const mostShown = 3;

function wayWords({ menu, place }: Way): string {
  if (place === "invalid") return `press a wrong key in ${menu}`;
  if (place === "timeout") return `press no key in ${menu}`;
  return `press ${place.replace(/^key /, "")} in ${menu}`;
}
