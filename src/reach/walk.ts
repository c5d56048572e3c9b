import {
  type End,
  type Exit,
  type Instance,
  type Target,
  type World,
  exitOf,
  gone,
} from "./world.ts";

/** A place that callers get to: what they call first, or an exit of a menu. */
export interface Place {
  /** What they call first, on the shortest way. */
  readonly entry: string;
  /** What they do last. Absent for the entry itself. */
  readonly step?: Step;
}

/** What callers do in a menu, and what they did before. A list, because the ways to a deep menu share their beginning. */
interface Step {
  readonly exit: Exit;
  /** The menu, in both worlds. */
  readonly before: Instance;
  readonly after: Instance;
  readonly last: Step | undefined;
}

/** Where callers get to in two worlds by the same way. */
export interface Difference extends Place {
  readonly before: Reached;
  readonly after: Reached;
}

/** A menu, or where calls end. */
export type Reached = Instance | End;

export function isEnd(reached: Reached): reached is End {
  return "answers" in reached;
}

/** What callers do in each menu on the way to a place, the place included. */
export function exitsTo({ step }: Place): Exit[] {
  const exits: Exit[] = [];
  for (let at = step; at !== undefined; at = at.last) exits.push(at.exit);
  return exits.toReversed();
}

export interface Comparison {
  /** Each place once. A menu of a different key is one difference, whatever is behind it. */
  readonly differences: readonly Difference[];
  /** What callers notice anything of: entries, by what they reach, and by what they hear. */
  readonly noticing: ReadonlySet<string>;
  /** The pairs of menus that callers get to, and that differ in themselves. */
  readonly changed: ReadonlyMap<Instance, Instance>;
}

/** Two menus that the same calls get to. */
interface Pair {
  readonly a: Instance;
  readonly b: Instance;
  readonly place: Place;
  /** The pairs from which callers get here. */
  readonly from: Pair[];
  /** Whether the menus differ in themselves. */
  isChanged: boolean;
  differs: boolean;
}

/**
 * Compares two worlds for everybody who calls. Walks each pair of menus once, so that the time is that
 * of the pairs and not that of the paths, and circles end.
 */
export function compare(before: World, after: World): Comparison {
  const comparedWith = comparisons.get(before) ?? new WeakMap<World, Comparison>();
  comparisons.set(before, comparedWith);
  const comparison = comparedWith.get(after) ?? compareAnew(before, after);
  comparedWith.set(after, comparison);
  return comparison;
}

/** Worlds never change, and several sentences are about the same two. */
const comparisons = new WeakMap<World, WeakMap<World, Comparison>>();

function compareAnew(before: World, after: World): Comparison {
  const pairs = new Map<Instance, Map<Instance, Pair>>();
  const queue: Pair[] = [];
  const entries = [...new Set([...after.entries.keys(), ...before.entries.keys()])];
  const starts = entries.map((entry) => {
    const was = reachedAt(before, before.entries.get(entry));
    const is = reachedAt(after, after.entries.get(entry));
    return { entry, was, is, pair: pairAt(was, is, { entry }) };
  });
  // A loop, because pairs are added meanwhile.
  for (const pair of queue) {
    const { a, b } = pair;
    pair.isChanged = a.sound !== b.sound;
    for (const { was, is, place } of exitsOfPair(pair)) {
      const next = pairAt(was, is, place);
      next?.from.push(pair);
      if (!next && !isSameEnd(was, is)) pair.isChanged = true;
    }
  }
  // What differs further on differs for everybody who comes through.
  const left = queue.filter(({ isChanged }) => isChanged);
  for (const pair of left) pair.differs = true;
  for (let pair = left.pop(); pair; pair = left.pop()) {
    for (const source of pair.from) {
      if (!source.differs) left.push(source);
      source.differs = true;
    }
  }

  const differences: Difference[] = [];
  const changed = new Map<Instance, Instance>();
  const toShow = new Set<Pair>();
  const visit = (place: Place, was: Reached, is: Reached) => {
    const pair = pairOf(was, is);
    if (pair ? !pair.differs : isSameEnd(was, is)) return;
    if (pair !== undefined && pair.a.key === pair.b.key) toShow.add(pair);
    else differences.push({ ...place, before: was, after: is });
  };
  for (const { entry, was, is } of starts) visit({ entry }, was, is);
  // A Set iterates over what is added meanwhile.
  for (const pair of toShow) {
    if (pair.isChanged) changed.set(pair.a, pair.b);
    for (const { was, is, place } of exitsOfPair(pair)) visit(place, was, is);
  }
  const noticing = starts.filter(({ was, is, pair }) =>
    pair ? pair.differs : !isSameEnd(was, is),
  );
  return { differences, noticing: new Set(noticing.map(({ entry }) => entry)), changed };

  function exitsOfPair({ a, b, place: { entry, step: last } }: Pair) {
    const exits = [...new Set([...b.exits.keys(), ...a.exits.keys()])];
    return exits.map((exit) => ({
      was: reachedAt(before, exitOf(a, exit)),
      is: reachedAt(after, exitOf(b, exit)),
      place: { entry, step: { exit, before: a, after: b, last } },
    }));
  }

  function pairOf(was: Reached, is: Reached): Pair | undefined {
    return isEnd(was) || isEnd(is) ? undefined : pairs.get(was)?.get(is);
  }

  function pairAt(was: Reached, is: Reached, place: Place): Pair | undefined {
    if (isEnd(was) || isEnd(is)) return undefined;
    const withSame = pairs.get(was) ?? new Map<Instance, Pair>();
    const visited = withSame.get(is);
    if (visited) return visited;
    const pair = { a: was, b: is, place, from: [], isChanged: false, differs: false };
    pairs.set(was, withSame.set(is, pair));
    queue.push(pair);
    return pair;
  }
}

/** A place of one world, and what callers reach there. */
export interface Found extends Place {
  readonly reached: Reached;
}

/** The places from which callers reach nobody, each once, by the shortest way. */
export function deadEnds(world: World): Found[] {
  const reaching = menusThatReach(world);
  return placesOf(world, (one) => (isEnd(one) ? one.answers === "no" : !reaching.has(one)));
}

/** The places from which callers get to what matches, each once, by the shortest way. Nothing behind it. */
export function placesOf(world: World, matches: (reached: Reached) => boolean): Found[] {
  const places: Found[] = [];
  waysIn(world, (reached, place) => {
    const isMatch = matches(reached);
    if (isMatch) places.push({ ...place, reached });
    return isMatch;
  });
  return places;
}

/** The shortest way to each menu that callers get to. Not behind the places where it stops. */
export function waysIn(
  world: World,
  stops: (reached: Reached, place: Place) => boolean = () => false,
): ReadonlyMap<Instance, Place> {
  const seen = new Map<Instance, Place>();
  const enter = (target: Target, place: Place) => {
    const reached = reachedAt(world, target);
    if (!stops(reached, place) && !isEnd(reached) && !seen.has(reached)) seen.set(reached, place);
  };
  for (const [entry, to] of world.entries) enter(to, { entry });
  // A Map iterates over what is added meanwhile.
  for (const [menu, { entry, step: last }] of seen) {
    for (const [exit, to] of menu.exits) {
      enter(to, { entry, step: { exit, before: menu, after: menu, last } });
    }
  }
  return seen;
}

/** The instances that callers get to, and unless `isSure`, those that they may get to. */
export function reachable(world: World, isSure = false): ReadonlySet<Instance> {
  const seen = new Set<Instance>();
  const asked = new Set<readonly string[]>();
  const enter = (target: Target) => {
    if (target.kind === "end" && (isSure || !target.maybe || asked.has(target.maybe))) return;
    if (target.kind === "end") asked.add(target.maybe ?? []);
    const ids = target.kind === "menu" ? [target.id] : (target.maybe ?? []);
    for (const id of ids) {
      const menu = world.menus.get(id);
      if (menu) seen.add(menu);
    }
  };
  for (const to of world.entries.values()) enter(to);
  // A Set iterates over what is added meanwhile.
  for (const { exits } of seen) for (const to of exits.values()) enter(to);
  return seen;
}

/** The menus from which some way reaches somebody, so that a circle through them is no dead end. */
function menusThatReach(world: World): ReadonlySet<Instance> {
  const from = new Map<Instance, Instance[]>();
  const reaching = new Set<Instance>();
  for (const menu of world.menus.values()) {
    for (const to of menu.exits.values()) {
      const reached = reachedAt(world, to);
      if (isEnd(reached)) {
        if (reached.answers !== "no") reaching.add(menu);
      } else {
        const sources = from.get(reached);
        if (sources) sources.push(menu);
        else from.set(reached, [menu]);
      }
    }
  }
  for (const menu of reaching) for (const source of from.get(menu) ?? []) reaching.add(source);
  return reaching;
}

const nowhere: End = { kind: "end", is: "nothing", words: "nothing", answers: "no" };

export function reachedAt(world: World, target: Target | undefined): Reached {
  if (target === undefined) return nowhere;
  return target.kind === "end" ? target : (world.menus.get(target.id) ?? gone);
}

function isSameEnd(a: Reached, b: Reached): boolean {
  return isEnd(a) && isEnd(b) && a.is === b.is;
}
