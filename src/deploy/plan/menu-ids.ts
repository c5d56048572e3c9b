import { type Destination, type Menu, mapDestinations } from "../../model/menu.ts";

/**
 * The menu with a different destination in place of links to these menus: where callers get after
 * wrong keys, or a different one that is no such link. Undefined if there is none.
 */
export function withoutLinks(menu: Menu, linked: readonly string[]): Menu | undefined {
  const isLink = (to: Destination) =>
    to.kind === "menu" && to.key !== undefined && to.id === undefined && linked.includes(to.key);
  const keys = menu.options.map(({ destination }) => destination);
  const others = [menu["invalid.destination"], menu["timeout.destination"], ...keys];
  const other = others.find((to) => !isLink(to));
  return other && mapDestinations(menu, (to) => (isLink(to) ? other : to));
}

/** What each thing links to. */
export type Targets = ReadonlyMap<string, readonly string[]>;

/** Whether a menu is on a circle with this link. */
export function isOnCircle(key: string, from: string, to: string, targets: Targets): boolean {
  return pathBetween(to, key, targets)[0] === to && pathBetween(key, from, targets)[0] === key;
}

/** The shortest path of links from one menu to another. Without its start if there is none. */
export function pathBetween(from: string, to: string, targets: Targets): string[] {
  const before = new Map<string, string | undefined>([[from, undefined]]);
  // A Map iterates over entries that are added meanwhile.
  for (const key of before.keys()) {
    if (key === to) break;
    for (const next of targets.get(key) ?? []) if (!before.has(next)) before.set(next, key);
  }
  const path: string[] = [];
  for (let key: string | undefined = to; key !== undefined; key = before.get(key)) path.push(key);
  return path.toReversed();
}
