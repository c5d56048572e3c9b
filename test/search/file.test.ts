import { expect, test } from "vitest";
import { killAtEveryWrite } from "./every-write.ts";
import { search } from "./search.ts";
import { findings, only, patience, seconds, seed, thorough } from "./settings.ts";
import { pushKilledAtEveryWrite } from "./transfers.ts";

const options = { timeout: patience };

test.runIf(only === undefined).each(["first", "later", "updating"] as const)(
  "the %s apply keeps every promise if it is killed at any write",
  options,
  async (which) => {
    const searched = await killAtEveryWrite(seed, thorough, which);
    expect(findings("file", `killed at every write of the ${which} apply`, searched)).toBe("");
  },
);

test("random histories with faults break no promise, in files", options, async () => {
  const searched = await search({ seed, seconds, only });
  expect(findings("file", "random histories with faults, in files", searched)).toBe("");
});

test.runIf(only === undefined)(
  "state push keeps every promise if it is killed at any write",
  options,
  async () => {
    const searched = await pushKilledAtEveryWrite(seed, thorough);
    expect(findings("file", "state push, killed at every write", searched)).toBe("");
  },
);
