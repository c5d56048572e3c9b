import {
  type Destination,
  type Menu,
  destinationsOf,
  linkedIds,
  referencesIn,
} from "../../model/menu.ts";
import { instanceOf, menuTarget, unknownEnd } from "../../reach/instance.ts";
import type { InstanceId, Target, World, Worlds } from "../../reach/world.ts";
import { isNumber, menuRef, nameIn } from "../../schema/ref.ts";
import type { Desired } from "../../schema/saved-plan.ts";
import type { LiveRecord } from "../state/view.ts";
import { type WorldSources, type RecordedWorlds, byAge, recordedIn } from "./recorded-worlds.ts";
import { type Step, isHeld, linksIn } from "./steps/step.ts";

export function worldsOf(sources: WorldSources): Worlds {
  const { desired, steps } = sources;
  const recorded = recordedIn(sources);
  const { records, applied, now } = recorded;
  const sent = steps.filter((step) => !isHeld(step));
  const current = currentAfter(records, sent);
  const contents = new Map(desired.map(({ key, content }) => [key, content]));
  const afterwards = (key: string): Target => {
    const id = current.get(key);
    if (id !== undefined) return menuTarget(id);
    return contents.get(key) ? menuTarget(fileId(key)) : unknownEnd(`menu ${key}`);
  };
  const linked = (to: Destination) => recorded.target(to, recorded.today, afterwards);

  const after = new Map(now.menus);
  const planned = new Map<InstanceId, Menu>();
  const entriesAfter = new Map(now.entries);
  for (const { ref, op, after: content } of sent) {
    if (op === "delete") after.delete(ref);
    if ((op !== "create" && op !== "update" && op !== "bind") || !content) continue;
    if ("menu" in content) {
      const key = nameIn(ref);
      const id = current.get(key) ?? ref;
      const facts = op === "update" ? after.get(id) : undefined;
      planned.set(id, content.menu);
      after.set(id, instanceOf(key, content.menu, linked, facts));
    } else {
      const [menu] = linksIn(content);
      if (menu) entriesAfter.set(nameIn(ref), afterwards(nameIn(menu)));
    }
  }

  const wanted = new Map(after);
  const entriesWanted = new Map(entriesAfter);
  for (const { key, content } of desired) {
    if (content === undefined) continue;
    const id = current.get(key) ?? fileId(key);
    if (planned.get(id) !== content)
      wanted.set(id, instanceOf(key, content, linked, after.get(id)));
    for (const number of content.numbers ?? []) entriesWanted.set(number, afterwards(key));
  }
  const kept = new Set(desired.map(({ key }) => current.get(key)));
  const old = records.map(({ ref }) => ref).filter((ref) => !kept.has(ref) && after.has(ref));
  const worlds = { applied, now, after: { entries: entriesAfter, menus: after } };
  const all = { ...worlds, wanted: { entries: entriesWanted, menus: wanted }, old: new Set(old) };
  return withUnnamed(all, recorded, sources, afterwards);
}

function fileId(key: string): InstanceId {
  return `file:${key}`;
}

// ---- After apply ----

function currentAfter(
  records: readonly LiveRecord[],
  sent: readonly Step[],
): ReadonlyMap<string, InstanceId> {
  const current = new Map<string, InstanceId>();
  for (const { ref, key } of records) if (ref.startsWith("menu:")) current.set(key, ref);
  for (const { ref, op, spare } of sent) {
    if (isNumber(ref)) continue;
    if (op === "restore" && spare) current.set(nameIn(ref), spare);
    if (op === "create") current.set(nameIn(ref), `new:${nameIn(ref)}`);
    if (op === "forget" || op === "drop") current.delete(nameIn(ref));
  }
  return current;
}

/**
 * Adds a number for each menu that has none in its file and that callers reach over no other menu. It
 * points to the oldest menu of the key, until that is out of service. A service that lists numbers which
 * point to menus, or are to do so, has no others.
 */
function withUnnamed(
  worlds: Worlds,
  { records }: RecordedWorlds,
  { desired, lists }: WorldSources,
  afterwards: (key: string) => Target,
): Worlds {
  const isListed = lists.numbers?.numbers.some(({ destination }) => destination?.kind === "menu");
  if (isListed || (lists.numbers && desired.some(({ content }) => content?.numbers))) return worlds;
  const oldest = new Map<string, LiveRecord>();
  for (const record of records.toSorted(byAge)) {
    if (!oldest.has(record.key)) oldest.set(record.key, record);
  }
  const add = (entry: string, before: Target, after = before, wanted = after) => ({
    applied: [entry, before] as const,
    now: [entry, before] as const,
    after: [entry, after] as const,
    wanted: [entry, wanted] as const,
  });
  const ofFiles = unnamedKeys(desired).map((key) => {
    const first = oldest.get(key);
    const to = first ? menuTarget(first.ref) : undefined;
    const wanted = afterwards(key);
    return add(menuRef(key), to ?? unknownEnd("nothing that is recorded"), to ?? wanted, wanted);
  });
  // Nobody knows who still calls a menu without a file.
  const files = new Set(desired.map(({ key }) => key));
  const linked = new Set(records.flatMap(({ current }) => linkedIds(destinationsOf(current.menu))));
  const ofOthers = records.flatMap(({ ref, key, current: { menu, identified } }) => {
    const isReached = menu.numbers !== undefined || (identified && linked.has(identified.id));
    if (files.has(key) || isReached) return [];
    return [add(menuRef(key), { ...unknownEnd("nothing that is recorded"), maybe: [ref] })];
  });
  const all = [...ofFiles, ...ofOthers];
  const withEntries = (name: keyof ReturnType<typeof add>): World => ({
    ...worlds[name],
    entries: new Map([...worlds[name].entries, ...all.map((one) => one[name])]),
  });
  return {
    ...worlds,
    applied: withEntries("applied"),
    now: withEntries("now"),
    after: withEntries("after"),
    wanted: withEntries("wanted"),
  };
}

/** The menus of the files that begin calls without `numbers:`. In a circle that nothing leads to, the first. */
function unnamedKeys(desired: readonly Desired[]): string[] {
  const links = new Map(
    desired.map(({ key, content }) => [key, content ? referencesIn(content) : []] as const),
  );
  const inbound = new Set([...links].flatMap(([key, to]) => to.filter((one) => one !== key)));
  const seen = new Set<string>();
  const keys: string[] = [];
  const enter = (key: string) => {
    const reached = new Set([key]);
    // A Set iterates over what is added meanwhile.
    for (const reachedKey of reached) {
      if (seen.has(reachedKey)) continue;
      seen.add(reachedKey);
      for (const to of links.get(reachedKey) ?? []) reached.add(to);
    }
  };
  const isNamed = ({ content }: Desired) => content?.numbers !== undefined;
  for (const menu of desired) {
    if (isNamed(menu)) enter(menu.key);
    else if (menu.content && !inbound.has(menu.key)) {
      enter(menu.key);
      keys.push(menu.key);
    }
  }
  for (const { key, content } of desired) {
    if (content === undefined || seen.has(key)) continue;
    enter(key);
    keys.push(key);
  }
  return keys;
}
