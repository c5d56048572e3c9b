import { expect, test } from "vitest";
import { needs } from "../support/needs.ts";
import { search } from "./search.ts";
import { findings, only, patience, seconds, seed, startDatabase } from "./settings.ts";

needs("PostgreSQL");

test(
  "random histories with faults break no promise, in a database",
  { timeout: patience },
  async () => {
    const searched = await search({ seed, seconds, only, startServer: startDatabase });
    expect(findings("postgres", "random histories with faults, in a database", searched)).toBe("");
  },
);
