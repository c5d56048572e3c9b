import { type Branch, type Mark, type Picture, drawMenu } from "../../graph/picture.ts";
import type { Difference } from "../../deploy/plan/digest.ts";
import { actions } from "../../deploy/plan/actions.ts";
import type { Change } from "../../deploy/plan/changes.ts";
import type { MenuContent } from "../../schema/plan.ts";
import { changedFields } from "./lines.ts";
import {
  type CallPath,
  arrow,
  describeDifferences,
  isDestination,
  menuGreeting,
  callPart,
  menuPaths,
} from "./field-names.ts";

/** The picture of a menu with its changes; undefined if nothing changes for callers. */
export function changePicture(change: Change): Picture | undefined {
  const { action, before, after, pending } = change;
  if (pending) return whole(pending, "unknown", unknownWords[pending.action]);
  if (action === "delete") return before && whole(before, "removed", "deleted");
  if (after === undefined || actions[action].keepsContent) return undefined;
  if (before === undefined) return whole(after, "added", "new");
  return difference(change, before, after);
}

const unknownWords = {
  create: "may or may not exist",
  replace: "may or may not exist",
  update: "may or may not be updated to this",
  delete: "may or may not be deleted",
} as const;

/** A menu that is new or removed as a whole. */
function whole(content: MenuContent, mark: Mark, word: string): Picture {
  const menu = { lines: [`${word}: ${quoted(content)}`, playing(content)], mark };
  const paths = withSameNames(menuPaths(content));
  const branches = paths.map((path) => branch(path, [path.reaches], mark));
  return drawMenu(content.payload.name, menu, branches);
}

function difference(change: Change, before: MenuContent, now: MenuContent): Picture | undefined {
  const found = changedFields(change);
  if (found.length === 0) return undefined;
  const old = change.drift ?? before;
  const [was, is] = [byPlace(menuPaths(before)), byPlace(withSameNames(menuPaths(now)))];
  const branches = [...new Set([...is.keys(), ...was.keys()])].flatMap((at): Branch[] => {
    const [before, after] = [was.get(at), is.get(at)];
    if (after === undefined) {
      return before === undefined
        ? []
        : [branch(before, [`removed: ${before.reaches}`], "removed")];
    }
    if (before === undefined) return [branch(after, [`new: ${after.reaches}`], "added")];
    const changed = found.filter(({ field }) => callPart(field) === at);
    const mark = changed.length === 0 ? undefined : "changed";
    const moved = changed.filter(({ field }) => isDestination(field));
    if (moved.length > 0) return [branch(after, changedLines(changed, old, now), mark)];
    // The destination stays the same, so only the path is marked.
    const { trigger } = after;
    const otherwise = [...trigger.otherwise, ...changedLines(changed, old, now)];
    const place = { id: after.destination, lines: [after.reaches], mark: undefined };
    return [{ trigger: { ...trigger, otherwise }, place, mark }];
  });
  const about = found.filter(({ field }) => callPart(field) === "menu");
  const changed = new Set(about.map(({ field }) => field));
  const menu = {
    lines: [
      ...(changed.has("name") ? [] : [quoted(now)]),
      ...(changed.has("recording") ? [] : [playing(now)]),
      ...changedLines(about, old, now),
    ],
    mark: about.length === 0 ? undefined : ("changed" as const),
  };
  return drawMenu(now.payload.name, menu, branches);
}

function branch(
  { trigger, destination }: CallPath,
  lines: string[],
  mark: Mark | undefined,
): Branch {
  return { trigger, place: { id: destination, lines, mark }, mark };
}

/** The paths with one name for each destination, so that it is drawn once. */
function withSameNames(paths: readonly CallPath[]): CallPath[] {
  const names = new Map(
    paths.toReversed().map(({ destination, reaches }) => [destination, reaches]),
  );
  return paths.map((path) => ({ ...path, reaches: names.get(path.destination) ?? path.reaches }));
}

function changedLines(
  found: readonly Difference[],
  old: Pick<MenuContent, "naming">,
  now: MenuContent,
): string[] {
  return describeDifferences(found, old, now).map(({ field, what, before, after }) =>
    isDestination(field)
      ? `changed: ${arrow(before, after)}`
      : `changed: ${what} ${arrow(before, after)}`,
  );
}

function byPlace(paths: readonly CallPath[]): ReadonlyMap<string, CallPath> {
  return new Map(paths.map((path) => [path.at, path]));
}

function quoted({ payload }: MenuContent): string {
  return `“${payload.name}”`;
}

function playing(content: MenuContent): string {
  return `plays ${menuGreeting(content)}`;
}
