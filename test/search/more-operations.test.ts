import { expect, test } from "vitest";
import { searchMoreOperations } from "./more-operations.ts";
import { findings, only, patience, seconds, seed } from "./settings.ts";

test(
  "random histories of a service that can list and update break no promise",
  { timeout: patience },
  async () => {
    const searched = await searchMoreOperations({ seed, seconds, only });
    expect(findings("more-operations", "list and update, in files", searched)).toBe("");
  },
);
