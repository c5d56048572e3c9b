import {
  type ToPoint,
  callersAt,
  entryWords,
  instanceWords,
  oldInUse,
  oldReach,
  toPoint,
} from "../../reach/findings.ts";
import { isEnd, placesOf } from "../../reach/walk.ts";
import { type Instance, type Worlds, gone } from "../../reach/world.ts";
import { type Ref, isMenu, menuRef } from "../../schema/ref.ts";
import { groupBy } from "../../util/group-by.ts";
import { type Matter, matter, mattersAbout } from "../reasons/kinds.ts";
import type { Points } from "../reasons/pointing.ts";

/** What a person has to point elsewhere on the console, and the old menus that callers reach until then. */
export interface PointingSources {
  readonly environment: string;
  readonly worlds: Worlds;
  /** Whether the service lists phone numbers, so that apply points them. */
  readonly isListed: boolean;
  /** The menus that rows of a plan show. Empty after apply. */
  readonly planned: ReadonlySet<string>;
  /** Whether --target leaves menus out. */
  readonly isNarrow: boolean;
}

export function pointingMatters(sources: PointingSources): Matter[] {
  const points = sources.isListed ? [] : toPoint(sources.worlds);
  const [named, unnamed] = [false, true].map((is) =>
    points.filter(({ entry }) => isMenu(entry) === is),
  );
  return [
    ...namedMatters(named ?? [], sources),
    ...unnamedMatters(unnamed ?? [], sources),
    ...goneMatters(sources),
    ...oldMatters(sources),
  ];
}

function namedMatters(points: readonly ToPoint[], { environment }: PointingSources): Matter[] {
  const groups = groupBy(points, (point) => `${point.makes ? "will" : "to"} ${howOf(point)}`);
  return [...groups.values()].map((alike) => {
    const [first, ...more] = alike;
    const facts = { how: howOf(first), points: [pointOf(first), ...more.map(pointOf)] } as const;
    const refs = alike.map(({ entry }): Ref => `number:${entry}`);
    return matter(first.makes ? "will-point" : "to-point", refs, facts, environment);
  });
}

function howOf({ until, isNoticed }: ToPoint): Points["how"] {
  if (isEnd(until) && until.answers === "unknown") return "unknown";
  return isNoticed ? "noticed" : "same";
}

function pointOf({ entry, to, until }: ToPoint): Points["points"][number] {
  const menu = isEnd(until) ? until.words : `the ${ageWord(until, to)}menu ${instanceWords(until)}`;
  return { number: entry, text: entryWords(entry), to: instanceWords(to), until: menu };
}

function ageWord(until: Instance, { key, createdAt = "9" }: Instance): string {
  if (until.key !== key) return "";
  return (until.createdAt ?? "") > createdAt ? "newer " : "old ";
}

/** After apply, the old menus say it: see `followUpMatters`. */
function unnamedMatters(points: readonly ToPoint[], { environment }: PointingSources): Matter[] {
  const noticed = points.filter(({ makes, isNoticed }) => makes && isNoticed);
  const groups = groupBy(noticed, ({ makes, until }) => `${makes} ${isEnd(until)}`);
  return [...groups.values()].map((alike) => {
    const [{ makes, until }] = alike;
    const keys = alike.map(({ to }) => to.key);
    const reached = isEnd(until) ? "nothing" : makes === "restored" ? "newer" : "old";
    const facts = { keys, reached, isRestored: makes === "restored" } as const;
    return matter("will-point-unnamed", keys.map(menuRef), facts, environment);
  });
}

/** The old menus that callers still reach in other ways. A menu that waits says itself what it links to. */
function oldMatters({ environment, worlds, planned, isNarrow }: PointingSources): Matter[] {
  const inUse = oldInUse(worlds).map(({ menu, numbers, links }) => {
    const own = links.filter(({ key }) => !planned.has(key));
    const isUnmanaged = own.some(({ key, id }) => key === id);
    const names = own.map((one) => (one.key === one.id ? instanceWords(one) : one.key));
    const by = [...numbers.map(entryWords), ...names];
    const from = isUnmanaged ? "menus" : own.length > 0 ? "files" : "numbers";
    return { menu, by, from } as const;
  });
  const alike = groupBy(
    inUse.filter(({ by }) => by.length > 0),
    ({ by, from }) => `${from} ${by.join(" ")}`,
  );
  return [...alike.values()].map((same) => {
    const [{ by, from }] = same;
    const facts = { menus: same.map(({ menu }) => instanceWords(menu)), by, from, isNarrow };
    const refs = same.map(({ menu }) => menuRef(menu.key));
    return matter("old-in-use", refs, facts, environment);
  });
}

/** The callers who reach nothing after apply, because --target leaves out the menus where they are. */
function goneMatters({ environment, worlds, planned, isNarrow }: PointingSources): Matter[] {
  const places = placesOf(worlds.after, (reached) => reached === gone).filter(
    ({ step }) =>
      step && !planned.has(step.before.key) && !worlds.old.has(menuRef(step.before.key)),
  );
  const callers = callersAt(places);
  if (!isNarrow || planned.size === 0 || callers === undefined) return [];
  const keys = [...new Set(places.flatMap(({ step }) => step?.before.key ?? []))];
  return [matter("will-reach-nothing", keys.map(menuRef), { callers, keys }, environment)];
}

/**
 * The follow-ups of old menus. What callers surely reach is said with what a person has to point elsewhere.
 * Without worlds, nobody knows who reaches them.
 */
export function followUpMatters(
  ids: readonly string[],
  worlds: Worlds | undefined,
  isListed: boolean,
  environment: string,
): Matter[] {
  const reach = worlds && oldReach(worlds);
  const those = (wanted: "maybe" | "unreached") =>
    ids.filter((id) => (reach ? (reach.get(`old:${id}`) ?? "unreached") : "maybe") === wanted);
  const [maybe, clean] = [those("maybe"), those("unreached")];
  const refs = (some: readonly string[]) => some.map((id): Ref => `old:${id}`);
  return [
    ...mattersAbout("old-unnamed", refs(maybe), { count: maybe.length, isListed }, { environment }),
    ...mattersAbout("follow-up", refs(clean), { count: clean.length, isListed }, { environment }),
  ];
}
