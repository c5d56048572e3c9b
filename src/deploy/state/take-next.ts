import { type Linked, headOf } from "./chain.ts";
import { parseEntry } from "./file/journal.ts";
import { Contradiction, type State } from "./state.ts";
import type { StateProblem } from "./store.ts";

/** An entry as a store keeps it, not yet believed. */
export interface Kept {
  readonly text: string;
  readonly head: string;
}

/** Takes the next entry of a history into its state, verified against all before it. */
export function takeNext(
  { text, head }: Kept,
  state: State,
  place: string,
  damaged: (how: string) => StateProblem,
): Linked {
  const seq = state.serial + 1;
  if (headOf(state.head, text) !== head) {
    throw damaged(`is not what ivrctl wrote there at event ${seq}`);
  }
  const entry = parseEntry(text, place);
  try {
    state.take(entry, head);
  } catch (error) {
    if (!(error instanceof Contradiction)) throw error;
    throw damaged(`has an event ${seq} that cannot have happened: ${error.message}`);
  }
  return { entry, text, head };
}
