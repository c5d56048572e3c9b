import { expect, test } from "vitest";
import { search } from "./search.ts";
import { findings, only, patience, seconds, seed } from "./settings.ts";

test("random histories with faults break no promise, in files", { timeout: patience }, async () => {
  const searched = await search({ seed, seconds, only });
  expect(findings("file", "random histories with faults, in files", searched)).toBe("");
});
