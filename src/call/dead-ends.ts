import { leadingTo, reachableFrom } from "../compile/flow.ts";
import type { CallFlow } from "./callable-menu.ts";
import { invariantRoutes } from "./invariants.ts";
import { answers } from "./simulated-call.ts";
import { describeTurn } from "./describe-call.ts";
import type { SourceMenu } from "./menu-source.ts";
import type { CallDestination, CallMenu, Press } from "../model/call-menu.ts";

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
  /** How many paths callers can take, and from where. */
  readonly paths: number;
  readonly numbers: number;
  readonly starts: number;
  /** How many of them reach nobody. */
  readonly dead: number;
  /** At most `most` of them. */
  readonly deadEnds: readonly DeadEnd[];
}

/** How many dead ends are told. */
const most = 50;

/** A part of a path that ends nowhere: one turn, and the tail of the next menu. */
interface Tail {
  readonly turn: string;
  readonly presses: readonly Press[];
  readonly end: CallDestination;
  readonly next?: Tail;
}

interface Paths {
  readonly paths: number;
  readonly dead: number;
  readonly tails: readonly Tail[];
}

/**
 * Follows every key, wrong keys and silence from each phone number and each other menu where calls begin.
 * Each menu is followed once, so the time does not depend on the number of paths.
 */
export function followAll(menus: readonly SourceMenu[], flow: CallFlow): Reach {
  const reaching = menusThatReach(flow);
  const pathsByMenu = new Map<string, Paths>();
  for (const key of flow.order) {
    const menu = flow.menus.get(key);
    if (menu) pathsByMenu.set(key, pathsFrom(menu, flow, reaching, pathsByMenu));
  }
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
  let [paths, dead] = [0, 0];
  const deadEnds: DeadEnd[] = [];
  for (const start of starts) {
    const menuPaths = pathsByMenu.get(start.menu.key);
    paths += menuPaths?.paths ?? 0;
    dead += menuPaths?.dead ?? 0;
    const tails = (menuPaths?.tails ?? []).slice(0, most - deadEnds.length);
    deadEnds.push(...tails.map((tail) => Object.assign({}, start, whole(tail))));
  }
  const numbers = starts.filter(({ number }) => number !== undefined).length;
  return { paths, numbers, starts: starts.length, dead, deadEnds };
}

function pathsFrom(
  menu: CallMenu,
  flow: CallFlow,
  reaching: ReadonlySet<string>,
  pathsByMenu: ReadonlyMap<string, Paths>,
): Paths {
  let [paths, dead] = [0, 0];
  const tails: Tail[] = [];
  for (const route of invariantRoutes(menu)) {
    const turn = describeTurn(route);
    const { shortest: presses, destination: end } = route;
    const key = end.kind === "menu" ? end.key : undefined;
    const next = key === undefined || flow.isBack(menu.key, key) ? undefined : pathsByMenu.get(key);
    if (next) {
      paths += next.paths;
      dead += next.dead;
      const room = most - tails.length;
      for (const tail of next.tails.slice(0, Math.max(room, 0))) {
        tails.push({ turn, presses, end: tail.end, next: tail });
      }
      continue;
    }
    paths += 1;
    if (key === undefined ? answers(end) : reaching.has(key)) continue;
    dead += 1;
    tails.push({ turn, presses, end: unlessCallable(end, flow) });
  }
  return { paths, dead, tails };
}

function whole(first: Tail): Pick<DeadEnd, "turns" | "presses" | "end"> {
  const tails: Tail[] = [];
  for (let tail: Tail | undefined = first; tail; tail = tail.next) tails.push(tail);
  const presses = tails.flatMap((tail) => tail.presses);
  return { turns: tails.map(({ turn }) => turn), presses, end: first.end };
}

/** A link to a menu that cannot be called is a dead end of its own. */
function unlessCallable(end: CallDestination, flow: CallFlow): CallDestination {
  if (end.kind !== "menu" || flow.menus.get(end.key)) return end;
  const why = flow.menus.has(end.key) ? "invalid-menu" : "no-menu";
  return { kind: "unreachable", name: `menu ${end.key}`, why, key: end.key };
}

/** The menus from which some path reaches somebody, so that going back to them is no dead end. */
function menusThatReach({ menus, links }: CallFlow): ReadonlySet<string> {
  const ends = [...menus].flatMap(([key, menu]) =>
    menu && invariantRoutes(menu).some(({ destination }) => answers(destination)) ? key : [],
  );
  return leadingTo(ends, links);
}
