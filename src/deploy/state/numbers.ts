import type { BoundNumber, PendingBind } from "../../schema/state.ts";
import { type StateView, liveRecords } from "./view.ts";

/** What a number is bound to after a request. If a list denies the request, the list may lag behind. */
export function boundBy(
  { key, number, id, before, after }: PendingBind,
  last: Pick<BoundNumber, "to" | "former"> = { to: [], former: [] },
  isSure: boolean,
): BoundNumber {
  const to = new Set(isSure ? [after] : [...last.to, after]);
  const former = new Set([...last.former, ...last.to, before].filter((one) => !to.has(one ?? "")));
  return { key, number, id, to: [...to], former: [...former] };
}

/** The phone numbers that menus on record have, or that requests of ivrctl were about. */
export function numbersOnRecord(state: StateView): ReadonlySet<string> {
  const named = liveRecords(state).flatMap(({ record }) => record.naming.numbers ?? []);
  return new Set([...named, ...state.binds.keys(), ...state.bound.keys()]);
}
