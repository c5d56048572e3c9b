import { type Violation, findViolations } from "../../call/invariants.ts";
import {
  type CallMenus,
  type Walk,
  answers,
  isReached,
  silence,
  walk,
} from "../../call/simulated-call.ts";
import type { Coverage } from "../../call/suites.ts";
import { type CallTest, type Expected, nameFor } from "../../call/tests.ts";
import type { DeadEnd, Reach } from "../../call/dead-ends.ts";
import type { LoadedProject } from "../../workspace/load-project.ts";
import type { Diagnostic } from "../../diagnostics/diagnostic.ts";
import type { Span } from "../../diagnostics/source.ts";
import { nameOfDestination } from "../../call/describe-call.ts";
import {
  type CallLine,
  callEndLine,
  describeDestination,
  expectedLine,
  failedLine,
  stepLines,
} from "../call-lines.ts";
import { many } from "../../util/many.ts";
import { phoneText } from "../../util/phone.ts";
import type { CallDestination, CallMenu, Press } from "../../model/call-menu.ts";

/** What a run of the tests found. */
export interface TestReport {
  /** The tests, then the calls that break an invariant. */
  readonly calls: readonly Reported[];
  /** The number of invariants that were checked. */
  readonly invariants: number;
  /** Menus whose tests were not run. */
  readonly notRun: readonly string[];
  /** Undefined unless it was asked for. */
  readonly coverage: Coverage | undefined;
  readonly diagnostics: readonly Diagnostic[];
  /** Where the calls of a service go. */
  readonly reach?: Reach | undefined;
}

/** A test, or an invariant that a menu breaks. */
export interface Reported {
  readonly key: string;
  readonly name: string;
  /** The name of a failed test and why it failed: `key 3 should reach Asha Rao, reaches Ravi Kumar`. */
  readonly verdict?: string | undefined;
  readonly file: string;
  readonly line: number;
  /** What a test expects. Undefined for an invariant. */
  readonly expected: Expected | undefined;
  readonly walk: Walk;
  /** The call step by step, with what was expected; undefined if it passed. */
  readonly failed: readonly CallLine[] | undefined;
}

export interface Tested extends Pick<LoadedProject, "tests" | "flow"> {
  readonly reach?: Reach | undefined;
  /** Where the service is configured. */
  readonly place?: Span | undefined;
}

/**
 * Runs the tests and checks the invariants. On the service, a call that reaches nobody breaks one, too.
 * Leaves out coverage and diagnostics.
 */
export function testReport({ tests, flow, reach, place }: Tested): TestReport {
  const { suites, invariants, notRun } = tests;
  const menus = suites.map(({ menu }) => menu);
  const calls = [
    ...(place && reach
      ? reach.deadEnds.slice(0, mostDead).map((end) => deadCall(end, place, flow.menus))
      : []),
    ...suites.flatMap((suite) => suite.tests.map((test) => runTest(suite.menu, test, flow.menus))),
    ...invariants.flatMap((invariant) => findViolations(menus, invariant, flow)).map(brokenCall),
  ];
  const count = invariants.length + (reach?.starts ? 1 : 0);
  return { calls, invariants: count, notRun, coverage: undefined, diagnostics: [], reach };
}

/** How many calls that reach nobody are shown. */
const mostDead = 50;

/** Returns the tests that failed and the invariants that are broken. */
export function failedIn({ calls }: TestReport): Reported[] {
  return calls.filter(({ failed }) => failed !== undefined);
}

export function expectedText(lines: readonly CallLine[]): string {
  return lines.flatMap((line) => (line.expected ? line.text : [])).join("; ");
}

function runTest(menu: CallMenu, { name, at, press, expected }: CallTest, menus: CallMenus) {
  const walked = walk(menu, press, menus);
  const { state: end, heard, steps, unused } = walked;
  const { reached, via, in: inMenu } = expected;
  const missed = [
    reached && !isReached(reached, end.destination) ? reachWords(reached, end.destination) : [],
    via === undefined || via === end.via ? [] : `should end ${ends[via]}, ends ${ends[end.via]}`,
    inMenu === undefined || inMenu === walked.in
      ? []
      : `should get to menu ${inMenu}, gets to menu ${walked.in}`,
    (expected.steps ?? steps.length) === steps.length
      ? []
      : `should take ${many(expected.steps ?? 0, "step")}, takes ${steps.length}`,
    unused.length === 0 ? [] : `should go on until ${keyWords(unused)}, but the call has ended`,
  ].flat();
  // A test may name a recording by its alias and the menu by its id.
  const { heard: wanted = heard } = expected;
  const isHeard =
    wanted.length === heard.length && wanted.every(({ id }, n) => id === heard[n]?.id);
  const why = missed.length === 0 ? [] : `${keyWords(press)} ${missed.join("; ")}`;
  const failed =
    isHeard && missed.length === 0
      ? undefined
      : [
          ...stepLines(walked, isHeard ? undefined : wanted),
          callEndLine(walked),
          ...[why].flat().map(failedLine),
        ];
  // A test without a name has its keys as name, which are in the reason too.
  const verdict = [name.startsWith(nameFor(press)) && missed.length > 0 ? [] : name, why];
  return {
    key: menu.key,
    name,
    verdict: failed && verdict.flat().join(": "),
    ...placeOf(at),
    expected,
    walk: walked,
    failed,
  };
}

/** How a call ends, in the words of a failed test. */
const ends = { option: "with a key", invalid: "after wrong keys", timeout: "after silence" };

/** `key 3`, `keys 9, 9` or `silence`. */
function keyWords(keys: readonly Press[]): string {
  const words = keys.map((key) => (key === silence ? "silence" : key));
  if (words.length > 1) return `keys ${words.join(", ")}`;
  return words.length === 0 || keys[0] === silence ? "silence" : `key ${words.join("")}`;
}

/** Who should answer, and who does. A blocked agent gets no calls, so the words say what has to change. */
function reachWords(wanted: CallDestination, actual: CallDestination): string {
  const isSame = nameOfDestination(wanted) === nameOfDestination(actual);
  const words = (destination: CallDestination) =>
    answers(destination) && !isSame
      ? nameOfDestination(destination)
      : describeDestination(destination);
  const who =
    wanted.kind === "agent" && wanted.blocked
      ? `${words({ ...wanted, blocked: false })}, who must not be blocked`
      : words(wanted);
  return `should reach ${who}, reaches ${words(actual)}`;
}

function brokenCall({ key, invariant, walk: walked, expected }: Violation): Reported {
  const { name, at } = invariant;
  const failed = [...stepLines(walked), callEndLine(walked), expectedLine(expected)];
  return { key, name, ...placeOf(at), expected: undefined, walk: walked, failed };
}

function deadCall({ menu, number, presses }: DeadEnd, place: Span, menus: CallMenus): Reported {
  const walked = walk(menu, presses, menus);
  const from = number === undefined ? "" : ` of ${phoneText(number)}`;
  return {
    key: menu.key,
    name: `every call${from} reaches somebody`,
    ...placeOf(place),
    expected: undefined,
    walk: walked,
    failed: [...stepLines(walked), callEndLine(walked), expectedLine("reaches somebody")],
  };
}

function placeOf({ source, start }: Span): { file: string; line: number } {
  return { file: source.file, line: source.position(start).line };
}
