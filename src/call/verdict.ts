import { reachableFrom } from "../compile/flow.ts";
import type { Claim, Invariant } from "./invariants.ts";
import {
  type CallDestination,
  type CallMenu,
  type CallMenus,
  type Press,
  type Via,
  type Walk,
  silence,
  walk,
} from "./model.ts";
import type { CallFlow, Suite } from "./suites.ts";
import type { CallTest } from "./tests.ts";
import { keyPlace } from "./words.ts";

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

type Miss = "reached" | "via" | "heard" | "in" | "steps" | "unused";

/** A menu that breaks an invariant, with a call that shows it. */
export interface Violation {
  readonly key: string;
  readonly invariant: Invariant;
  readonly walk: Walk;
  /** The claim that is false; undefined if the menu does not have the key of the invariant. */
  readonly broken: Claim | undefined;
}

/** Runs all tests and checks all invariants. */
export function checkProject(
  suites: readonly Suite[],
  invariants: readonly Invariant[],
  flow: CallFlow,
): Verdict {
  const menus = suites.map(({ menu }) => menu);
  return {
    results: suites.flatMap(({ menu, tests }) =>
      tests.map((test) => runTest(menu, test, flow.menus)),
    ),
    violations: invariants.flatMap((invariant) => findViolations(menus, invariant, flow)),
  };
}

/**
 * The violations of an invariant, at most one for each menu. With a key or `via`, that path of every
 * menu is checked, together with the menus that it links to. Otherwise whole calls are checked, from
 * the menus where they begin.
 */
export function findViolations(
  menus: readonly CallMenu[],
  invariant: Invariant,
  flow: CallFlow,
): Violation[] {
  const about = menus.filter(({ key }) => invariant.isAbout(key));
  const checks = invariant.claims.map((claim) => new ClaimCheck(claim, invariant, flow));
  const ofOnePath = invariant.key !== undefined || invariant.via !== undefined;
  const starts = ofOnePath ? about : firstMenus(about, invariant, flow);
  return starts.flatMap((menu) => violationOf(menu, invariant, checks, flow.menus) ?? []);
}

/** The menus without those that another of them links to, so that each call is checked once. */
function firstMenus(
  menus: readonly CallMenu[],
  { isExempt }: Invariant,
  { entries, links }: CallFlow,
): CallMenu[] {
  const followed = new Map(
    [...links].map(([key, to]) => [key, to.filter((own) => !isExempt(own))]),
  );
  const covered = new Set<string>();
  const first = new Set<CallMenu>();
  const byEntry = [
    ...menus.filter(({ key }) => entries.has(key)),
    ...menus.filter(({ key }) => !entries.has(key)),
  ];
  for (const menu of byEntry) {
    if (entries.has(menu.key) || !covered.has(menu.key)) first.add(menu);
    reachableFrom([menu.key], followed, covered);
  }
  return menus.filter((menu) => first.has(menu));
}

function violationOf(
  menu: CallMenu,
  invariant: Invariant,
  checks: readonly ClaimCheck[],
  menus: CallMenus,
): Violation | undefined {
  const { key } = menu;
  const paths = testablePaths(menu).filter(
    (path) =>
      (invariant.key === undefined || (path.via === "option" && path.key === invariant.key)) &&
      (invariant.via === undefined || path.via === invariant.via),
  );
  if (invariant.key !== undefined && paths.length === 0) {
    return { key, invariant, walk: walk(menu, [invariant.key], menus), broken: undefined };
  }
  const followsBack = invariant.key !== undefined || invariant.via !== undefined;
  for (const path of paths) {
    for (const check of checks) {
      const presses = check.brokenBy(menu, path, followsBack);
      if (presses !== undefined) {
        return { key, invariant, walk: walk(menu, presses, menus), broken: check.claim };
      }
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

/** Counts the paths that the tests take. A call through several menus takes a path of each. */
export function measureCoverage(
  menus: readonly CallMenu[],
  results: readonly Pick<TestResult, "walk">[],
): Coverage {
  const taken = new Set(
    results.flatMap(({ walk }) =>
      walk.steps.flatMap((step) =>
        step.enters === undefined && step.state.at === "waiting"
          ? []
          : `${step.in} ${placeOfPath({ via: step.as, key: step.press })}`,
      ),
    ),
  );
  const own = menus.map((menu) => {
    const places = testablePaths(menu).map(placeOfPath);
    const untested = places.filter((place) => !taken.has(`${menu.key} ${place}`));
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
export function testablePaths({ options, invalid, timeout }: CallMenu): CallPath[] {
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
  return via === "option" && key !== undefined ? keyPlace(key) : via;
}

function many(press: Press, count: number): Press[] {
  return Array.from({ length: count }, () => press);
}

/** A call from some menu on, as a list, so that calls through many menus share their ends. */
interface WorstCall {
  /** What the claim limits: the number of recordings or steps. */
  readonly size: number;
  readonly presses: readonly Press[];
  readonly next: WorstCall | undefined;
}

/**
 * Checks a claim on calls through several menus. For each menu that another one links to, it finds
 * the worst call from there on once, so the time does not depend on the number of paths.
 */
class ClaimCheck {
  readonly claim: Claim;
  readonly #isExempt: Invariant["isExempt"];
  readonly #flow: CallFlow;
  readonly #worst = new Map<string, WorstCall>();

  constructor(claim: Claim, { isExempt }: Invariant, flow: CallFlow) {
    this.claim = claim;
    this.#isExempt = isExempt;
    this.#flow = flow;
    const targets = new Set([...flow.links.values()].flat());
    for (const key of flow.order) {
      const menu = targets.has(key) ? flow.menus.get(key) : undefined;
      if (menu === undefined) continue;
      for (const path of testablePaths(menu)) {
        const call = this.#worstOn(menu, path, false);
        if (call && call.size > (this.#worst.get(key)?.size ?? -1)) this.#worst.set(key, call);
      }
    }
  }

  /** Returns a call on this path that breaks the claim: the longest one if the length matters. */
  brokenBy(menu: CallMenu, path: CallPath, followsBack: boolean): readonly Press[] | undefined {
    const { claim } = this;
    const worst = this.#worstOn(menu, path, followsBack);
    if (worst === undefined || ("most" in claim && worst.size <= claim.most)) return undefined;
    const presses: Press[] = [];
    for (let call: WorstCall | undefined = worst; call; call = call.next)
      presses.push(...call.presses);
    return presses;
  }

  /** The worst call on a path: the longest one, or one that ends where it must not. */
  #worstOn(menu: CallMenu, path: CallPath, followsBack: boolean): WorstCall | undefined {
    const { claim } = this;
    const { destination, shortest, longest } = path;
    const target = destination.kind === "menu" ? destination.key : undefined;
    const continues = target !== undefined && this.#flow.menus.get(target) !== undefined;
    const next =
      continues && !this.#isExempt(target) && (followsBack || !this.#flow.isBack(menu.key, target))
        ? this.#worst.get(target)
        : undefined;
    switch (claim.kind) {
      case "reaches":
      case "not-blocked": {
        const isFine =
          claim.kind === "not-blocked"
            ? answers(destination)
            : claim.any.some((one) => isReached(one, destination));
        const isBroken = continues ? next !== undefined : !isFine;
        return isBroken ? { size: 0, presses: shortest, next } : undefined;
      }
      case "max-heard":
      case "max-steps": {
        // The prompt, then a recording for every press except a key of the menu.
        const steps = longest.length;
        const heard = steps + (path.via === "option" ? 0 : 1);
        const size = (claim.kind === "max-heard" ? heard : steps) + (next?.size ?? 0);
        return { size, presses: longest, next };
      }
    }
  }
}

function runTest(menu: CallMenu, test: CallTest, menus: CallMenus): TestResult {
  const walked = walk(menu, test.press, menus);
  return { key: menu.key, test, walk: walked, misses: missesOf(test, walked) };
}

function missesOf({ expected }: CallTest, walked: Walk): Miss[] {
  const { end, heard, steps, unused } = walked;
  const { reached, via } = expected;
  const misses: [Miss, boolean][] = [
    ["reached", reached !== undefined && !isReached(reached, end.destination)],
    ["via", via !== undefined && via !== end.via],
    [
      "heard",
      expected.heard !== undefined &&
        (expected.heard.length !== heard.length ||
          // A test may name a recording by its alias and the menu by its id.
          expected.heard.some(({ id }, at) => id !== heard[at]?.id)),
    ],
    ["in", expected.in !== undefined && expected.in !== walked.in],
    ["steps", expected.steps !== undefined && expected.steps !== steps.length],
    ["unused", unused.length > 0],
  ];
  return misses.flatMap(([miss, missed]) => (missed ? miss : []));
}

/** Whether a call reached the wanted destination. A call never reaches a blocked agent. */
function isReached(wanted: CallDestination, actual: CallDestination): boolean {
  switch (actual.kind) {
    case "agent":
      return wanted.kind === "agent" && wanted.eid === actual.eid && !actual.blocked;
    case "menu":
      return false;
    case "other":
      return wanted.kind === "other" && wanted.name === actual.name && wanted.id === actual.id;
    case "unreachable":
      return false;
  }
}
