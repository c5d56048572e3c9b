import { expect, test } from "vitest";
import { runs } from "../support/runs.ts";
import { type Stats, liveThrough } from "./worlds.ts";

test("no promise is broken in random worlds with crashes, lost answers, late requests and old lists", () => {
  const stats: Stats = { runs: 0, sends: 0, crashes: 0, stale: 0, refused: 0, continued: 0 };
  const first = Number(process.env["IVRCTL_SEED"] ?? 0);
  for (let seed = first; seed < first + runs(6000); seed += 1) {
    try {
      liveThrough(seed, stats);
    } catch (error) {
      throw new Error(`IVRCTL_SEED=${seed}`, { cause: error });
    }
  }
  // The worlds are only worth something if all of this happens in them.
  for (const count of Object.values(stats)) expect(count).toBeGreaterThan(0);
});
