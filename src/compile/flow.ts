import { type ResolvedMenu, menuLinks } from "./compiled-menu.ts";

/** How the menus of a project link to each other. Menus are named by their keys. */
export interface Flow {
  /** The menus that each menu links to, each once, itself included. Only menus that exist. */
  readonly links: ReadonlyMap<string, readonly string[]>;
  /**
   * The menus where calls begin, unless `entry:` says otherwise: those that no other menu links to,
   * and those with phone numbers.
   */
  readonly entries: ReadonlySet<string>;
  /**
   * Every menu after the menus that it links to. Links that go back do not count: without them,
   * no menu links to itself again.
   */
  readonly order: readonly string[];
  /** Whether a link points back to a menu that the caller has come through. */
  isBack(from: string, to: string): boolean;
}

/** Finds out how menus link to each other. Takes time in proportion to the number of links. */
export function menuFlow(menus: readonly ResolvedMenu[]): Flow {
  const byKey = new Map(
    menus.flatMap((menu) => (menu.key === undefined ? [] : [[menu.key, menu]])),
  );
  const links = new Map(
    [...byKey].map(([key, menu]) => [key, linkedMenus(menu).filter((to) => byKey.has(to))]),
  );
  return flowOfLinks(links, (key) => {
    const { entry, numbers = [] } = byKey.get(key) ?? {};
    return entry ?? (numbers.length > 0 || undefined);
  });
}

/** `isEntry` says whether calls begin in a menu. If undefined, they do if no other menu links to it. */
export function flowOfLinks(
  links: Flow["links"],
  isEntry: (key: string) => boolean | undefined,
): Flow {
  const targets = new Set([...links].flatMap(([from, to]) => to.filter((key) => key !== from)));
  const entries = new Set([...links.keys()].filter((key) => isEntry(key) ?? !targets.has(key)));
  return { links, entries, ...orderMenus([...entries, ...links.keys()], links) };
}

/** Orders menus by how they link to each other, as far as possible in the order of `starts`. */
export function orderMenus(
  starts: Iterable<string>,
  links: Flow["links"],
): Pick<Flow, "order" | "isBack"> {
  const order: string[] = [];
  const backs = new Set<string>();
  const state = new Map<string, "open" | "done">();
  for (const start of starts) {
    if (state.has(start)) continue;
    state.set(start, "open");
    const stack = [{ key: start, next: 0 }];
    for (let top = stack.at(-1); top !== undefined; top = stack.at(-1)) {
      const to = links.get(top.key)?.[top.next];
      top.next += 1;
      if (to === undefined) {
        state.set(top.key, "done");
        order.push(top.key);
        stack.pop();
      } else if (state.get(to) === "open") backs.add(linkName(top.key, to));
      else if (!state.has(to)) {
        state.set(to, "open");
        stack.push({ key: to, next: 0 });
      }
    }
  }
  return { order, isBack: (from, to) => backs.has(linkName(from, to)) };
}

/** The keys of the menus that a menu links to, each once. */
export function linkedMenus(menu: ResolvedMenu): string[] {
  return [...new Set(menuLinks(menu).map(({ value }) => value))];
}

/** The menus that these menus link to, directly or through others, and these menus themselves. */
export function reachableFrom(
  starts: Iterable<string>,
  links: Flow["links"],
  seen = new Set<string>(),
): Set<string> {
  const left = [...starts].filter((key) => !seen.has(key));
  for (const key of left) seen.add(key);
  for (let key = left.pop(); key !== undefined; key = left.pop()) {
    for (const to of links.get(key) ?? []) {
      if (seen.has(to)) continue;
      seen.add(to);
      left.push(to);
    }
  }
  return seen;
}

/** The menus from which calls can get to these menus, directly or through others, and these menus themselves. */
export function leadingTo(ends: Iterable<string>, links: Flow["links"]): Set<string> {
  const back = new Map<string, string[]>();
  for (const [from, targets] of links) {
    for (const to of targets) {
      const sources = back.get(to);
      if (sources) sources.push(from);
      else back.set(to, [from]);
    }
  }
  return reachableFrom(ends, back);
}

/** Keys have no spaces. */
function linkName(from: string, to: string): string {
  return `${from} ${to}`;
}
