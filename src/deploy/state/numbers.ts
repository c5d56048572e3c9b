import type { StateView } from "./state.ts";
import { liveRecords } from "./view.ts";

/** The phone numbers that menus on record have, or that requests of ivrctl were about. */
export function numbersOnRecord(state: StateView): ReadonlySet<string> {
  const named = liveRecords(state).flatMap(({ record }) => record.naming.numbers ?? []);
  return new Set([...named, ...state.binds.keys(), ...state.bound.keys()]);
}
