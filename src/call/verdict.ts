import type { Claim, Invariant } from "./invariants.ts";
import {
  type CallDestination,
  type CallMenu,
  type Press,
  type Via,
  type Walk,
  silence,
  walk,
} from "./model.ts";
import type { Suite } from "./suites.ts";
import type { CallTest } from "./tests.ts";
import { placeOf } from "./words.ts";

/** The results of all tests, and the violations of invariants. */
export interface Verdict {
  readonly results: readonly TestResult[];
  readonly violations: readonly Violation[];
}

export interface TestResult {
  readonly key: string;
  readonly test: CallTest;
  readonly walk: Walk;
  /** The expectations that were not met; empty if the test passed. */
  readonly misses: readonly Miss[];
}

type Miss = "reached" | "via" | "heard" | "steps" | "unused";

/** A menu that breaks an invariant, with a call that shows it. */
export interface Violation {
  readonly key: string;
  readonly invariant: Invariant;
  readonly walk: Walk;
  /** The claim that is false; undefined if the menu does not have the key of the invariant. */
  readonly broken: Claim | undefined;
}

/** Runs all tests and checks all invariants. */
export function verdictOf(suites: readonly Suite[], invariants: readonly Invariant[]): Verdict {
  return {
    results: suites.flatMap(({ menu, tests }) => tests.map((test) => runTest(menu, test))),
    violations: invariants.flatMap((invariant) =>
      suites.flatMap(({ menu }) => violationOf(menu, invariant) ?? []),
    ),
  };
}

/** The first violation in a menu; undefined if the invariant holds or does not apply to the menu. */
export function violationOf(menu: CallMenu, invariant: Invariant): Violation | undefined {
  const { key } = menu;
  if (!invariant.isAbout(key)) return undefined;
  const paths = pathsOf(menu).filter(
    (path) =>
      (invariant.key === undefined || (path.via === "option" && path.key === invariant.key)) &&
      (invariant.via === undefined || path.via === invariant.via),
  );
  if (invariant.key !== undefined && paths.length === 0) {
    return { key, invariant, walk: walk(menu, [invariant.key]), broken: undefined };
  }
  for (const path of paths) {
    for (const broken of invariant.claims) {
      const presses = brokenBy(path, broken);
      if (presses !== undefined) return { key, invariant, walk: walk(menu, presses), broken };
    }
  }
  return undefined;
}

/** How many paths through the menus the tests take. */
export interface Coverage {
  readonly paths: number;
  readonly tested: number;
  /** Rounded down to a tenth, so that 100 means all paths. */
  readonly percent: number;
  readonly menus: readonly MenuCoverage[];
}

interface MenuCoverage {
  readonly key: string;
  readonly paths: number;
  /** `key 2`, `invalid`, `timeout`. */
  readonly untested: readonly string[];
}

/** Counts the paths that the tests take. */
export function coverageOf(
  menus: readonly CallMenu[],
  results: readonly Pick<TestResult, "key" | "walk">[],
): Coverage {
  const landed = new Set(
    results.map(({ key, walk }) => {
      const { via } = walk.landed;
      return `${key} ${placeOfPath({ via, key: walk.steps.at(-1)?.press })}`;
    }),
  );
  const own = menus.map((menu) => {
    const places = pathsOf(menu).map(placeOfPath);
    const untested = places.filter((place) => !landed.has(`${menu.key} ${place}`));
    return { key: menu.key, paths: places.length, untested };
  });
  const paths = own.reduce((sum, menu) => sum + menu.paths, 0);
  const tested = own.reduce((sum, menu) => sum + menu.paths - menu.untested.length, 0);
  const percent = paths === 0 ? 100 : Math.floor((tested * 1000) / paths) / 10;
  return { paths, tested, percent, menus: own };
}

/** Whether a call can be answered there: the agent is on the list and not blocked. */
export function answers(destination: CallDestination): boolean {
  return destination.kind === "agent" ? !destination.blocked : destination.kind === "other";
}

/**
 * A path through a menu: a destination, and what callers press to reach it. Before the last key
 * there may be wrong keys and silences in any order, as many as the retries allow. They do not
 * change the destination, so the shortest and the longest call are enough to check a path.
 */
interface CallPath {
  readonly via: Via;
  /** The key pressed last; undefined if the caller is silent. */
  readonly key: Press | undefined;
  readonly destination: CallDestination;
  readonly shortest: readonly Press[];
  readonly longest: readonly Press[];
}

/** All paths, in the order of the keys. If every phone key is an option, no path has wrong keys. */
export function pathsOf({ options, invalid, timeout }: CallMenu): CallPath[] {
  const taken = new Set(options.map(({ key }) => key));
  const wrong = "9876543210#*".split("").find((key) => !taken.has(key));
  const wrongs = wrong === undefined ? [] : many(wrong, invalid.retries);
  const silences = many(silence, timeout.retries);
  const paths = options
    // `_` means silence, so callers cannot press it.
    .filter(({ key }) => key !== silence)
    .map(({ key, destination }): CallPath => {
      const longest = [...silences, ...wrongs, key];
      return { via: "option", key, destination, shortest: [key], longest };
    });
  if (wrong !== undefined) {
    paths.push({
      via: "invalid",
      key: wrong,
      destination: invalid.destination,
      shortest: [...wrongs, wrong],
      longest: [...silences, ...wrongs, wrong],
    });
  }
  paths.push({
    via: "timeout",
    key: undefined,
    destination: timeout.destination,
    shortest: [...silences, silence],
    longest: [...wrongs, ...silences, silence],
  });
  return paths;
}

/** The name of a path: `key 2`, `invalid` or `timeout`. */
export function placeOfPath({ via, key }: Pick<CallPath, "via" | "key">): string {
  return via === "option" && key !== undefined ? placeOf(key) : via;
}

function many(press: Press, count: number): Press[] {
  return Array.from({ length: count }, () => press);
}

/** Returns a call on this path that breaks the claim: the longest one if the length matters. */
function brokenBy(path: CallPath, claim: Claim): readonly Press[] | undefined {
  const { destination, shortest, longest } = path;
  switch (claim.kind) {
    case "reaches":
      return claim.any.some((one) => isReached(one, destination)) ? undefined : shortest;
    case "not-blocked":
      return answers(destination) ? undefined : shortest;
    case "max-heard":
    case "max-steps": {
      // The prompt, then a recording for every press except a key of the menu.
      const steps = longest.length;
      const heard = steps + (path.via === "option" ? 0 : 1);
      return (claim.kind === "max-heard" ? heard : steps) > claim.most ? longest : undefined;
    }
  }
}

function runTest(menu: CallMenu, test: CallTest): TestResult {
  const walked = walk(menu, test.press);
  return { key: menu.key, test, walk: walked, misses: missesOf(test, walked) };
}

function missesOf({ expected }: CallTest, { landed, heard, steps, unused }: Walk): Miss[] {
  const { reached, via } = expected;
  const misses: [Miss, boolean][] = [
    ["reached", reached !== undefined && !isReached(reached, landed.destination)],
    ["via", via !== undefined && via !== landed.via],
    [
      "heard",
      expected.heard !== undefined &&
        (expected.heard.length !== heard.length ||
          // A test may name a recording by its alias and the menu by its id.
          expected.heard.some(({ id }, at) => id !== heard[at]?.id)),
    ],
    ["steps", expected.steps !== undefined && expected.steps !== steps.length],
    ["unused", unused.length > 0],
  ];
  return misses.flatMap(([miss, missed]) => (missed ? miss : []));
}

/** Whether a call reached the wanted destination. A call never reaches a blocked agent. */
function isReached(wanted: CallDestination, landed: CallDestination): boolean {
  switch (landed.kind) {
    case "agent":
      return wanted.kind === "agent" && wanted.eid === landed.eid && !landed.blocked;
    case "menu":
      return false;
    case "other":
      return wanted.kind === "other" && wanted.name === landed.name && wanted.id === landed.id;
    case "unreachable":
      return false;
  }
}
