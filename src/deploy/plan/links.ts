import { orderOf } from "../../compile/flow.ts";
import type { Diagnostics } from "../../diagnostics/diagnostic.ts";
import { shorten } from "../../util/nearest.ts";
import { destinationsIn, menuDestination, referencedMenu } from "../../schema/wire.ts";
import { digestOf } from "./digest.ts";
import type { MenuContent, WantedMenu } from "./plan.ts";
import type { StateView } from "../state/state.ts";

/** The keys of the menus that a content refers to, each once. */
export function referencesIn({ payload }: Pick<MenuContent, "payload">): string[] {
  return [...new Set(destinationsIn(payload).flatMap((to) => referencedMenu(to) ?? []))];
}

/** The id of each menu whose current record has one, by key. */
export function idsOnRecord({ keys }: StateView): ReadonlyMap<string, string> {
  return new Map(
    [...keys].flatMap(([key, { current }]) =>
      current?.identified === undefined ? [] : [[key, current.identified.id]],
    ),
  );
}

/** The ids on record of the menus that a content refers to. */
export function knownIds(content: MenuContent, { keys }: StateView): ReadonlyMap<string, string> {
  return new Map(
    referencesIn(content).flatMap((key) => {
      const id = keys.get(key)?.current?.identified?.id;
      return id === undefined ? [] : [[key, id]];
    }),
  );
}

/**
 * The content with ids instead of references, and with the keys of all menus that it leads to, as
 * far as their ids are known.
 */
export function withIds(content: MenuContent, ids: ReadonlyMap<string, string>): MenuContent {
  const { payload: own } = content;
  const resolved = (destination: string) => {
    const id = ids.get(referencedMenu(destination) ?? "");
    return id === undefined ? destination : menuDestination(id);
  };
  const payload = {
    ...own,
    destination: own.destination.map(resolved),
    invalid_destination: resolved(own.invalid_destination),
    timeout_destination: resolved(own.timeout_destination),
  };
  const used = new Set(destinationsIn(payload));
  const menus = [...ids].flatMap(([key, id]) => (used.has(menuDestination(id)) ? [[id, key]] : []));
  if (menus.length === 0) return content;
  const naming = {
    ...content.naming,
    menus: { ...content.naming.menus, ...Object.fromEntries(menus) },
  };
  return { payload, digest: digestOf(payload), naming };
}

/**
 * The content with another destination in place of links to these menus: where callers get after
 * wrong keys, or another one that is no such link. Undefined if there is none.
 */
export function withoutLinks(
  content: MenuContent,
  keys: readonly string[],
): MenuContent | undefined {
  const { payload: own } = content;
  const isLink = (destination: string) => keys.includes(referencedMenu(destination) ?? "");
  const others = [own.invalid_destination, own.timeout_destination, ...own.destination];
  const other = others.find((destination) => !isLink(destination));
  if (other === undefined) return undefined;
  const replaced = (destination: string) => (isLink(destination) ? other : destination);
  const payload = {
    ...own,
    destination: own.destination.map(replaced),
    invalid_destination: replaced(own.invalid_destination),
    timeout_destination: replaced(own.timeout_destination),
  };
  return { ...content, payload, digest: digestOf(payload) };
}

/** How the menus of a plan lead to each other. */
export interface Links {
  /** All keys, each after those that its menu leads to, and otherwise sorted. */
  readonly order: readonly string[];
  /** Whether a link leads back to a menu that comes later in the order. */
  isBack(from: string, to: string): boolean;
  readonly targets: ReadonlyMap<string, readonly string[]>;
}

export function linksOf(menus: readonly WantedMenu[], others: Iterable<string>): Links {
  const targets = new Map(
    menus.map(({ key, content }) => [key, content === undefined ? [] : referencesIn(content)]),
  );
  const keys = [...new Set([...targets.keys(), ...others])].sort();
  return { ...orderOf(keys, targets), targets };
}

/** The menus that lead to each key. */
export function leadersByTarget(
  targets: Iterable<readonly [key: string, to: readonly string[]]>,
): ReadonlyMap<string, readonly string[]> {
  const leaders = new Map<string, string[]>();
  for (const [key, all] of targets) {
    for (const to of all) {
      const own = leaders.get(to);
      if (own === undefined) leaders.set(to, [key]);
      else own.push(key);
    }
  }
  return leaders;
}

/** Reports a link that closes a circle of menus which would all have to be created after each other. */
export function reportCircle(
  { key, links, at }: WantedMenu,
  to: string,
  { targets }: Links,
  canUpdate: boolean,
  diagnostics: Diagnostics,
): void {
  const message =
    key === to
      ? `\`${key}\` leads to itself, so its payload would have to contain its own id.`
      : `These menus lead to each other in a circle: ${pathBetween(to, key, targets).map(shorten).join(" → ")} → ${shorten(to)}.`;
  diagnostics.add(
    "IVR619",
    links.get(to) ?? at.top,
    message,
    canUpdate
      ? "Let one key, `invalid` or `timeout` lead to an agent. ivrctl creates the menu with that destination, and adds this link afterwards. This does not work with `on_change: replace`."
      : "Remove this link, or lead to an agent instead. The service can only create menus, and every new menu has a new id.",
  );
}

/** Whether a menu is on a circle with this link. */
export function isOnCircle(
  key: string,
  from: string,
  to: string,
  targets: Links["targets"],
): boolean {
  return pathBetween(to, key, targets)[0] === to && pathBetween(key, from, targets)[0] === key;
}

/** The shortest path of links from one menu to another. Without its start if there is none. */
function pathBetween(from: string, to: string, targets: Links["targets"]): string[] {
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
