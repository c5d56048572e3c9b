import { nameIn } from "../../schema/ref.ts";
import { mapDestinations, menuDestination, referencedMenu } from "../../schema/wire.ts";
import { linksIn } from "./steps/step.ts";
import { payloadDigest, payloadFacts } from "./digest.ts";
import type { Desired, MenuContent } from "../../schema/plan.ts";
import { type StateView, recordsOf } from "../state/view.ts";

/** The keys of the menus that a content refers to, each once. */
export function referencesIn({ payload }: Pick<MenuContent, "payload">): string[] {
  return linksIn(payloadFacts(payload)).map(nameIn);
}

/** The id of each menu whose current record has one, by key. */
export function idsOnRecord(state: StateView): ReadonlyMap<string, string> {
  return new Map(
    recordsOf(state, "menu").flatMap(({ key, current }) =>
      current?.identified === undefined ? [] : [[key, current.identified.id]],
    ),
  );
}

/**
 * The content with ids instead of references, and with the keys of the menus that have them, as far as
 * their ids are known.
 */
export function withIds(
  content: MenuContent,
  idOf: (key: string) => string | undefined,
): MenuContent {
  const menus: Record<string, string> = {};
  const payload = mapDestinations(content.payload, (destination) => {
    const key = referencedMenu(destination);
    const id = key === undefined ? undefined : idOf(key);
    if (key === undefined || id === undefined) return destination;
    menus[id] = key;
    return menuDestination(id);
  });
  if (Object.keys(menus).length === 0) return content;
  const naming = { ...content.naming, menus: { ...content.naming.menus, ...menus } };
  return { payload, digest: payloadDigest(payload), naming };
}

/**
 * The content with a different destination in place of links to these menus: where callers get after
 * wrong keys, or a different one that is no such link. Undefined if there is none.
 */
export function withoutLinks(
  content: MenuContent,
  keys: readonly string[],
): MenuContent | undefined {
  const { payload: full } = content;
  const isLink = (destination: string) => keys.includes(referencedMenu(destination) ?? "");
  const others = [full.invalid_destination, full.timeout_destination, ...full.destination];
  const other = others.find((destination) => !isLink(destination));
  if (other === undefined) return undefined;
  const replaced = (destination: string) => (isLink(destination) ? other : destination);
  const payload = mapDestinations(full, replaced);
  return { ...content, payload, digest: payloadDigest(payload) };
}

/** What each thing links to. */
export type Targets = ReadonlyMap<string, readonly string[]>;

/** The keys of the menus that other menus link to. */
export function linkedBy(menus: readonly Desired[]): ReadonlySet<string> {
  return new Set(
    menus.flatMap(({ key, content }) =>
      content === undefined ? [] : referencesIn(content).filter((to) => to !== key),
    ),
  );
}

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
