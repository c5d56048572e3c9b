import type { BindResult } from "../../schema/output/apply.ts";
import type { WaitsFor } from "../../schema/plan.ts";
import type { Naming, Pending, StateEvent } from "../../schema/state.ts";
import type { Difference } from "../plan/digest.ts";
import {
  type Action,
  type Bind,
  type Change,
  type Plan,
  bindsOf,
  needsPerson,
  type subjectOf,
} from "../plan/plan.ts";
import type { StateView } from "../state/state.ts";
import type { Outcome } from "../service/outcome.ts";
import type { StateProblem } from "../state/store.ts";

export type { BindResult } from "../../schema/output/apply.ts";

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
  /** The menus whose ids it waits for. Only if it waits. */
  readonly waitsFor?: readonly WaitsFor[];
  /** The other menus that lead to the old menu, if it is replaced. */
  readonly ledBy?: readonly string[];
  /** The id on the service, if it is known and the service can list menus. */
  readonly id?: string;
  /** What somebody changed on the console since the plan was made, if nothing was sent because of that. */
  readonly changed?: readonly Difference[];
  /** The names of what these changes lead to. Absent if nothing was changed. */
  readonly naming?: Naming;
  /** Why the links of a new menu are missing, if the update that adds them was not done. */
  readonly incomplete?: Pick<Result, "status" | "message">;
  /** The phone numbers that the change binds. Absent if there are none. */
  readonly bind?: readonly BindResult[];
}

export const resultOutcomes = [
  "created",
  "updated",
  "bound",
  "deleted",
  "failed",
  "unknown",
  "not_attempted",
  "waiting",
  "moved",
  "forgotten",
  "restored",
  "missing",
  "drift",
] as const;
export type ResultOutcome = (typeof resultOutcomes)[number];

export interface Applied {
  /** One for every change, in the order of the plan. */
  readonly results: readonly Result[];
  /** Why recording failed, if it did. */
  readonly problem: StateProblem | undefined;
  /** Outcomes that are known but could not be recorded, as far as this run knows. */
  readonly unrecorded: readonly Unrecorded[];
  /** Why the menus of the service could not be listed, if that failed. */
  readonly listProblem?: string | undefined;
  /** Why its phone numbers could not be listed, if that failed. */
  readonly numbersProblem?: string | undefined;
  /** The new menus whose ids are not known, if the service can list menus. */
  readonly unidentified: readonly Unidentified[];
}

/** A new menu whose id is not known. */
export interface Unidentified {
  readonly key: string;
  /** If it is not `not-found`, the run ended before it looked for the menu in a list. */
  readonly why: "not-found" | "interrupted" | "stopped";
}

/** What a request does, if it succeeds. */
export type Done = "created" | "updated" | "deleted";

/** The outcome of a request. */
export type SentOutcome = Outcome<Done>;

export interface Unrecorded {
  readonly key: string;
  readonly followUpOf?: string | undefined;
  /** The digest of the payload that was sent. */
  readonly digest: string;
  readonly outcome: SentOutcome;
  readonly attempts: number;
  /** Set if someone has recorded the menu as absent, and its key has another request since. */
  readonly superseded?: boolean;
}

/** The results of a plan that was not applied. The state may have changed since it was made. */
export function untouched({ changes }: Plan, { keys }: StateView): Result[] {
  return changes.map((change) => {
    const pending = keys.get(change.key)?.pending;
    return pending ? { ...resultOf(change), ...openResult(pending) } : resultOf(change);
  });
}

/** Whether apply has nothing to do. Only a person can do something about what it leaves alone. */
export function isIdle({ changes, named }: Plan): boolean {
  return named.length === 0 && changes.every(needsPerson);
}

/** The result of a change before anything was done for it. */
export function resultOf(change: Change): Result {
  const { key, name, action } = change;
  const id = "id" in change ? { id: change.id } : {};
  const numbers = bindsOf(change).map(untried);
  const bind = numbers.length === 0 ? {} : { bind: numbers };
  const untouched = { key, name, action, status: null, message: null, attempts: 0, ...id, ...bind };
  switch (change.action) {
    case "unknown":
      return { ...untouched, ...openResult(change.pending) };
    case "waiting":
      return { ...untouched, outcome: "waiting", waitsFor: change.waitsFor };
    case "missing":
    case "drift":
      return { ...untouched, outcome: change.action };
    case "replace": {
      const { ledBy } = change;
      return { ...untouched, outcome: "not_attempted", ...(ledBy && { ledBy }) };
    }
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

/** The result of a create with that of the update that completes the new menu. */
export function completedBy(created: Result, update: Result): Result {
  const { outcome, status, message } = update;
  // A person has to resolve the update, and not the create.
  if (outcome === "unknown") return update;
  return outcome === "updated"
    ? { ...update, action: "create", outcome: "created" }
    : { ...created, incomplete: { status, message } };
}

/** The result of a phone number before anything was done for it. */
export function untried({ number, id, before, after }: Bind): BindResult {
  const outcome = "not_attempted";
  return { number, id, before, after, outcome, status: null, message: null, attempts: 0 };
}

/** A result with those of its phone numbers. If only they change, the worst of them is the result. */
export function withBinds(result: Result, bind: readonly BindResult[] | undefined): Result {
  if (bind === undefined) return result;
  if (result.action !== "bind") return { ...result, bind };
  const worst = (["unknown", "failed", "not_attempted"] as const).find((outcome) =>
    bind.some((one) => one.outcome === outcome),
  );
  return { ...result, outcome: worst ?? "bound", bind };
}

/** Whether the change of a menu, or one of its phone numbers, was not done, and the next apply may do it. */
export function isUnfinished({ outcome, incomplete, bind = [] }: Result): boolean {
  const outcomes = new Set([outcome, ...bind.map((one) => one.outcome)]);
  return incomplete !== undefined || outcomes.has("failed") || outcomes.has("not_attempted");
}

export function withId(result: Result, id: string | undefined): Result {
  return id === undefined ? result : { ...result, id };
}

/** An outcome with the word for what is done. */
export function sentOutcome(outcome: Outcome<"done">, done: Done): SentOutcome {
  return outcome.kind === "done" ? { ...outcome, kind: done } : outcome;
}

/** The event that records the outcome of a request. */
export function outcomeEvent(
  subject: ReturnType<typeof subjectOf>,
  outcome: SentOutcome,
): StateEvent {
  const { message } = outcome;
  return isDone(outcome)
    ? { kind: outcome.kind, ...subject, status: outcome.status, message }
    : { kind: outcome.kind, ...subject, status: outcome.status, message };
}

/** Whether the request succeeded. */
export function isDone(
  outcome: SentOutcome,
): outcome is Extract<SentOutcome, { readonly kind: Done }> {
  const { kind } = outcome;
  return kind === "created" || kind === "updated" || kind === "deleted";
}

/** The result of a request whose outcome could not be recorded. In the state it is unknown. */
export function unrecordedResult(
  change: Change,
  { kind, status, message }: SentOutcome,
  attempts: number,
): Result {
  return {
    ...resultOf(change),
    outcome: "unknown",
    status,
    message: `${outcomeWords(change.action, kind)} (${message}), but this could not be recorded`,
    attempts,
  };
}

/** What the service did, in words. */
function outcomeWords(action: Action, kind: SentOutcome["kind"]): string {
  switch (kind) {
    case "created":
      return "the service created it";
    case "updated":
      return "the service updated it";
    case "deleted":
      return "the service deleted it";
    case "failed":
      return `the service did not ${action === "update" || action === "delete" ? action : "create"} it`;
    case "not-processed":
      return "the service did not process it";
    case "unknown":
      return "the outcome is unknown";
  }
}
