import { expect, test } from "vitest";
import { StateStore } from "../../src/deploy/state/log/state-store.ts";
import { moveState } from "../../src/deploy/state/transfer.ts";
import { Contradiction } from "../../src/deploy/state/records.ts";
import { StoreUnavailable } from "../../src/deploy/state/retry.ts";
import { StateProblem } from "../../src/deploy/state/lock.ts";
import { runs } from "../support/runs.ts";
import { count, round } from "./log-simulation.ts";

const modules = { StateStore, moveState, Contradiction, StoreUnavailable, StateProblem };

/** IVRCTL_SEED repeats one round, IVRCTL_ROUNDS runs more of them. */
const { IVRCTL_SEED: seed = "1", IVRCTL_ROUNDS: rounds = String(runs(1500)) } = process.env;

test("no promise is broken by crashes, suspended runs, lost answers, late requests, unlocks and moves", async () => {
  const first = Number(seed);
  const before = count.rounds;
  const last = process.env["IVRCTL_SEED"] ? first : first + Number(rounds) - 1;
  for (let at = first; at <= last; at += 1) {
    await round(at, modules).catch((error: unknown) => {
      throw new Error(`IVRCTL_SEED=${at}: ${String(error)}`, { cause: error });
    });
  }
  console.log(JSON.stringify(count));
  expect(count.rounds - before).toBe(last - first + 1);
});
