import { expect, test } from "vitest";
import { findings, patience, seed, thorough } from "./settings.ts";
import { pushKilledAtEveryWrite } from "./transfers.ts";

test(
  "state push keeps every promise if it is killed at any write",
  { timeout: patience },
  async () => {
    const searched = await pushKilledAtEveryWrite(seed, thorough);
    expect(findings("killed-push", "state push, killed at every write", searched)).toBe("");
  },
);
