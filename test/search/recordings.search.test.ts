import { expect, test } from "vitest";
import { needs } from "../support/needs.ts";
import { InBranch } from "./in-branch.ts";
import { searchRecordings } from "./recordings.ts";
import { findings, only, patience, seconds, seed, startBucket, startDatabase } from "./settings.ts";

needs("PostgreSQL", "radosgw", "curl");

const startBranch = async () => ({ store: () => InBranch.create(), close() {} });

test.concurrent.each([
  ["in files", undefined],
  ["on a git branch", startBranch],
  ["in a database", startDatabase],
  ["in an object store", startBucket],
])(
  "random texts with faults make no recording twice and lose none, %s",
  { timeout: patience },
  async (where, startServer) => {
    const searched = await searchRecordings({ seed, seconds, only, startServer });
    expect(findings("recordings", `recordings from texts, ${where}`, searched)).toBe("");
  },
);
