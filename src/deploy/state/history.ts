import type { Entry, FollowUp } from "../../schema/state.ts";
import { State } from "./state.ts";

/** An entry of the history with its effects. */
export interface EntryWithEffects {
  readonly entry: Entry;
  /** The menu keys that it is about. Empty if it is about the whole state. */
  readonly keys: readonly string[];
  /** The follow-up that it opened. */
  readonly opened: FollowUp | undefined;
  /** The follow-up that it closed. */
  readonly closed: FollowUp | undefined;
}

/** Replays the whole history. Returns each entry with its effects. */
export function replayHistory(entries: readonly Entry[]): EntryWithEffects[] {
  const state = new State();
  return entries.map((entry) => {
    const { event, seq } = entry;
    const closed =
      event.kind === "done" || event.kind === "restored"
        ? state.followUps.get(event.follow_up)
        : undefined;
    // The heads do not matter here.
    state.take(entry, "");
    // The id of a follow-up is the number of the event that opened it.
    const opened = state.followUps.get(`F${seq}`);
    return { entry, keys: keysOf(event, closed), opened, closed };
  });
}

function keysOf(event: Entry["event"], closed: FollowUp | undefined): readonly string[] {
  if (event.kind === "moved") return [event.key, event.from];
  if ("key" in event) return [event.key];
  return closed === undefined ? [] : [closed.key];
}
