import { linksOf } from "../../model/call-menu.ts";
import { groupBy } from "../../util/group-by.ts";
import type { PreviewMenu } from "../data.ts";
import { compareNames, isDeleted } from "./view.ts";

interface Placed {
  readonly menu: PreviewMenu;
  /** How many menus callers go through before they get here. */
  readonly depth: number;
}

export interface MenuGroup {
  readonly title: string;
  /** Whether it is a folder, which folds. */
  readonly isFolder: boolean;
  readonly members: readonly Placed[];
}

/** So many menus where calls begin are listed one by one. Those of a folder with more are in a group that folds. */
const mostInFolder = 5;
const mostAtTop = 12;

/**
 * The menus as callers get to them: below each phone number its menu, and below that the menus in which
 * calls continue. Then what is left, by folder. Each menu is listed once.
 */
export function groupMenus(menus: readonly PreviewMenu[]): MenuGroup[] {
  const current = menus.filter((menu) => !isDeleted(menu));
  const byKey = new Map(current.map((menu) => [menu.key, menu]));
  const starts = current.filter(({ entry, numbers }) => entry || numbers.length > 0);
  const crowds = groupBy(starts, ({ key }) => folderOf(key));
  const heads = starts.filter(({ key }) => {
    const folder = folderOf(key);
    return (crowds.get(folder)?.length ?? 0) <= (folder === "" ? mostAtTop : mostInFolder);
  });
  const placed = new Set(starts);
  const below = (menu: PreviewMenu, depth: number): Placed[] => {
    const next = linksOf(menu.call).flatMap((key) => byKey.get(key) ?? []);
    const own = [...new Set(next)].filter((one) => !placed.has(one));
    // The nearest way counts: a menu is not below one to which this one links as well.
    for (const one of own) placed.add(one);
    return [{ menu, depth }, ...own.flatMap((one) => below(one, depth + 1))];
  };
  const called = heads.map((menu): MenuGroup & { readonly isCalled: boolean } => {
    const [number, ...more] = menu.numbers;
    const title = more.length === 0 ? number : `${number} and ${more.length} more`;
    const isCalled = number !== undefined;
    return { title: title ?? uncalled, isCalled, isFolder: false, members: below(menu, 0) };
  });
  const others = called.filter(({ isCalled }) => !isCalled).flatMap(({ members }) => members);
  const listed = new Set(called.flatMap(({ members }) => members.map(({ menu }) => menu)));
  const rest = current.filter((menu) => !listed.has(menu));
  const folders = [...groupBy(rest, ({ key }) => folderOf(key))].toSorted(([a], [b]) =>
    compareNames(a, b),
  );
  const deleted = menus.filter(isDeleted);
  return [
    ...called.filter(({ isCalled }) => isCalled),
    ...(others.length > 0 ? [{ title: uncalled, isFolder: false, members: others }] : []),
    ...folders.map(([folder, members]) => folderGroup(folder || "Other menus", members)),
    ...(deleted.length > 0 ? [folderGroup("Deleted", deleted)] : []),
  ];
}

const uncalled = "Without a number";

function folderGroup(title: string, menus: readonly PreviewMenu[]): MenuGroup {
  return { title, isFolder: true, members: menus.map((menu) => ({ menu, depth: 0 })) };
}

function folderOf(key: string): string {
  return key.slice(0, Math.max(key.lastIndexOf("/"), 0));
}
