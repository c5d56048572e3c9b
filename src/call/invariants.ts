import type * as z from "zod/mini";
import type { Agents } from "../project/agent-list.ts";
import { reachableFrom } from "../compile/flow.ts";
import { canonicalKey } from "../project/options.ts";
import { resolveDestination } from "../compile/references.ts";
import { Diagnostics } from "../diagnostics/diagnostic.ts";
import type { Span } from "../diagnostics/source.ts";
import type { Config } from "../project/config-file.ts";
import type { Environment } from "../project/environment.ts";
import type { InvariantSchema } from "../schema/invariant.ts";
import { globPattern } from "../util/glob.ts";
import { many } from "../util/many.ts";
import { type Node, at, entriesOf, nodeAt } from "../yaml/node.ts";
import type { CallFlow } from "./callable-menu.ts";
import { type Walk, answers, isReached, retriesIn, silence, walk } from "./simulated-call.ts";
import { keyPlace } from "../model/menu.ts";
import {
  type CallDestination,
  type CallMenu,
  type Press,
  type CallPath,
  type Via,
  pathsOf,
} from "../model/call-menu.ts";

type Written = z.infer<typeof InvariantSchema>;
type Reached = NonNullable<Written["reaches"]>;

/** A rule for every path through some menus. */
export interface Invariant {
  readonly name: string;
  readonly at: Span;
  readonly isAbout: (key: string) => boolean;
  /** Whether a call that continues in a menu is not followed there. */
  readonly isExempt: (key: string) => boolean;
  /**
   * The only path that it applies to, by its key or by how the call ends. Without both, every path.
   */
  readonly key?: Press | undefined;
  readonly via?: Via | undefined;
  readonly claims: readonly CountedClaim[];
}

/** What an invariant says about a call: what it counts on the way is at most `most`. */
export interface CountedClaim {
  readonly words: string;
  readonly most: number;
  /** Counts one path. `ends` is false if the call continues in a menu that is checked too. */
  readonly count: (route: Route, ends: boolean) => number;
  /** Whether the longest call of a path counts, and not where it ends. */
  readonly isLength: boolean;
}

/** The claim that no call ends at a destination that is not accepted. */
export function endClaim(words: string, accepts: (end: CallDestination) => boolean): CountedClaim {
  const count = ({ destination }: Route, ends: boolean) => (ends && !accepts(destination) ? 1 : 0);
  return { words, most: 0, count, isLength: false };
}

/** The claim that every call has at most so many recordings or steps. */
export function lengthClaim(of: "heard" | "steps", most: number): CountedClaim {
  const words =
    of === "heard"
      ? `hears at most ${many(most, "recording")}`
      : `takes at most ${many(most, "step")}`;
  // The prompt, then a recording for every press except a key of the menu.
  const count = ({ longest, via }: Route) =>
    longest.length + (of === "heard" && via !== "option" ? 1 : 0);
  return { words, most, count, isLength: true };
}

/** A menu that breaks an invariant, with a call that shows it. */
export interface Violation {
  readonly key: string;
  readonly invariant: Invariant;
  readonly walk: Walk;
  /** What should be true, in words. */
  readonly expected: string;
}

interface Input {
  readonly config: Config;
  readonly environment: Environment;
  readonly agents: Agents | undefined;
  readonly keys: readonly string[];
  readonly diagnostics: Diagnostics;
}

/** Reads the invariants of the configuration. Leaves out those that cannot hold, which are reported. */
export function readInvariants(input: Input): Invariant[] {
  const { value, tree } = input.config;
  return (value.invariants ?? []).flatMap((written, index) => {
    const diagnostics = new Diagnostics();
    const node = at(tree, ["invariants", index]);
    const invariant = readInvariant(written, node, { ...input, diagnostics });
    input.diagnostics.addAll(diagnostics);
    return diagnostics.hasErrors ? [] : invariant;
  });
}

function readInvariant(written: Written, node: Node, input: Input): Invariant {
  const { keys, diagnostics } = input;
  const place = entriesOf(node)[0]?.key ?? node;
  const [menus, except] = [patterns(written.menus), patterns(written.except)];
  const key = written.key === undefined ? undefined : canonicalKey(written.key);
  const { via } = written;
  if (key !== undefined && via !== undefined && via !== "option") {
    diagnostics.add(
      "IVR802",
      nodeAt(node, ["via"]) ?? place,
      `No call takes both ${keyPlace(key)} and the path \`${via}\`.`,
      "Remove `key:` or `via:`, or write two invariants.",
      "error",
    );
  }
  const claims = readClaims(written, node, input);
  const isExempt = (menu: string) => except?.some((pattern) => pattern.test(menu)) === true;
  const isAbout = (menu: string) =>
    (menus === undefined || menus.some((pattern) => pattern.test(menu))) && !isExempt(menu);
  if (keys.length > 0 && !keys.some(isAbout)) {
    diagnostics.add(
      "IVR802",
      place,
      "This invariant applies to no menu in the project.",
      "Check the keys under `menus:` and `except:`.",
    );
  }
  const subject = key === undefined ? (via ?? "every path") : keyPlace(key);
  const name = written.name ?? `${subject} ${claims.map(({ words }) => words).join(" and ")}`;
  return { name, at: place, isAbout, isExempt, key, via, claims };
}

function readClaims({ reaches, ...written }: Written, node: Node, input: Input): CountedClaim[] {
  const claims: CountedClaim[] = [];
  if (reaches !== undefined) {
    const any = anyOf(reaches, at(node, ["reaches"]), input);
    const accepts = (end: CallDestination) => any.some((expected) => isReached(expected, end));
    claims.push(endClaim(`reaches ${writtenOf(reaches)}`, accepts));
  }
  if (written.not_blocked) claims.push(endClaim("reaches no blocked agent", answers));
  if (written.max_heard !== undefined) claims.push(lengthClaim("heard", Number(written.max_heard)));
  if (written.max_steps !== undefined) claims.push(lengthClaim("steps", Number(written.max_steps)));
  return claims;
}

/** All agents that match the reference. Unlike in a menu, there may be several. */
function anyOf(
  reference: Reached,
  node: Node,
  { environment, agents, ...input }: Input,
): CallDestination[] {
  const diagnostics = new Diagnostics();
  const context = { environment, agents, diagnostics };
  const { value: destination, reference: wanted = {} } =
    resolveDestination(reference, node, context) ?? {};
  if (destination?.kind === "unreachable" && destination.why === "several") {
    return (agents?.find(wanted) ?? []).flatMap(({ name, eid, team, blocked }): CallDestination[] =>
      eid === null ? [] : [{ kind: "agent", name, eid, team, blocked }],
    );
  }
  if (destination === undefined || destination.kind === "unreachable")
    input.diagnostics.addAll(diagnostics);
  return destination === undefined ? [] : [destination];
}

function patterns(globs: string | readonly string[] | undefined): RegExp[] | undefined {
  return globs === undefined ? undefined : [globs].flat().map((glob) => globPattern(glob));
}

/** A reference in words: `Front Desk`, `team Operators`. */
function writtenOf(reference: Reached): string {
  if (typeof reference === "string") return reference;
  return Object.entries(reference)
    .flatMap(([field, value]) =>
      value === undefined ? [] : field === "agent" ? String(value) : `${field} ${String(value)}`,
    )
    .join(", ");
}

/**
 * The violations of an invariant, at most one for each menu. With a key or `via`, that path of every
 * menu is checked, together with the menus that it goes to. Otherwise whole calls are checked, from
 * the menus where they begin.
 */
export function findViolations(
  menus: readonly CallMenu[],
  invariant: Invariant,
  flow: CallFlow,
): Violation[] {
  const { key, via, isAbout, claims } = invariant;
  const subjects = menus.filter((menu) => isAbout(menu.key));
  const isOnePath = key !== undefined || via !== undefined;
  const checks = claims.map((claim) => ({ claim, worstOn: worstCalls(claim, invariant, flow) }));
  const checked = isOnePath ? subjects : firstMenus(subjects, invariant, flow);
  return checked.flatMap((menu): Violation[] => {
    const broken = (presses: readonly Press[], expected: string) => [
      { key: menu.key, invariant, walk: walk(menu, presses, flow.menus), expected },
    ];
    const routes = invariantRoutes(menu).filter(
      (route) => route.key === (key ?? route.key) && route.via === (via ?? route.via),
    );
    if (key !== undefined && routes.length === 0) return broken([key], `the menu has key ${key}`);
    for (const route of routes) {
      for (const { claim, worstOn } of checks) {
        const worst = worstOn(menu, route, isOnePath);
        if (worst.size <= claim.most) continue;
        const presses: Press[] = [];
        for (let call: WorstCall | undefined = worst; call; call = call.next) {
          presses.push(...call.presses);
        }
        return broken(presses, claim.isLength ? `${claim.words}, not ${worst.size}` : claim.words);
      }
    }
    return [];
  });
}

/** The menus without those that a different one of them goes to, so that each call is checked once. */
function firstMenus(
  menus: readonly CallMenu[],
  { isExempt }: Invariant,
  { entries, links }: CallFlow,
): CallMenu[] {
  const followed = new Map(
    [...links].map(([key, to]) => [key, to.filter((target) => !isExempt(target))]),
  );
  const covered = new Set<string>();
  const first = new Set<CallMenu>();
  const isEntry = ({ key }: CallMenu) => entries.has(key);
  for (const menu of [...menus.filter(isEntry), ...menus.filter(({ key }) => !entries.has(key))]) {
    if (isEntry(menu) || !covered.has(menu.key)) first.add(menu);
    reachableFrom([menu.key], followed, covered);
  }
  return menus.filter((menu) => first.has(menu));
}

/**
 * A path with what callers press to take it. Before the last key there may be wrong keys and silences
 * in any order, as many as the retries allow. They do not change the destination, so the shortest
 * and the longest call are enough to check a path.
 */
export interface Route extends CallPath {
  readonly shortest: readonly Press[];
  readonly longest: readonly Press[];
}

/** The paths that callers can take. If every phone key is an option, no path has wrong keys. */
export function invariantRoutes(menu: CallMenu): Route[] {
  const taken = new Set(menu.options.map(({ key }) => key));
  const wrong = "9876543210#*".split("").find((key) => !taken.has(key));
  const times = (press: Press, count: number) => Array.from({ length: count }, () => press);
  const wrongs = wrong === undefined ? [] : times(wrong, retriesIn(menu["invalid.retries"]));
  const silences = times(silence, retriesIn(menu["timeout.retries"]));
  return pathsOf(menu).flatMap((path): Route[] => {
    switch (path.via) {
      case "option": {
        const { key = silence } = path;
        // `_` means silence, so callers cannot press it.
        if (key === silence) return [];
        return [{ ...path, shortest: [key], longest: [...silences, ...wrongs, key] }];
      }
      case "invalid": {
        if (wrong === undefined) return [];
        const shortest = [...wrongs, wrong];
        return [{ ...path, shortest, longest: [...silences, ...shortest] }];
      }
      case "timeout": {
        const shortest = [...silences, silence];
        return [{ ...path, shortest, longest: [...wrongs, ...shortest] }];
      }
    }
  });
}

/** A call from some menu on, as a list, so that calls through many menus share their ends. */
interface WorstCall {
  /** What the claim counts. */
  readonly size: number;
  readonly presses: readonly Press[];
  readonly next: WorstCall | undefined;
}

/**
 * Returns a function that finds the worst call on a path: the longest one, or one that ends where it must
 * not. The worst call from each linked menu on is found once, so the time does not depend on the number
 * of paths.
 */
function worstCalls({ count, isLength }: CountedClaim, { isExempt }: Invariant, flow: CallFlow) {
  const callsByMenu = new Map<string, WorstCall>();
  const worstOn = (menu: CallMenu, route: Route, followsBack: boolean): WorstCall => {
    const { destination, shortest, longest } = route;
    const target = destination.kind === "menu" ? destination.key : undefined;
    const continues = target !== undefined && flow.menus.get(target) !== undefined;
    const isFollowed =
      continues && !isExempt(target) && (followsBack || !flow.isBack(menu.key, target));
    const next = isFollowed ? callsByMenu.get(target) : undefined;
    const size = count(route, !continues) + (next?.size ?? 0);
    return { size, presses: isLength ? longest : shortest, next };
  };
  const targets = new Set([...flow.links.values()].flat());
  for (const key of flow.order) {
    const menu = targets.has(key) ? flow.menus.get(key) : undefined;
    if (menu === undefined) continue;
    for (const route of invariantRoutes(menu)) {
      const call = worstOn(menu, route, false);
      if (call.size > (callsByMenu.get(key)?.size ?? 0)) callsByMenu.set(key, call);
    }
  }
  return worstOn;
}
