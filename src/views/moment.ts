import type { StateView } from "../deploy/state/state.ts";

/** Which moment of which state; that before the first where there is none. */
export function momentOf(state: StateView | undefined): { lineage: string | null; serial: number } {
  return { lineage: state?.origin?.lineage ?? null, serial: state?.serial ?? 0 };
}
