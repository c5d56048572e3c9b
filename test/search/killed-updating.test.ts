import { expect, test } from "vitest";
import { killAtEveryWrite } from "./every-write.ts";
import { findings, patience, seed, thorough } from "./settings.ts";

test(
  "an apply that updates menus keeps every promise if it is killed at any write",
  { timeout: patience },
  async () => {
    const searched = await killAtEveryWrite(seed, thorough, "updating");
    expect(
      findings("killed-updating", "killed at every write of an apply that updates menus", searched),
    ).toBe("");
  },
);
