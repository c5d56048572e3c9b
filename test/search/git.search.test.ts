import { expect, test } from "vitest";
import { InBranch } from "./in-branch.ts";
import { search } from "./search.ts";
import { findings, only, patience, seconds, seed } from "./settings.ts";

test("nothing is lost or created twice on a git branch", { timeout: patience }, async () => {
  const startServer = async () => ({ store: () => InBranch.create(), close: async () => {} });
  const searched = await search({ seed, seconds, only, startServer });
  expect(findings("git", "on a git branch", searched)).toBe("");
});
