import { expect, test } from "vitest";
import { searchRecordings } from "./recordings.ts";
import { findings, only, patience, seconds, seed } from "./settings.ts";

test(
  "random texts with faults make no recording twice and lose none",
  { timeout: patience },
  async () => {
    const searched = await searchRecordings(seed, seconds, only);
    expect(findings("recordings", "recordings from texts", searched)).toBe("");
  },
);
