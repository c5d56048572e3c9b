import { waitsInPlan } from "../../deploy/reasons/waiting.ts";
import type { Change } from "../../deploy/plan/changes/changes.ts";
import type { Plan } from "../../deploy/plan/plan.ts";
import { isOld } from "../../schema/ref.ts";
import { groupBy } from "../../util/group-by.ts";
import { changedFields } from "../../model/menu-diff.ts";
import { noticedBy } from "../../reach/findings.ts";
import type { Worlds } from "../../reach/world.ts";
import { describeChange } from "../../model/field-words.ts";
import { fields } from "../../schema/fields.ts";
import { type ChangeLine, callerLines } from "./caller-lines.ts";

/** What changes for callers of one menu, or of several menus alike. */
export interface ChangeRow {
  /** The menus, sorted by key. */
  readonly changes: readonly [Change, ...Change[]];
  /** `Main menu`, `11 hotels`, `All 13 menus` */
  readonly subject: string;
  readonly lines: readonly RowLine[];
  /** The names of several menus, if a reader has to see which they are. */
  readonly names: readonly string[];
}

export interface RowLine {
  readonly text: string;
  /** `differs from the other 11` */
  readonly mark?: string | undefined;
  /** Whether it is only about how often or how long. A summary leaves that out first. */
  readonly isCount?: boolean | undefined;
}

/** The fewest menus that are shown together. Two are as easy to read one by one. */
const fewest = 3;

/** So few menus are always shown with their names. */
export const fewNamed = 5;

/** A menu with lines that no other row shows. */
interface Item {
  readonly change: Change;
  readonly lines: readonly ChangeLine[];
  readonly marks: readonly string[];
}

/** Lines that the same menus share, each as it is in each of them. */
interface Group {
  readonly changes: readonly [Change, ...Change[]];
  readonly lines: readonly (readonly ChangeLine[])[];
}

/**
 * What changes for callers. A line that at least three menus share is shown once for all of them, and
 * the menus that change the same field in a different way come right after it. `isSingle` shows each
 * menu on its own.
 */
export function callerRows(
  {
    changes,
    desired,
    knownState,
    worlds,
  }: Pick<Plan, "changes" | "desired" | "knownState" | "worlds">,
  isSingle = false,
  isPlan = true,
): ChangeRow[] {
  const unnoticed = isPlan ? unnoticedIn(worlds) : () => [];
  const items = changes
    .map((change): Item => ({
      change,
      lines: callerLines(change, knownState.recordings),
      marks: [...waits(change), ...unnoticed(change)],
    }))
    .filter(({ lines }) => lines.length > 0)
    .sort((a, b) => (a.change.key < b.change.key ? -1 : 1));
  const fleet = fleetOf(desired, worlds);
  const shared = isSingle ? [] : groupsIn(items);
  const left = itemsLeft(items, shared);
  // Menus without a line of their own that wait for the same.
  const waiting = isSingle ? [] : groupsIn(left);
  const singles = left.filter(
    ({ change }) => !waiting.some((group) => group.changes.includes(change)),
  );
  const beside = groupBy(singles, (item) => groupBeside(item, shared));
  const units = [
    ...shared.map((group) => {
      const others = beside.get(group) ?? [];
      return [groupRow(group, others.length, fleet, markOf(group))].concat(
        others.map((item) => singleRow(item, group)),
      );
    }),
    ...waiting.map((group) => [groupRow(group, 0, fleet)]),
    ...(beside.get(undefined) ?? []).map((item) => [singleRow(item)]),
  ];
  // A row stays after the one that it differs from.
  const placed = units.flatMap((rows) => {
    const [place = 0] = rows.map((row) => placeOf(row, fleet));
    return rows.map((row) => ({ row, place }));
  });
  return placed.toSorted((a, b) => a.place - b.place).map(({ row }) => row);
}

/** Why callers do not notice what apply sends, although it changes what is on the service. */
function unnoticedIn(worlds: Worlds): (change: Change) => string[] {
  const noticed = noticedBy(worlds);
  return ({ key, action, bind, followUp }) => {
    const isSent = action === "update" || action === "create" || action === "replace" || followUp;
    if (bind.length > 0 || !isSent) return [];
    if (noticed(key) === "unreached") return ["no caller reaches this menu"];
    return noticed(key) === "same" && !followUp ? ["callers already reach that"] : [];
  };
}

/** What a row has to know of all menus of the files. */
interface Fleet {
  readonly size: number;
  readonly folders: ReadonlyMap<string, number>;
  /** The menus that callers reach first. */
  readonly entries: ReadonlySet<string>;
}

function fleetOf(desired: Plan["desired"], { wanted: { entries, menus } }: Worlds): Fleet {
  const inFolders = groupBy(
    desired.flatMap(({ key }) => foldersAbove(key)),
    (folder) => folder,
  );
  return {
    size: desired.length,
    folders: new Map([...inFolders].map(([folder, { length }]) => [folder, length])),
    entries: new Set(
      [...entries.values()].flatMap((to) =>
        to.kind === "menu" ? (menus.get(to.id)?.key ?? []) : [],
      ),
    ),
  };
}

/** What all menus share comes first, then what callers reach first. Deleted menus come last. */
function placeOf({ changes }: ChangeRow, { size, entries }: Fleet): number {
  const [first] = changes;
  if (changes.length >= fewest && changes.length === size) return 0;
  const rank = isRemoved(first) ? 3 : first.before === undefined ? 2 : 1;
  return changes.some(({ key }) => entries.has(key)) ? rank : rank + 3;
}

function isRemoved({ action }: Change): boolean {
  return action === "delete" || action === "forget";
}

/** The folders of a menu key, the nearest first: `a/b`, `a`. */
function foldersAbove(key: string): string[] {
  const words = key.split("/").slice(0, -1);
  return words.map((_, at) => words.slice(0, words.length - at).join("/"));
}

/** The nearest folder that all these menus are in; empty if there is none. */
function commonFolder([first, ...more]: Group["changes"]): string {
  const isCommon = (folder: string) => more.every(({ key }) => key.startsWith(`${folder}/`));
  return foldersAbove(first.key).find(isCommon) ?? "";
}

// ---- What several menus share ----

/** The lines that at least three menus share. Lines of the same menus are one group, large groups first. */
function groupsIn(items: readonly Item[]): Group[] {
  const all = items.flatMap(({ change, lines }) => lines.map((line) => ({ change, line })));
  const alike = groupBy(all, ({ change, line }) => idOf(line, change));
  const common = [...alike.values()].filter(({ length }) => length >= fewest);
  const sameMenus = groupBy(common, (group) => group.map(({ change }) => change.ref).join("\n"));
  return [...sameMenus.values()]
    .map(([[first, ...more], ...others]): Group => ({
      changes: [first.change, ...more.map(({ change }) => change)],
      lines: [[first, ...more], ...others].map((group) => group.map(({ line }) => line)),
    }))
    .sort((a, b) => b.changes.length - a.changes.length);
}

/** What apply holds back is never shown together with what it sends. */
function idOf({ id }: ChangeLine, { action }: Change): string {
  return action === "blocked" ? `${action} ${id}` : id;
}

/** What no group shows of the menus. If that is only why a menu waits, this is its line. */
function itemsLeft(items: readonly Item[], groups: readonly Group[]): Item[] {
  const shownLines = new Set(
    groups.flatMap(({ changes, lines }) =>
      lines.flatMap((alike) =>
        alike.flatMap((line, at) => {
          const change = changes[at];
          return change === undefined ? [] : `${change.ref} ${idOf(line, change)}`;
        }),
      ),
    ),
  );
  const isMarked = new Set(groups.flatMap((group) => (markOf(group) ? group.changes : [])));
  return items.flatMap(({ change, lines, marks }): Item[] => {
    const own = lines.filter((line) => !shownLines.has(`${change.ref} ${idOf(line, change)}`));
    const left = isMarked.has(change) ? [] : marks;
    if (own.length > 0) return [{ change, lines: own, marks: left }];
    const [alike] = marksOfSeveral(change);
    return left.map((text) => ({
      change,
      lines: [{ ...plainLine(alike ?? text), text }],
      marks: [],
    }));
  });
}

/** The largest group in the folder of a menu that changes the same field in a different way. */
function groupBeside({ change, lines }: Item, groups: readonly Group[]): Group | undefined {
  const own = new Set(lines.map(({ field }) => field));
  return groups.find(({ changes, lines: shared }) => {
    const folder = commonFolder(changes);
    return (
      shared.some(([line]) => line !== undefined && own.has(line.field)) &&
      (folder === "" || change.key.startsWith(`${folder}/`))
    );
  });
}

// ---- Rows ----

function singleRow({ change, lines, marks }: Item, group?: Group): ChangeRow {
  const usual = new Map(
    group?.lines.flatMap(([line]) => (line === undefined ? [] : [[line.field, line.id]])),
  );
  return {
    changes: [change],
    // The current menu has the same name.
    subject: isOld(change.ref) ? `${change.name} (old, ${change.key})` : change.name,
    lines: [...lines, ...otherSettings(change, group)].map(({ field, id, text, isCount }, at) => {
      const differs = usual.has(field) && usual.get(field) !== id;
      const all = [
        ...(differs ? [`differs from the other ${group?.changes.length}`] : []),
        ...(at === 0 ? marks : []),
      ];
      return { text, mark: all.join(", ") || undefined, isCount };
    }),
    names: [],
  };
}

/** How a new menu differs from a group of new ones besides its destinations. */
function otherSettings({ after }: Change, group: Group | undefined): ChangeLine[] {
  const usual = group?.changes[0];
  if (!after || !usual?.after || usual.before) return [];
  const changes = changedFields(usual.after, after).filter(
    ({ row }) => fields[row].is !== "destination" && row !== "name" && row !== "description",
  );
  return changes.map((change) => {
    const { what, before, after: is } = describeChange(change);
    return plainLine(`${what}: ${is ?? "nothing"} (the others: ${before ?? "nothing"})`);
  });
}

function groupRow(
  { changes, lines }: Group,
  others: number,
  { size, folders }: Fleet,
  mark?: string,
): ChangeRow {
  const [first] = changes;
  const folder = commonFolder(changes);
  const count = changes.length;
  const all = folder === "" ? size : folders.get(folder);
  // `All 13 menus`, `11 hotels`, `4 menus in hotels/west`
  const noun = folder === "" ? "menus" : folder.includes("/") ? `menus in ${folder}` : folder;
  const isKnown = all === count + others && first.before !== undefined && !isRemoved(first);
  return {
    changes,
    subject: `${count === all ? "All " : ""}${count} ${noun}`,
    lines: lines.map((alike, at) => ({
      text: sharedText(alike, changes),
      mark: at === 0 ? mark : undefined,
      isCount: alike[0]?.isCount,
    })),
    names: isKnown && count > fewNamed ? [] : changes.map(({ name }) => name),
  };
}

/** A line for all menus of a group, with variables only where their values differ. */
function sharedText(lines: readonly ChangeLine[], changes: Group["changes"]): string {
  const [first, ...more] = lines;
  if (first === undefined || more.every(({ text }) => text === first.text))
    return first?.text ?? "";
  const [{ vars }, ...others] = changes;
  const same = [...vars].filter(([name, value]) =>
    others.every((change) => change.vars.get(name) === value),
  );
  const text = same.reduce(
    (shown, [name, value]) => shown.replaceAll(`{{${name}}}`, () => value),
    first.masked,
  );
  const each = lines.flatMap(({ each }, at) =>
    each === undefined ? [] : `${changes[at]?.name} ${each}`,
  );
  return [text, ...each].join(", ");
}

function markOf({ changes }: Group): string | undefined {
  const [mark, ...more] = new Set(changes.map((change) => marksOfSeveral(change).join(", ")));
  return more.length === 0 ? mark || undefined : undefined;
}

/** The marks of a menu in words for several. */
function marksOfSeveral(change: Change): string[] {
  return waits(change, "the old menus are used again");
}

function plainLine(text: string): ChangeLine {
  return { field: text, text, masked: text, id: text };
}

/** Why apply does not send the menu now, or what a reviewer has to know besides. */
function waits({ action, waitsFor, drift, followUp }: Change, restored?: string): string[] {
  if (followUp) return [restored ?? `the old menu of follow-up ${followUp.id} is used again`];
  if (action === "delete" && drift) return ["changed on the console since it was recorded"];
  if (action === "blocked") return ["held back"];
  return action === "waiting" ? [waitsInPlan(waitsFor)] : [];
}
