import { expect, test } from "vitest";
import { killAtEveryWrite } from "./every-write.ts";
import { findings, patience, seed, thorough } from "./settings.ts";

test(
  "a later apply keeps every promise if it is killed at any write",
  { timeout: patience },
  async () => {
    const searched = await killAtEveryWrite(seed, thorough, "later");
    expect(findings("killed-later", "killed at every write of a later apply", searched)).toBe("");
  },
);
