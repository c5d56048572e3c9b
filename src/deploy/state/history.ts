import type { Entry, FollowUp, RecordingText } from "../../schema/state.ts";
import type { Linked } from "./entries.ts";
import { State } from "./state.ts";
import { followUpRecord, openText } from "./view.ts";

export interface EntryWithEffects {
  readonly entry: Entry;
  /** The menu keys that it is about. Empty if it is about the whole state. */
  readonly keys: readonly string[];
  readonly opened: FollowUp | undefined;
  readonly closed: FollowUp | undefined;
  /** The text of a recording before and after, if it is about one. */
  readonly text:
    | { readonly before: RecordingText | undefined; readonly after: RecordingText }
    | undefined;
}

/** Replays a history, or what follows a state. Returns each entry with its effects. */
export function replayHistory(
  history: readonly Linked[],
  state: State = new State(),
): EntryWithEffects[] {
  return history.map(({ entry, head }) => {
    const { event } = entry;
    const before = state.opened;
    const named = "follow_up" in event ? followUpRecord(state, event.follow_up ?? "") : undefined;
    const recording =
      event.kind === "text"
        ? event.recording
        : event.kind === "done" && openText(state, event.follow_up)?.id;
    const text = recording ? state.recordings.get(recording) : undefined;
    state.take(entry, head);
    const after = recording ? state.recordings.get(recording) : undefined;
    const closed = named !== undefined && !followUpRecord(state, named.id) ? named : undefined;
    const opened = state.opened > before ? followUpRecord(state, `F${state.opened}`) : undefined;
    return {
      entry,
      keys: keysOf(event, closed),
      opened,
      closed,
      text: after && { before: text, after },
    };
  });
}

/** The entries about these menu keys, and about the keys that the menus had before they were moved. */
export function entriesAbout(
  keys: ReadonlySet<string>,
  all: readonly EntryWithEffects[],
): EntryWithEffects[] {
  const wanted = new Set(keys);
  // An old key counts only before the move: later, it can be that of another menu.
  return all
    .toReversed()
    .filter(({ entry: { event }, keys: own }) => {
      if (event.kind === "moved" && wanted.has(event.key)) wanted.add(event.from);
      return own.some((key) => wanted.has(key));
    })
    .toReversed();
}

function keysOf(event: Entry["event"], closed: FollowUp | undefined): readonly string[] {
  if (event.kind === "moved") return [event.key, event.from];
  if ("key" in event) return [event.key];
  return closed === undefined ? [] : [closed.key];
}

/** What the service answered to the last request for each menu, if it refused that one. */
export function lastRefusals(history: readonly Linked[]): ReadonlyMap<string, string> {
  const last = new Map<string, string>();
  for (const { event } of history.map(({ entry }) => entry)) {
    if (event.kind !== "outcome") continue;
    if (event.how !== "answer" || event.as !== "not-done") last.delete(event.key);
    else last.set(event.key, event.message.replace(/\.$/, ""));
  }
  return last;
}
