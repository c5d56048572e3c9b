import { type CallDestination, type CallMenu, type Walk, walk } from "./model.ts";
import type { CallTest } from "./tests.ts";

/** What came of one test. */
export interface TestResult {
  readonly key: string;
  readonly test: CallTest;
  readonly walk: Walk;
  /** What did not come as expected; nothing where the test has passed. */
  readonly misses: readonly Miss[];
}

type Miss = "reached" | "via" | "heard" | "steps" | "unused";

export function runTest(menu: CallMenu, test: CallTest): TestResult {
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
          // One recording may be named by its alias here and by its id there.
          expected.heard.some(({ id }, at) => id !== heard[at]?.id)),
    ],
    ["steps", expected.steps !== undefined && expected.steps !== steps.length],
    ["unused", unused.length > 0],
  ];
  return misses.flatMap(([miss, missed]) => (missed ? miss : []));
}

/** Whether a call that landed there has reached whom it should; a blocked agent is reached by nobody. */
export function isReached(wanted: CallDestination, landed: CallDestination): boolean {
  switch (landed.kind) {
    case "agent":
      return wanted.kind === "agent" && wanted.eid === landed.eid && !landed.blocked;
    case "other":
      return wanted.kind === "other" && wanted.name === landed.name && wanted.id === landed.id;
    case "nobody":
      return false;
  }
}

/** Whether anyone can be reached there: on the list, and not blocked. */
export function answers(destination: CallDestination): boolean {
  return destination.kind === "agent" ? !destination.blocked : destination.kind === "other";
}
