import type { Rescue } from "../../schema/rescue.ts";
import type { Linked } from "../state/entries.ts";
import { intentFate } from "../state/rescue.ts";
import type { StateView } from "../state/state.ts";
import { answerEvent } from "./attempt.ts";
import { type Applied, type Result, type Unrecorded, doneBy } from "./results.ts";

/** The content of a rescue file. Undefined if everything was recorded, or if the state never began. */
export function rescueContent(
  unrecorded: readonly Unrecorded[],
  { origin }: StateView,
  run: string,
  at: string,
): Rescue | undefined {
  if (origin === null || unrecorded.length === 0) return undefined;
  const { id: state, environment } = origin;
  return { rescue: 2, environment, state, run, at, outcomes: unrecorded.map(rescued) };
}

function rescued({ intent, outcome }: Unrecorded): Rescue["outcomes"][number] {
  return { sum: intent.head, outcome: answerEvent(intent, outcome) };
}

/**
 * Corrects the results of an apply by the history. An event that the store did not
 * acknowledge may be stored or not, and a person may have resolved the key since.
 */
export function correctedByHistory(applied: Applied, history: readonly Linked[]): Applied {
  const corrections = new Map<string, Partial<Result>>();
  const unrecorded = applied.unrecorded.flatMap((one): Unrecorded[] => {
    const { key, outcome, attempts } = one;
    const { kind, status, message } = outcome;
    const { action } = rescued(one).outcome;
    const { as, since } = intentFate(rescued(one), history);
    const isPending = as === "pending" || as === "unknown";
    const done = doneBy[action === "replace" ? "create" : action];
    if (kind === "done") {
      if (isPending || as === "missing") return [one];
      corrections.set(key, { outcome: done, status, message });
      // If an update or a delete is not on record, the next plan compares with what the service has.
      const isLate = done === "created" && as === "not-done";
      return isLate ? [{ ...one, superseded: since !== undefined }] : [];
    }
    if (isPending) return [one];
    corrections.set(
      key,
      kind === "not-processed" && attempts === 0
        ? { outcome: "not_attempted", status: null, message: null }
        : { outcome: as === "done" ? done : "failed", status, message },
    );
    return [];
  });
  return {
    ...applied,
    results: applied.results.map((result) => ({ ...result, ...corrections.get(result.key) })),
    unrecorded,
  };
}
