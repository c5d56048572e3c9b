import type { Change } from "../../deploy/plan/changes.ts";
import { isOld } from "../../schema/ref.ts";
import { groupBy } from "../../util/group-by.ts";
import { changedFields } from "../../model/menu-diff.ts";
import { describeChange } from "../../model/field-words.ts";
import { fields } from "../../schema/fields.ts";
import { type Line, callerLines } from "./lines.ts";

/** What changes for callers of one menu, or of several menus alike. */
export interface Row {
  /** The menus, sorted by key. */
  readonly changes: readonly [Change, ...Change[]];
  /** `Main menu`, `11 hotels` */
  readonly subject: string;
  readonly lines: readonly RowLine[];
  /** Whether a reader has to see which menus they are. */
  readonly isNamed: boolean;
}

interface RowLine {
  readonly text: string;
  /** `differs from the other 11` */
  readonly mark?: string | undefined;
}

/** The fewest menus that are shown together. Two are as easy to read one by one. */
const fewest = 3;

interface Item {
  readonly change: Change;
  readonly lines: readonly Line[];
}

/**
 * What changes for callers. Menus with the same change, apart from their variables, are one row, and
 * those of their folder that differ come right after it. `isSingle` shows each menu on its own.
 */
export function callerRows(
  changes: readonly Change[],
  folderSizes: ReadonlyMap<string, number>,
  isSingle = false,
): Row[] {
  const items = changes
    .map((change): Item => ({ change, lines: callerLines(change) }))
    .filter(({ lines }) => lines.length > 0)
    .sort((a, b) => (a.change.key < b.change.key ? -1 : 1));
  const alike = [
    ...groupBy(items, (item) => (isSingle ? item.change.key : identityOf(item))).values(),
  ];
  const groups = alike.filter(({ length }) => length >= fewest);
  const singles = alike.filter(({ length }) => length < fewest).flat();
  const outliers = groupBy(singles, (item) => groupWithout(item, groups));
  const rows = [
    ...(outliers.get(undefined) ?? []).map((item) => singleRow(item)),
    ...groups
      .toSorted((a, b) => a.length - b.length)
      .flatMap((group) => {
        const others = (outliers.get(group) ?? []).map((item) => singleRow(item, group));
        return [groupRow(group, others.length, folderSizes)].concat(others);
      }),
  ];
  return rows.sort((a, b) => rankOf(a) - rankOf(b));
}

/** The folders of a menu key, the nearest first: `a/b`, `a`. */
export function foldersAbove(key: string): string[] {
  const words = key.split("/").slice(0, -1);
  return words.map((_, at) => words.slice(0, words.length - at).join("/"));
}

/** The nearest folder that all these menus are in; empty if there is none. */
function commonFolder([first, ...more]: Group): string {
  const isCommon = (folder: string) =>
    more.every(({ change }) => change.key.startsWith(`${folder}/`));
  return foldersAbove(first.change.key).find(isCommon) ?? "";
}

/** Changed menus come before new ones, and those before deleted ones. */
function rankOf({ changes: [first] }: Row): number {
  return isRemoved(first) ? 2 : first.before === undefined ? 1 : 0;
}

function isRemoved({ action }: Change): boolean {
  return action === "delete" || action === "forget";
}

function identityOf({ change, lines }: Item): string {
  const { action, waitsFor } = change;
  return JSON.stringify([action, waitsFor, lines.map(({ id }) => id)]);
}

type Group = readonly [Item, ...Item[]];

/** The largest group in the folder of a menu that changes the same field in a different way. */
function groupWithout({ change, lines }: Item, groups: readonly Group[]): Group | undefined {
  const fields = new Set(lines.map(({ field }) => field));
  return groups
    .filter(
      (group) =>
        group[0].change.action === change.action &&
        group[0].lines.some(({ field }) => fields.has(field)) &&
        isInFolder(change.key, commonFolder(group)),
    )
    .toSorted((a, b) => b.length - a.length)[0];
}

function isInFolder(key: string, folder: string): boolean {
  return folder === "" ? !key.includes("/") : key.startsWith(`${folder}/`);
}

function singleRow({ change, lines }: Item, group?: Group): Row {
  const usual = new Map(group?.[0].lines.map(({ field, id }) => [field, id]));
  return {
    changes: [change],
    // The current menu has the same name.
    subject: isOld(change.ref) ? `${change.name} (old, ${change.key})` : change.name,
    lines: [...lines, ...otherSettings(change, group)].map(({ field, id, text }, at) => {
      const differs = usual.has(field) && usual.get(field) !== id;
      const marks = [
        ...(differs ? [`differs from the other ${group?.length}`] : []),
        ...(at === 0 ? waits(change) : []),
      ];
      return { text, mark: marks.join(", ") || undefined };
    }),
    isNamed: false,
  };
}

/** How a new menu differs from a group of new ones besides its destinations. */
function otherSettings({ after }: Change, group: Group | undefined): Line[] {
  const usual = group?.[0].change;
  if (!after || !usual?.after || usual.before) return [];
  const found = changedFields(usual.after, after).filter(
    ({ row }) => fields[row].is !== "destination" && row !== "name" && row !== "description",
  );
  return found.map((change) => {
    const { what, before, after: is } = describeChange(change);
    const text = `${what}: ${is ?? "nothing"} (the others: ${before ?? "nothing"})`;
    return { field: change.path, text, masked: text, id: text };
  });
}

function groupRow(group: Group, others: number, folderSizes: ReadonlyMap<string, number>): Row {
  const [first, ...more] = group;
  const folder = commonFolder(group);
  const isWhole = folder !== "" && folderSizes.get(folder) === group.length + others;
  // Variables with the same value in all menus are shown with it.
  const vars = new Map(
    [...first.change.vars].filter(([name, value]) =>
      more.some(({ change }) => change.vars.get(name) !== value),
    ),
  );
  const lines = callerLines({ ...first.change, vars });
  return {
    changes: [first.change, ...more.map(({ change }) => change)],
    // `11 hotels`, `4 menus in hotels/west`
    subject: `${group.length} ${folder === "" ? "menus" : folder.includes("/") ? `menus in ${folder}` : folder}`,
    lines: lines.map(({ text, masked }, at) => {
      const isSame = more.every((item) => item.lines[at]?.text === text);
      const [mark] = at === 0 ? waits(first.change, "the old menus are used again") : [];
      return { text: isSame ? text : masked, mark };
    }),
    isNamed: !isWhole || first.change.before === undefined || isRemoved(first.change),
  };
}

/** Why apply does not send the menu now, or what a reviewer has to know besides. */
function waits({ action, waitsFor, drift, followUp }: Change, restored?: string): string[] {
  if (followUp) return [restored ?? `the old menu of follow-up ${followUp.id} is used again`];
  if (action === "delete" && drift) return ["changed on the console since it was recorded"];
  if (action === "blocked") return ["held back"];
  if (action !== "waiting") return [];
  const [first, ...more] = waitsFor;
  if (more.length > 0) return [`waits for ${waitsFor.length} menus`];
  const why = first?.because === "unknown" ? ", whose outcome is unknown" : "";
  return [`waits for ${first?.key}${why}`];
}
