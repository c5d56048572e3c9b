import { type Branch, type Highlight, type Picture, drawMenu } from "../../graph/picture.ts";
import { actions } from "../../deploy/plan/changes/actions.ts";
import type { Change } from "../../deploy/plan/changes/changes.ts";
import { describeChange } from "../../model/field-words.ts";
import type { Menu } from "../../model/menu.ts";
import type { FieldChange } from "../../model/menu-diff.ts";
import { fields } from "../../schema/fields.ts";
import { callerChanges } from "./caller-lines.ts";
import { type DescribedPath, arrow, callPart, menuGreeting, describePaths } from "./field-names.ts";

/** The picture of a menu with its changes; undefined if nothing changes for callers. */
export function changePicture(change: Change): Picture | undefined {
  const { action, before, after, pending } = change;
  if (pending) return whole(pending.menu, "unknown", unknownWords[pending.action]);
  if (action === "delete") return before && whole(before.menu, "removed", "deleted");
  if (after === undefined || actions[action].keepsContent) return undefined;
  if (before === undefined) return whole(after, "added", "new");
  return difference(change, before.menu, after);
}

const unknownWords = {
  create: "may or may not exist",
  replace: "may or may not exist",
  update: "may or may not be updated to this",
  delete: "may or may not be deleted",
} as const;

/** A menu that is new or removed as a whole. */
function whole(content: Menu, mark: Highlight, word: string): Picture {
  const menu = { lines: [`${word}: ${quoted(content)}`, playing(content)], mark };
  const paths = withSameNames(describePaths(content));
  const branches = paths.map((path) => branch(path, [path.reaches], mark));
  return drawMenu(content.name, menu, branches);
}

function difference(change: Change, before: Menu, now: Menu): Picture | undefined {
  const changes = callerChanges(change);
  if (changes.length === 0) return undefined;
  const [was, is] = [byPlace(describePaths(before)), byPlace(withSameNames(describePaths(now)))];
  const branches = [...new Set([...is.keys(), ...was.keys()])].flatMap((at): Branch[] => {
    const [before, after] = [was.get(at), is.get(at)];
    if (after === undefined) {
      return before === undefined
        ? []
        : [branch(before, [`removed: ${before.reaches}`], "removed")];
    }
    if (before === undefined) return [branch(after, [`new: ${after.reaches}`], "added")];
    const changed = changes.filter(({ row, path }) => callPart(row, path) === at);
    const mark = changed.length === 0 ? undefined : "changed";
    const moved = changed.filter(isDestination);
    if (moved.length > 0) return [branch(after, changedLines(changed), mark)];
    // The destination stays the same, so only the path is marked.
    const { trigger, menu } = after;
    const otherwise = [...trigger.otherwise, ...changedLines(changed)];
    const place = { id: after.destination, lines: [after.reaches], mark: undefined, menu };
    return [{ trigger: { ...trigger, otherwise }, place, mark }];
  });
  const menuChanges = changes.filter(({ row, path }) => callPart(row, path) === "menu");
  const changed = new Set<string>(menuChanges.map(({ path }) => path));
  const menu = {
    lines: [
      ...(changed.has("name") ? [] : [quoted(now)]),
      ...(changed.has("recording") ? [] : [playing(now)]),
      ...changedLines(menuChanges),
    ],
    mark: menuChanges.length === 0 ? undefined : ("changed" as const),
  };
  return drawMenu(now.name, menu, branches);
}

function branch(
  { trigger, destination, menu }: DescribedPath,
  lines: string[],
  mark: Highlight | undefined,
): Branch {
  return { trigger, place: { id: destination, lines, mark, menu }, mark };
}

/** The paths with one name for each destination, so that it is drawn once. */
function withSameNames(paths: readonly DescribedPath[]): DescribedPath[] {
  const names = new Map(
    paths.toReversed().map(({ destination, reaches }) => [destination, reaches]),
  );
  return paths.map((path) => ({ ...path, reaches: names.get(path.destination) ?? path.reaches }));
}

function changedLines(changes: readonly FieldChange[]): string[] {
  return changes.map((change) => {
    const { what, before, after } = describeChange(change);
    return isDestination(change)
      ? `changed: ${arrow(before, after)}`
      : `changed: ${what} ${arrow(before, after)}`;
  });
}

function isDestination({ row }: FieldChange): boolean {
  return fields[row].is === "destination";
}

function byPlace(paths: readonly DescribedPath[]): ReadonlyMap<string, DescribedPath> {
  return new Map(paths.map((path) => [path.at, path]));
}

function quoted({ name }: Menu): string {
  return `“${name}”`;
}

function playing(content: Menu): string {
  return `plays ${menuGreeting(content)}`;
}
