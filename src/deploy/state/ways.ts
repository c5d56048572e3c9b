import { type Destination, type ExitName, placesOf } from "../../model/menu.ts";
import type { Ways } from "../reasons/callers.ts";
import { type StateView, recordsOf } from "./view.ts";
/** How callers get to destinations, as far as it is recorded. */
export function waysTo(
  state: StateView,
  matches: (to: Destination, key: string, place?: ExitName) => boolean,
): Ways {
  const through = recordsOf(state, "menu").flatMap(({ key, current }) =>
    (current ? placesOf(current.menu) : []).flatMap(([place, to]) =>
      matches(to, key, place) ? { menu: current?.menu.name ?? key, place } : [],
    ),
  );
  const numbers = recordsOf(state, "number").flatMap(({ number, current }) => {
    const to = current?.to.at(-1);
    return current && to && matches(to, current.key) ? number : [];
  });
  return { through, numbers };
}
