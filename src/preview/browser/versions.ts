import type { CallMenu } from "../../call/model.ts";
import { type Around, linksOf } from "../../graph/picture.ts";
import type { PreviewData, PreviewMenu } from "../data.ts";

/** A menu, all menus of its revision, and which of them have errors. */
export interface Callable extends Around {
  readonly menu: CallMenu;
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
  const calls = new Map(base?.menus.map((call) => [call.key, call]));
  const call = calls.get(menu.change?.from ?? menu.key);
  const own = menu.call && {
    menu: menu.call,
    menus: new Map(menus.map((one) => [one.key, one.call])),
    faulty: new Set(menus.flatMap((one) => (hasErrors(one) ? one.key : []))),
  };
  const old = call && { menu: call, menus: calls, faulty: new Set<string>() };
  const differs = own !== undefined && old !== undefined && differsFrom(own, old);
  return { menu, now: own, before: old, differs };
}

/** The version of a menu that can be called; that before the change only if the menu was deleted. */
export function calledIn({ menu, now, before }: Shown): Callable | undefined {
  return now ?? (menu.change?.kind === "deleted" ? before : undefined);
}

function hasErrors({ problems }: PreviewMenu): boolean {
  return problems.some(({ severity }) => severity === "error");
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
