import type { Diagnostics } from "../../diagnostics/diagnostic.ts";
import type { PendingBind } from "../../schema/state.ts";
import { phoneText } from "../../util/phone.ts";
import { type Hint, suggest } from "../../util/suggest.ts";
import { type StateView, liveRecords } from "./state.ts";

/** The phone numbers that menus on record have, or that requests of ivrctl were about. */
export function numbersOnRecord(state: StateView): ReadonlySet<string> {
  const named = liveRecords(state).flatMap(({ record }) => record.naming.numbers ?? []);
  return new Set([...named, ...state.binds.keys(), ...state.bound.keys()]);
}

/** What to do about phone numbers on record that the service does not list. */
export function unlistedHelp(numbers: Iterable<string>, environment: string): Hint {
  return {
    words: "Look at the console. If a number is not there any more, run:",
    argv: suggest("state resolve", [...numbers], environment, ["--absent"]),
  };
}

/** Warns about binds with an unknown outcome that no list of the service shows. */
export function reportOpenBinds(
  binds: Iterable<PendingBind>,
  environment: string,
  diagnostics: Diagnostics,
): void {
  for (const { key, number } of binds) {
    diagnostics.addAt(
      "IVR670",
      { file: "ivrs" },
      `${phoneText(number)} may or may not lead to \`${key}\`: an answer was lost, and no list shows the number any more.`,
      unlistedHelp([number], environment),
    );
  }
}
