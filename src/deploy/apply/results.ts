import type { Pending } from "../../schema/state.ts";
import type { Difference } from "../plan/digest.ts";
import { type Action, type Change, type Plan, isLeftAlone } from "../plan/plan.ts";
import type { StateView } from "../state/state.ts";

/** The result of one change, as it was recorded. */
export interface Result {
  readonly key: string;
  readonly name: string;
  readonly action: Action;
  readonly outcome: ResultOutcome;
  /** The HTTP status, if there was one. */
  readonly status: number | null;
  readonly message: string | null;
  /** How many times the request was sent in this run. */
  readonly attempts: number;
  /** The id on the service, if it is known and the service can list menus. */
  readonly id?: string;
  /** What somebody changed on the console since the plan was made, if nothing was sent because of that. */
  readonly changed?: readonly Difference[];
}

export const resultOutcomes = [
  "created",
  "updated",
  "failed",
  "unknown",
  "not_attempted",
  "moved",
  "forgotten",
  "restored",
  "missing",
  "drift",
] as const;
export type ResultOutcome = (typeof resultOutcomes)[number];

/** The results of a plan that was not applied. The state may have changed since it was made. */
export function untouched({ changes }: Plan, { keys }: StateView): Result[] {
  return changes.map((change) => {
    const pending = keys.get(change.key)?.pending;
    return pending ? { ...resultOf(change), ...openResult(pending) } : resultOf(change);
  });
}

/** Whether apply has nothing to do. Only a person can do something about what it leaves alone. */
export function isIdle({ changes, named }: Plan): boolean {
  return named.length === 0 && changes.every(isLeftAlone);
}

/** The result of a change before anything was done for it. */
export function resultOf(change: Change): Result {
  const { key, name, action } = change;
  const id = "id" in change ? { id: change.id } : {};
  const untouched = { key, name, action, status: null, message: null, attempts: 0, ...id };
  switch (change.action) {
    case "unknown":
      return { ...untouched, ...openResult(change.pending) };
    case "missing":
    case "drift":
      return { ...untouched, outcome: change.action };
    default:
      return { ...untouched, outcome: "not_attempted" };
  }
}

function openResult({ seen }: Pending): Pick<Result, "outcome" | "status" | "message"> {
  return {
    outcome: "unknown",
    status: seen?.status ?? null,
    message: seen?.message ?? "no outcome was recorded",
  };
}

export function outcomeWithoutRequest({ action }: Change): ResultOutcome {
  return action === "move" ? "moved" : action === "forget" ? "forgotten" : "restored";
}
