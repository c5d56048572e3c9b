import {
  type CallMenu,
  type CallRecording,
  type CallPath,
  pathName,
  pathsOf,
} from "../model/call-menu.ts";

/** One part of a menu, and how it differs from an earlier version. */
export interface ComparedPart<T> {
  /** What the part is, in words: `key 2`, `after a silence`. */
  readonly id: string;
  /** The part as it is or, if it was removed, as it was. */
  readonly value: T;
  /** What it was before a change. */
  readonly was: T | undefined;
  readonly mark: "new" | "changed" | "removed" | undefined;
}

/** The paths of a menu, in the order in which callers hear the keys. Removed ones are at the end. */
export function pathRows(now: CallMenu, before = now): ComparedPart<CallPath>[] {
  return rows(now, before, (menu) => pathsOf(menu).map((path) => [pathName(path), path]));
}

/** The recordings of a menu. */
export function recordingRows(now: CallMenu, before = now): ComparedPart<CallRecording>[] {
  return rows(now, before, (menu) => [
    ["at the start", menu.recording],
    ["after a wrong key", menu["invalid.recording"]],
    ...lastWrongKey(menu),
    ["after a silence", menu["timeout.retry_recording"]],
    ["after the last silence", menu["timeout.recording"]],
  ]);
}

function lastWrongKey({ "invalid.final_recording": last }: CallMenu): [string, CallRecording][] {
  return last === undefined ? [] : [["after the last wrong key", last]];
}

/** The parts in the order of the current version, then those that were removed. */
function rows<T>(now: CallMenu, before: CallMenu, partsOf: (menu: CallMenu) => [string, T][]) {
  const [is, was] = [new Map(partsOf(now)), new Map(partsOf(before))];
  return Array.from(new Map([...is, ...was, ...is]), ([id, value]): ComparedPart<T> => {
    const isSame = seen(is.get(id)) === seen(was.get(id));
    const mark = !was.has(id) ? "new" : !is.has(id) ? "removed" : "changed";
    return { id, value, was: isSame ? undefined : was.get(id), mark: isSame ? undefined : mark };
  });
}

/** What callers notice of a part: not how its file refers to an agent, or how a recording is sent. */
function seen(part: unknown): string | undefined {
  return JSON.stringify(part, (name, value: unknown) =>
    name === "reference" || name === "plain" || name === "sms" ? undefined : value,
  );
}
