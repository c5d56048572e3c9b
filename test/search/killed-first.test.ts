import { expect, test } from "vitest";
import { killAtEveryWrite } from "./every-write.ts";
import { findings, patience, seed, thorough } from "./settings.ts";

test(
  "the first apply keeps every promise if it is killed at any write",
  { timeout: patience },
  async () => {
    const searched = await killAtEveryWrite(seed, thorough, "first");
    expect(findings("killed-first", "killed at every write of the first apply", searched)).toBe("");
  },
);
