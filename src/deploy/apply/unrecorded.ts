import type { Rescue } from "../../schema/rescue.ts";
import type { Entry } from "../../schema/state.ts";
import { type Run, createStatus } from "../state/rescue.ts";
import type { StateView } from "../state/state.ts";
import {
  type Applied,
  type Result,
  type ResultOutcome,
  type Unrecorded,
  isDone,
} from "./results.ts";

/** The content of a rescue file. Undefined if everything was recorded, or if the state never began. */
export function rescueContent(
  unrecorded: readonly Unrecorded[],
  { origin }: StateView,
  { id, by, since }: Run,
  until: string,
): Rescue | undefined {
  if (origin === null || unrecorded.length === 0) return undefined;
  const outcomes = unrecorded.map((one): Rescue["outcomes"][number] => {
    const { digest, outcome } = one;
    const about = { ...one.subject, digest, message: outcome.message };
    return isDone(outcome)
      ? { kind: outcome.kind, status: outcome.status, ...about }
      : { kind: outcome.kind, status: outcome.status, ...about };
  });
  const { id: state, environment } = origin;
  return { rescue: 1, environment, state, run: id, by, since, until, outcomes };
}

/**
 * Corrects the results of an apply by the history. An event that the store did not
 * acknowledge may be stored or not, and a person may have resolved the key since.
 */
export function correctedByHistory(
  applied: Applied,
  rescue: Rescue,
  history: readonly Entry[],
): Applied {
  const actions = new Map(applied.results.map(({ key, action }) => [key, action]));
  const corrections = new Map<string, Partial<Result>>();
  const unrecorded = applied.unrecorded.flatMap((one): Unrecorded[] => {
    const { key, subject, digest, outcome, attempts } = one;
    const { kind, status, message } = outcome;
    const own = { key: subject.key, followUp: subject.follow_up, digest };
    const fate = createStatus(own, rescue, history);
    if (isDone(outcome)) {
      if (fate.kind === "pending" || fate.kind === "missing") return [one];
      corrections.set(key, { outcome: outcome.kind, status, message });
      // If an update or a delete is not on record, the next plan compares with what the service has.
      return kind === "created" && fate.kind === "absent"
        ? [{ ...one, superseded: fate.another !== undefined }]
        : [];
    }
    if (fate.kind === "pending") return [one];
    corrections.set(
      key,
      kind === "not-processed" && attempts === 0
        ? { outcome: "not_attempted", status: null, message: null }
        : {
            outcome: fate.kind === "created" ? doneBy(actions.get(key)) : "failed",
            status,
            message,
          },
    );
    return [];
  });
  return {
    ...applied,
    results: applied.results.map((result) => ({ ...result, ...corrections.get(result.key) })),
    unrecorded,
  };
}

function doneBy(action: Result["action"] | undefined): ResultOutcome {
  return action === "update" ? "updated" : action === "delete" ? "deleted" : "created";
}
