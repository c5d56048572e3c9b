import { reachableFrom } from "../compile/flow.ts";
import { type CallDestination, type CallMenu, type Press, pathName } from "../model/call-menu.ts";
import { menuTarget } from "../reach/instance.ts";
import { type Place, type Reached, deadEnds, isEnd, placesOf } from "../reach/walk.ts";
import type { Instance, Target, World } from "../reach/world.ts";
import { menuRef } from "../schema/ref.ts";
import type { CallFlow } from "./callable-menu.ts";
import { describeTurn } from "./describe-call.ts";
import { type Route, invariantRoutes } from "./invariants.ts";
import type { SourceMenu } from "./menu-source.ts";
import { answers } from "./simulated-call.ts";

/** A call that reaches nobody. */
export interface DeadEnd {
  /** Where the call begins. */
  readonly menu: CallMenu;
  /** The phone number, if one points there. */
  readonly number: string | undefined;
  /** What the caller does, in words: `3`, `silence`. */
  readonly turns: readonly string[];
  readonly presses: readonly Press[];
  readonly end: CallDestination;
}

export interface Reach {
  /** From where callers can call, and how many of these are phone numbers. */
  readonly starts: number;
  readonly numbers: number;
  /** Each place once, by the shortest way. */
  readonly deadEnds: readonly DeadEnd[];
}

/** Finds where calls reach nobody, from each phone number and each other menu where calls begin. */
export function followAll(menus: readonly SourceMenu[], flow: CallFlow): Reach {
  const begins = new Set(flow.entries);
  const reached = reachableFrom(begins, flow.links);
  const starts = menus.flatMap(({ call, numbers }) => {
    // Of menus that only link to each other, any may be the first.
    if (call && !reached.has(call.key)) {
      begins.add(call.key);
      reachableFrom([call.key], flow.links, reached);
    }
    if (call === undefined || !begins.has(call.key)) return [];
    return (numbers.length === 0 ? [undefined] : numbers).map((number) => ({ menu: call, number }));
  });
  const byEntry = new Map(starts.map((start) => [start.number ?? menuRef(start.menu.key), start]));
  const entries = [...byEntry].map(([entry, { menu }]) => [entry, menuTarget(menu.key)] as const);
  const { instances, routesTo } = instancesOf(flow);
  const world = { entries: new Map(entries), menus: instances };

  const found = placesWithoutPerson(world).flatMap((place): DeadEnd[] => {
    const start = byEntry.get(place.entry);
    if (start === undefined) return [];
    const taken = routesTo(place);
    const end = taken.at(-1)?.destination ?? { kind: "menu", key: start.menu.key };
    const presses = taken.flatMap(({ shortest }) => shortest);
    return [{ ...start, turns: taken.map(describeTurn), presses, end: unlessCallable(end, flow) }];
  });
  const numbers = starts.filter(({ number }) => number !== undefined).length;
  return { starts: starts.length, numbers, deadEnds: found };
}

/** The menus of a project or of the service as the walk knows them, and what callers do to get to a place. */
export function instancesOf({ menus }: Pick<CallFlow, "menus">) {
  const routes = new Map<string, ReadonlyMap<string, Route>>();
  const instances = new Map<string, Instance>();
  for (const [key, menu] of menus) {
    if (menu === undefined) continue;
    const paths = invariantRoutes(menu).map((route) => [pathName(route), route] as const);
    const exits = paths.map(([exit, { destination }]) => [exit, targetOf(destination)] as const);
    routes.set(key, new Map(paths));
    instances.set(key, { key, name: key, exits: new Map(exits), sound: "" });
  }
  const routesTo = ({ step }: Place): Route[] => {
    const back: Route[] = [];
    for (let one = step; one; one = one.last) {
      const route = routes.get(one.before.key)?.get(one.exit);
      if (route) back.push(route);
    }
    return back.toReversed();
  };
  return { instances, routesTo };
}

/** Each end without a person. Of menus that only lead to each other, the first. */
function placesWithoutPerson(world: World): Place[] {
  const isNobody = (reached: Reached) => isEnd(reached) && reached.answers === "no";
  const circles = deadEnds(world).filter(({ entry, reached }) => {
    if (isEnd(reached)) return false;
    const from = { ...world, entries: new Map([[entry, menuTarget(reached.key)]]) };
    return placesOf(from, isNobody).length === 0;
  });
  return [...placesOf(world, isNobody), ...circles];
}

function targetOf(to: CallDestination): Target {
  if (to.kind === "menu") return menuTarget(to.key);
  return { kind: "end", is: "", words: "", answers: answers(to) ? "yes" : "no" };
}

/** A link to a menu that cannot be called is a dead end of its own. */
function unlessCallable(end: CallDestination, flow: CallFlow): CallDestination {
  if (end.kind !== "menu" || flow.menus.get(end.key)) return end;
  const why = flow.menus.has(end.key) ? "invalid-menu" : "no-menu";
  return { kind: "unreachable", name: `menu ${end.key}`, why, key: end.key };
}
