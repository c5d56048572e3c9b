import type { CallDestination, CallMenu, CallRecording } from "./model.ts";
import { type Trigger, onKey, onSilence, onWrongKey } from "./words.ts";

/** One part of a menu as it is and as it was. */
export interface Row<T> {
  /** What the part is, in words: `key 2`, `after a silence`. */
  readonly id: string;
  readonly now: T | undefined;
  readonly before: T | undefined;
  readonly mark: "new" | "changed" | "removed" | undefined;
}

/** A path through a menu. */
export interface CallPath {
  readonly trigger: Trigger;
  readonly destination: CallDestination;
}

/** The paths of a menu, in the order in which callers hear the keys. Removed ones are at the end. */
export function pathRows(now: CallMenu, before = now): Row<CallPath>[] {
  return rows(namedPaths(now), namedPaths(before));
}

/** The recordings of a menu. */
export function recordingRows(now: CallMenu, before = now): Row<CallRecording>[] {
  return rows(recordingsOf(now), recordingsOf(before));
}

/** The rows of two versions, in the order of the current one, then those that were removed. */
function rows<T>(
  now: readonly (readonly [string, T])[],
  before: readonly (readonly [string, T])[],
): Row<T>[] {
  const [is, was] = [new Map(now), new Map(before)];
  return [...new Set([...is.keys(), ...was.keys()])].map((id) => {
    const [current, old] = [is.get(id), was.get(id)];
    const isSame = JSON.stringify(current) === JSON.stringify(old);
    const mark = old === undefined ? "new" : current === undefined ? "removed" : "changed";
    return { id, now: current, before: old, mark: isSame ? undefined : mark };
  });
}

/** The paths of a menu with the words that identify them. */
export function namedPaths({ options, invalid, timeout }: CallMenu): [string, CallPath][] {
  return [
    ...options.map(({ key, for: purpose, destination }): [string, CallPath] => [
      `key ${key}`,
      { trigger: onKey(key, purpose), destination },
    ]),
    ["wrong key", { trigger: onWrongKey(invalid.retries), destination: invalid.destination }],
    [
      "silence",
      { trigger: onSilence(timeout.wait, timeout.retries), destination: timeout.destination },
    ],
  ];
}

function recordingsOf({ recording, invalid, timeout }: CallMenu): [string, CallRecording][] {
  return [
    ["at the start", recording],
    ["after a wrong key", invalid.recording],
    ["after a silence", timeout.retryRecording],
    ["after the last silence", timeout.recording],
  ];
}
