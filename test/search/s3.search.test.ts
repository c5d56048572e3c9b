import { expect, test } from "vitest";
import { needs } from "../support/needs.ts";
import { search } from "./search.ts";
import { findings, only, patience, seconds, seed, startBucket } from "./settings.ts";

needs("radosgw", "curl");

test(
  "random histories with faults break no promise, in an object store",
  { timeout: patience },
  async () => {
    const searched = await search({ seed, seconds, only, startServer: startBucket });
    expect(findings("s3", "random histories with faults, in an object store", searched)).toBe("");
  },
);
