import type { Diagnostics } from "../../diagnostics/diagnostic.ts";
import type { StateView } from "../state/state.ts";
import type { SavedPlan } from "./saved-plan.ts";

/** Reports a state that is older than the one of the plan, or lost. A state only grows. */
export function refuseBehind(
  { file, plan }: SavedPlan,
  { origin, serial }: StateView,
  diagnostics: Diagnostics,
): boolean {
  const then = plan.state;
  const isBehind =
    origin === null
      ? then.lineage !== null
      : origin.lineage === then.lineage && serial < then.serial;
  if (!isBehind) return false;
  diagnostics.addAt(
    "IVR628",
    { file },
    origin === null
      ? "The plan was made from a state, but there is no state here."
      : `The plan was made from serial ${then.serial} of the state, but this state is only at serial ${serial}.`,
    "Restore the newer state. This one does not have the menus that were created since. A new plan would create them again.",
  );
  return true;
}
