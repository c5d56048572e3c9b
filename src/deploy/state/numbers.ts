import { suggest } from "../../util/suggest.ts";
import { type StateView, liveRecords } from "./state.ts";

/** The phone numbers that menus on record have, or that requests of ivrctl were about. */
export function numbersOnRecord(state: StateView): ReadonlySet<string> {
  const named = liveRecords(state).flatMap(({ record }) => record.naming.numbers ?? []);
  return new Set([...named, ...state.binds.keys(), ...state.bound.keys()]);
}

/** What to do about phone numbers on record that the service does not list. */
export function unlistedHelp(numbers: Iterable<string>, environment: string): string {
  return `Look at the console. If a number is not there any more, run: ${suggest("state resolve", [...numbers], environment, "--absent")}`;
}
