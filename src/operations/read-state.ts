import type { StepOutcome } from "../deploy/apply/step-results.ts";
import { type Progress, planProgress } from "../deploy/matters/plan-progress.ts";
import type { SavedPlan } from "../deploy/plan/saved/plan-file.ts";
import { reporting } from "../deploy/state/access.ts";
import type { StateStore } from "../deploy/state/log/state-store.ts";
import { openState } from "../deploy/state/open-store.ts";
import { Diagnostics } from "../diagnostics/diagnostic.ts";
import type { Caller } from "./caller.ts";

/** What the state says about a plan now. Undefined if it cannot be read. */
export function readProgress(
  caller: Caller,
  saved: SavedPlan,
  results: readonly StepOutcome[],
): Promise<Progress | undefined> {
  return readFromState(caller, async (store) => {
    const { state } = await store.read();
    return planProgress(saved, { state, history: await store.history() }, results);
  });
}

/** Reads something from the state. Undefined if that is not possible. */
export async function readFromState<T>(
  caller: Caller,
  read: (store: StateStore) => Promise<T>,
): Promise<T | undefined> {
  const found = new Diagnostics();
  const { store } = await openState(caller, found);
  return store && reporting(store, found, () => read(store));
}
