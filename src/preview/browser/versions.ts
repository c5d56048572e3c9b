import type { CallMenu, CallMenus } from "../../call/model.ts";
import { linksOf } from "../../graph/picture.ts";
import type { PreviewData, PreviewMenu } from "../data.ts";

/** A menu and all menus of its revision. */
export interface Callable {
  readonly menu: CallMenu;
  readonly menus: CallMenus;
}

/** A menu of the page with its versions that can be called. */
export interface Shown {
  readonly menu: PreviewMenu;
  readonly now: Callable | undefined;
  /** The menu at the revision that it is compared with. */
  readonly before: Callable | undefined;
  /** Whether a call can take another path than before, here or in a menu that this one leads to. */
  readonly differs: boolean;
}

/** A menu as it is now and as it was at the revision that the page compares with. */
export function shownOf(menu: PreviewMenu, { menus, base }: PreviewData): Shown {
  const now = new Map(menus.map(({ key, call }) => [key, call]));
  const before = new Map(base?.menus.map((call) => [call.key, call]));
  const own = callable(menu.call, now);
  const old = callable(before.get(menu.change?.from ?? menu.key), before);
  const differs = own !== undefined && old !== undefined && differsFrom(own, old);
  return { menu, now: own, before: old, differs };
}

/** Whether a menu looks and behaves the same in two versions of the page. */
export function isSameView(a: Shown, b: Shown): boolean {
  return (
    JSON.stringify(a.menu) === JSON.stringify(b.menu) &&
    isSameCall(a.now, b.now) &&
    isSameCall(a.before, b.before)
  );
}

function isSameCall(a: Callable | undefined, b: Callable | undefined): boolean {
  return a === undefined || b === undefined ? a === b : !differsFrom(a, b);
}

function callable(menu: CallMenu | undefined, menus: CallMenus): Callable | undefined {
  return menu && { menu, menus };
}

/** Whether the two menus, or menus that they lead to, are different. */
function differsFrom(now: Callable, before: Callable): boolean {
  if (!isSame(now.menu, before.menu)) return true;
  // The menus are equal, so they lead to the same keys. A set grows while it is read.
  const keys = new Set(linksOf({ call: now.menu }));
  for (const key of keys) {
    const [is, was] = [now.menus.get(key), before.menus.get(key)];
    if (!isSame(is, was)) return true;
    for (const next of linksOf({ call: is })) keys.add(next);
  }
  return false;
}

function isSame(a: CallMenu | undefined, b: CallMenu | undefined): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}
