import { phoneText } from "../util/phone.ts";
import { groupBy } from "../util/group-by.ts";
import { joined, listed } from "../util/many.ts";
import { isMenu, isOld, menuRef, nameIn } from "../schema/ref.ts";
import { second } from "../util/time.ts";
import {
  type Difference,
  type Place,
  type Reached,
  compare,
  deadEnds,
  isEnd,
  placesOf,
  reachable,
  reachedAt,
} from "./walk.ts";
import {
  type Instance,
  type InstanceId,
  type Target,
  type World,
  type Worlds,
  gone,
} from "./world.ts";

/* What worlds mean for people. Each finding is the difference of two neighboring worlds, or a dead end of one. */

const mostShown = 3;

/** `Callers of +91 22 4111 0003 and callers who press 0 or no key in Goa hotel`. Undefined if there are none. */
export function callersAt(places: readonly Place[]): string | undefined {
  const entries = places.flatMap(({ entry, step }) => (step ? [] : entryWords(entry)));
  const exits = new Map<Instance, string[]>();
  for (const { step } of places) {
    if (!step) continue;
    const known = exits.get(step.before);
    if (known) known.push(exitWords(step.exit));
    else exits.set(step.before, [exitWords(step.exit)]);
  }
  const alike = new Map<string, string[]>();
  for (const [{ name }, pressed] of [...exits].sort(([a], [b]) => (a.key < b.key ? -1 : 1))) {
    const words = `press ${joined([...new Set(pressed)], "or")}`;
    alike.set(words, [...(alike.get(words) ?? []), name]);
  }
  const ways = [...alike].map(([pressed, names]) => `who ${pressed} in ${namesWords(names)}`);
  const parts = [
    ...(entries.length > 0 ? [`callers of ${listed(entries, mostShown)}`] : []),
    ...ways.slice(0, mostShown).map((way) => `callers ${way}`),
    ...(ways.length > mostShown ? [`callers of ${ways.length - mostShown} more menus`] : []),
  ];
  return parts.length === 0 ? undefined : joined(parts, "and").replace(/^c/, "C");
}

function namesWords(names: readonly string[]): string {
  return names.length > mostShown ? listed(names, mostShown) : joined(names, "or");
}

export function entryWords(entry: string): string {
  return isMenu(entry) ? nameIn(entry) : phoneText(entry);
}

function exitWords(exit: string): string {
  if (exit === "invalid") return "a wrong key";
  return exit === "timeout" ? "no key" : exit.replace(/^key /, "");
}

/** `Fatima Khan (extension 500134)`, `menu “Pune hotel” (id 7011)` */
export function reachedWords(reached: Reached): string {
  return isEnd(reached) ? reached.words : `menu ${instanceWords(reached)}`;
}

/** `“Day” (id 7011, created 2026-11-19 14:03:44 UTC)` */
export function instanceWords({ name, id, createdAt }: Instance): string {
  const facts = [
    ...(id === undefined ? [] : [`id ${id}`]),
    ...(createdAt === undefined ? [] : [`created ${second(createdAt)} UTC`]),
  ];
  return facts.length === 0 ? `“${name}”` : `“${name}” (${facts.join(", ")})`;
}

/** What callers reach now, and not what was applied last. */
export interface Elsewhere {
  readonly places: readonly Difference[];
  /** `agent`: the extension belongs to a different person now. `console`: somebody changed it there. */
  readonly cause: "agent" | "console";
  readonly was: Reached;
  readonly is: Reached;
}

export function elsewhereNow({ applied, now, wanted }: Worlds): Elsewhere[] {
  // What the files want is right, however it came about.
  const wrong = new Set(compare(now, wanted).differences.map(placeName));
  const found = new Map<string, Elsewhere & { readonly places: Difference[] }>();
  for (const place of compare(applied, now).differences) {
    const { before: was, after: is } = place;
    if (!wrong.has(placeName(place))) continue;
    const isAgent = isEnd(was) && isEnd(is) && was.eid !== undefined && was.eid === is.eid;
    const name = `${reachedWords(was)} → ${reachedWords(is)} ${isEnd(is) ? is.is : ""}`;
    const known = found.get(name);
    if (known) known.places.push(place);
    else found.set(name, { places: [place], cause: isAgent ? "agent" : "console", was, is });
  }
  return [...found.values()];
}

/** A menu that plays something else than what was applied, and than the files want. */
export interface Heard {
  readonly menu: Instance;
  readonly isReached: boolean;
}

export function heardElsewhere({ applied, now, wanted, old }: Worlds): Heard[] {
  const reached = reachable(now);
  return [...now.menus].flatMap(([id, menu]): Heard[] => {
    const [was, right] = [applied.menus.get(id)?.sound, wanted.menus.get(id)?.sound];
    const isSame = menu.sound === was || menu.sound === right;
    return isSame || old.has(id) ? [] : [{ menu, isReached: reached.has(menu) }];
  });
}

function placeName({ entry, step }: Place): string {
  return step ? `${step.before.key} ${step.exit}` : entry;
}

/** The callers who reach an extension now, whoever has it. */
export function callersOf({ now }: Worlds, eid: string): string | undefined {
  return callersAt(placesOf(now, (reached) => isEnd(reached) && reached.eid === eid));
}

/** The callers who get to a menu that does not exist. */
export function callersOfMissing({ now }: Worlds): string | undefined {
  return callersAt(placesOf(now, (reached) => isEnd(reached) && reached.is === gone.is));
}

/** Where callers reach nobody now, for one reason. */
export interface DeadEnd {
  readonly places: readonly Place[];
  /** `Spa Desk (extension 500134) is not on the agent list`, or why callers get no further than a menu. */
  readonly why: string;
  /** Whether callers get to a menu that the service does not list. */
  readonly isGone: boolean;
}

/** Where callers reach nobody now. What the files want so is right, if they are about that place. */
export function deadEndsNow(
  { now, wanted }: Worlds,
  isInFiles: (place: Place) => boolean,
): DeadEnd[] {
  const intended = new Set(deadEnds(wanted).map(placeName));
  const found = deadEnds(now).flatMap(({ reached, ...place }) => {
    const why = isEnd(reached)
      ? reached.why
      : `No key of menu ${instanceWords(reached)} leads to anybody`;
    // A number that points nowhere is not in use.
    if (why === undefined || (intended.has(placeName(place)) && isInFiles(place))) return [];
    return { place, why, isGone: reached === gone };
  });
  return [...groupBy(found, ({ why }) => why).values()].map((alike) => {
    const [{ why, isGone }] = alike;
    return { why, isGone, places: alike.map(({ place }) => place) };
  });
}

/** A phone number that a person has to point to a menu, because the service cannot do it. */
export interface ToPoint {
  readonly entry: string;
  /** Where it is to point, and whether apply creates that menu, or uses an old one again. */
  readonly to: Instance;
  readonly makes: "new" | "restored" | undefined;
  /** What callers reach until then. */
  readonly until: Reached;
  /** Whether callers notice a difference until then. */
  readonly isNoticed: boolean;
}

/** What stays as it is after apply, until a person points numbers elsewhere. */
export function toPoint({ now, after, wanted }: Worlds): ToPoint[] {
  const { noticing } = compare(after, wanted);
  return [...wanted.entries].flatMap(([entry, target]): ToPoint[] => {
    const is = after.entries.get(entry);
    const to = target.kind === "menu" ? wanted.menus.get(target.id) : undefined;
    const isThere = is?.kind === "menu" && target.kind === "menu" && is.id === target.id;
    // What is not created yet is shown as a change that waits.
    const exists = target.kind === "menu" && after.menus.has(target.id);
    if (isThere || !to || !exists) return [];
    const makes = isOld(target.id) ? "restored" : now.menus.has(target.id) ? undefined : "new";
    const until = reachedAt(after, is);
    return [{ entry, to, makes, until, isNoticed: noticing.has(entry) }];
  });
}

/** A menu that is not the current one of its key, but that callers reach after apply. */
export interface OldInUse {
  readonly menu: Instance;
  /** The numbers that no file lists, and the current menus that link there. */
  readonly numbers: readonly string[];
  readonly links: readonly Instance[];
}

/** The old menus that callers reach after apply, except by what a person has to point elsewhere anyway. */
export function oldInUse(worlds: Worlds): OldInUse[] {
  const { after, old } = worlds;
  const open = new Set(toPoint(worlds).map(({ entry }) => entry));
  const found = new Map<InstanceId, { numbers: Set<string>; links: Set<Instance> }>();
  const add = (to: Target, from: string | Instance) => {
    if (to.kind !== "menu" || !old.has(to.id)) return;
    const known = found.get(to.id) ?? { numbers: new Set(), links: new Set() };
    found.set(to.id, known);
    if (typeof from === "string") known.numbers.add(from);
    else known.links.add(from);
  };
  for (const [entry, to] of after.entries) {
    if (!isMenu(entry) && !open.has(entry)) add(to, entry);
  }
  const oldMenus = new Set([...old].map((id) => after.menus.get(id)));
  for (const menu of reachable(after)) {
    if (oldMenus.has(menu)) continue;
    for (const to of menu.exits.values()) add(to, menu);
  }
  return [...found].flatMap(([id, { numbers, links }]) => {
    const menu = after.menus.get(id);
    return menu ? [{ menu, numbers: [...numbers], links: [...links] }] : [];
  });
}

/** The phone numbers that point to old menus after apply, by the key of the menu. */
export function numbersAtOld({ after, old }: Worlds): ReadonlyMap<string, string[]> {
  const numbers = new Map<string, string[]>();
  for (const [entry, to] of after.entries) {
    const menu = to.kind === "menu" && old.has(to.id) ? after.menus.get(to.id) : undefined;
    if (menu === undefined || isMenu(entry)) continue;
    const known = numbers.get(menu.key);
    if (known) known.push(entry);
    else numbers.set(menu.key, [entry]);
  }
  return numbers;
}

/** Who reaches an old menu. `maybe`: nobody has recorded the number that may point there. */
export type OldReach = "reached" | "maybe" | "unreached";

/** Who reaches each old menu, now or after apply, as far as it is recorded or listed. */
export function oldReach({ now, after, old }: Worlds): ReadonlyMap<InstanceId, OldReach> {
  const reaches = [now, after].map(oldReachIn);
  return new Map(
    [...old].map((id) => {
      const found = new Set(reaches.map((reachOf) => reachOf(id)));
      return [id, found.has("reached") ? "reached" : found.has("maybe") ? "maybe" : "unreached"];
    }),
  );
}

function oldReachIn({ entries, menus }: World): (id: InstanceId) => OldReach {
  const named = new Map([...entries].filter(([entry]) => !isMenu(entry)));
  const sure = reachable({ entries: named, menus }, true);
  // Nobody knows to which menu of a key a person pointed a number that is not recorded.
  const unnamed = [...menus].flatMap(([id, { key }]) =>
    entries.has(menuRef(key)) ? [[`maybe ${id}`, { kind: "menu", id }] as const] : [],
  );
  const all = reachable({ entries: new Map<string, Target>([...entries, ...unnamed]), menus });
  return (id) => {
    const menu = menus.get(id);
    if (menu === undefined || !all.has(menu)) return "unreached";
    return sure.has(menu) ? "reached" : "maybe";
  };
}

/**
 * When callers notice what changes in a menu: by apply alone, once a person has pointed numbers, or not at
 * all, because they reach the same as before, or because nobody gets there.
 */
export type Noticed = "apply" | "later" | "same" | "unreached";

/** When callers notice something of each menu, by key. */
export function noticedBy({ now, after, wanted }: Worlds): (key: string) => Noticed {
  const keysOf = (menus: Iterable<Instance>) => new Set([...menus].map(({ key }) => key));
  const before = keysOf(reachable(now, true));
  const noticed = (world: World) => {
    const changed = keysOf(compare(now, world).changed.values());
    const reached = keysOf(reachable(world, true));
    return (key: string) => changed.has(key) || (reached.has(key) && !before.has(key));
  };
  const [soon, later, reached] = [noticed(after), noticed(wanted), keysOf(reachable(wanted, true))];
  return (key) =>
    soon(key) ? "apply" : later(key) ? "later" : reached.has(key) ? "same" : "unreached";
}
