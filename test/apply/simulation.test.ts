import fc from "fast-check";
import { expect, test } from "vitest";
import { runs } from "../support/runs.ts";
import {
  type Stats,
  type Story,
  answers,
  consoleEdits,
  keys,
  simulate,
  variants,
} from "./simulation.ts";

const turn = fc.record({
  edits: fc.array(
    fc.record({
      key: fc.constantFrom(...keys),
      to: fc.constantFrom(...variants),
      hasNumber: fc.boolean(),
    }),
    { maxLength: 4 },
  ),
  console: fc.array(
    fc.record({ what: fc.constantFrom(...consoleEdits), menu: fc.nat({ max: 3 }) }),
    { maxLength: 2 },
  ),
  saved: fc.option(fc.nat({ max: 4 })),
  killedAt: fc.option(fc.nat({ max: 80 })),
  arrivesLate: fc.boolean(),
  order: fc.array(fc.nat({ max: 3 }), { minLength: 1, maxLength: 20 }),
  answers: fc.array(fc.constantFrom("done" as const, ...answers), { minLength: 1, maxLength: 6 }),
  resolves: fc.boolean(),
});

const story: fc.Arbitrary<Story> = fc.record({
  hasOperations: fc.boolean(),
  turns: fc.array(turn, { minLength: 1, maxLength: 5 }),
});

test("no promise is broken if an apply is killed at any await, if answers are lost, and if saved plans are applied late", async () => {
  const stats: Stats = {
    kills: 0,
    killsInFlight: 0,
    unknown: 0,
    creates: 0,
    updates: 0,
    deletes: 0,
    binds: 0,
    consoleEdits: 0,
    reviewed: 0,
    stale: 0,
  };
  const seed = process.env["IVRCTL_SEED"];
  await fc.assert(
    fc.asyncProperty(story, (one) => simulate(one, stats)),
    { numRuns: runs(3000), ...(seed !== undefined && { seed: Number(seed) }) },
  );
  // The stories are only worth something if all of this happens in them.
  for (const count of Object.values(stats)) expect(count).toBeGreaterThan(0);
});
