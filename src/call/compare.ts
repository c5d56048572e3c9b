import { type CallMenu, type CallPath, type CallRecording, pathName, pathsOf } from "./model.ts";

/** One part of a menu as it is and as it was. */
export interface Row<T> {
  /** What the part is, in words: `key 2`, `after a silence`. */
  readonly id: string;
  readonly now: T | undefined;
  readonly before: T | undefined;
  readonly mark: "new" | "changed" | "removed" | undefined;
}

/** The paths of a menu, in the order in which callers hear the keys. Removed ones are at the end. */
export function pathRows(now: CallMenu, before = now): Row<CallPath>[] {
  return rows(now, before, (menu) => pathsOf(menu).map((path) => [pathName(path), path]));
}

/** The recordings of a menu. */
export function recordingRows(now: CallMenu, before = now): Row<CallRecording>[] {
  return rows(now, before, ({ recording, invalid, timeout }) => [
    ["at the start", recording],
    ["after a wrong key", invalid.recording],
    ["after a silence", timeout.retryRecording],
    ["after the last silence", timeout.recording],
  ]);
}

/** The rows of two versions, in the order of the current one, then those that were removed. */
function rows<T>(
  now: CallMenu,
  before: CallMenu,
  partsOf: (menu: CallMenu) => [string, T][],
): Row<T>[] {
  const [is, was] = [new Map(partsOf(now)), new Map(partsOf(before))];
  return [...new Set([...is.keys(), ...was.keys()])].map((id) => {
    const [current, old] = [is.get(id), was.get(id)];
    const isSame = JSON.stringify(current) === JSON.stringify(old);
    const mark = old === undefined ? "new" : current === undefined ? "removed" : "changed";
    return { id, now: current, before: old, mark: isSame ? undefined : mark };
  });
}
