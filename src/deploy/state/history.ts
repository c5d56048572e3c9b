import type { Entry, FollowUp } from "../../schema/state.ts";
import { State } from "./state.ts";

/** An entry of the history, with what it meant then. */
export interface Remembered {
  readonly entry: Entry;
  /** The keys that it is about; none where it is about the state as a whole. */
  readonly keys: readonly string[];
  /** The follow-up that it left behind. */
  readonly opened: FollowUp | undefined;
  /** The follow-up that it ended. */
  readonly closed: FollowUp | undefined;
}

/** The whole history, lived through once more. */
export function remember(entries: readonly Entry[]): Remembered[] {
  const state = new State();
  return entries.map((entry) => {
    const { event, seq } = entry;
    const closed = "follow_up" in event ? state.followUps.get(event.follow_up) : undefined;
    // Nobody sees the head of a moment that is past.
    state.take(entry, "");
    // A follow-up is called after the event that it came from.
    const opened = state.followUps.get(`F${seq}`);
    return { entry, keys: keysOf(event, closed), opened, closed };
  });
}

function keysOf(event: Entry["event"], closed: FollowUp | undefined): readonly string[] {
  if (event.kind === "moved") return [event.key, event.from];
  if ("key" in event) return [event.key];
  return closed === undefined ? [] : [closed.key];
}
