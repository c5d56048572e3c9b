import type { BindResult } from "../../schema/output/apply.ts";
import type { Outcome as StateOutcome, Pending, StateEvent } from "../../schema/state.ts";
import { phoneText } from "../../util/phone.ts";
import type { Difference } from "../plan/digest.ts";
import { type Action, type Change, needsPerson } from "../plan/changes.ts";
import type { Plan } from "../plan/plan.ts";
import type { WaitsFor } from "../../schema/output/common.ts";
import { describeList } from "../plan/reconcile.ts";
import { recordEvents } from "../plan/steps/events.ts";
import { isNumber, nameIn } from "../../schema/ref.ts";
import type { Kept, Step } from "../plan/steps/step.ts";
import type { Linked } from "../state/entries.ts";
import type { StateView } from "../state/state.ts";
import type { Outcome } from "../service/outcome.ts";
import type { StateProblem } from "../state/store.ts";

/** The kinds of requests that change something on the service. */
export type Kind = "create" | "update" | "bind" | "delete";

/** The request that a step needs. Undefined if it needs none. */
export function requestKind({ ref, op }: Pick<Step, "ref" | "op">): Kind | undefined {
  if (op === "record") return undefined;
  return isNumber(ref) ? "bind" : op;
}

/** The outcomes of steps that are done, by the request or by what is recorded. */
export const doneOutcomes = {
  create: "created",
  update: "updated",
  bind: "bound",
  delete: "deleted",
  moved: "moved",
  removed: "forgotten",
  dropped: "forgotten",
  restored: "restored",
  matched: "updated",
} as const satisfies Readonly<Record<Kind | Kept, string>>;

/** The outcome of a step if it is done. */
export function doneOutcome(step: Step): ResultOutcome {
  return doneOutcomes[requestKind(step) ?? step.event ?? "dropped"];
}

/** What became of a step. */
export interface StepResult {
  readonly outcome: ResultOutcome;
  /** The HTTP status, if there was one. */
  readonly status: number | null;
  readonly message: string | null;
  /** How many times the request was sent in this run. */
  readonly attempts: number;
  /** What somebody changed on the console since the plan was made, if nothing was sent because of that. */
  readonly changed?: readonly Difference[];
}

/** The result of one change, as it was recorded. */
export interface Result extends StepResult {
  readonly key: string;
  readonly name: string;
  readonly action: Action;
  /** The menus whose ids it waits for. Only if it waits. */
  readonly waitsFor?: readonly WaitsFor[];
  /** The id on the service, if it is known and the service can list menus. */
  readonly id?: string;
  /** Why the links of a new menu are missing, if the update that adds them was not done. */
  readonly incomplete?: Pick<Result, "status" | "message">;
  /** The phone numbers that the change binds. Absent if there are none. */
  readonly bind?: readonly BindResult[];
}

const none = {
  created: 0,
  updated: 0,
  bound: 0,
  deleted: 0,
  failed: 0,
  unknown: 0,
  not_attempted: 0,
  waiting: 0,
  moved: 0,
  forgotten: 0,
  restored: 0,
  missing: 0,
  drift: 0,
};
export type ResultOutcome = keyof typeof none;

/** The number of results of each kind, in the order in which summaries list them. */
export function countOutcomes(
  results: readonly Pick<Result, "outcome">[],
): Readonly<Record<ResultOutcome, number>> {
  const counts = { ...none };
  for (const { outcome } of results) counts[outcome] += 1;
  return counts;
}

export interface Applied {
  /** One for every change, in the order of the plan. */
  readonly results: readonly Result[];
  /** Why recording failed, if it did. */
  readonly problem: StateProblem | undefined;
  /** Outcomes that are known but could not be recorded, as far as this run knows. */
  readonly unrecorded: readonly Unrecorded[];
  /** Why the menus or the phone numbers of the service could not be listed, if that failed. */
  readonly listProblem?: string | undefined;
}

export interface Unrecorded {
  /** The key of the result. */
  readonly key: string;
  /** The intent, which may be recorded or not. */
  readonly intent: Linked;
  readonly outcome: Outcome;
  readonly attempts: number;
  /** Set if someone has recorded the menu as absent, and its key has another request since. */
  readonly superseded?: boolean;
}

/** The results of a plan that was not applied. The state may have changed since it was made. */
export function untouched({ changes }: Plan, { records }: StateView): Result[] {
  return changes.map((change) => {
    const pending = records.get(change.ref)?.pending;
    return pending ? { ...initialResult(change), ...openResult(pending) } : initialResult(change);
  });
}

/** Whether apply has nothing to do. Only a person can do something about what it leaves alone. */
export function isIdle({ changes, named }: Plan): boolean {
  return named.length === 0 && changes.every(needsPerson);
}

/** A step before anything was done for it. */
export const untried: StepResult = {
  outcome: "not_attempted",
  status: null,
  message: null,
  attempts: 0,
};

/** The result of a change before anything was done for it. */
export function initialResult(change: Change): Result {
  const { key, name, action, id, bind, pending, waitsFor } = change;
  const untouched: Result = {
    key,
    name,
    action,
    ...untried,
    message: action === "blocked" ? blockedWords : null,
    ...(id !== undefined && { id }),
    ...(bind.length > 0 && { bind: bindResults(change, () => undefined) }),
  };
  if (pending) return { ...untouched, ...openResult(pending) };
  if (action === "waiting") return { ...untouched, outcome: action, waitsFor };
  return action === "missing" || action === "drift" ? { ...untouched, outcome: action } : untouched;
}

const blockedWords = "it names an agent who is blocked and gets no calls";

/** The result of a request whose outcome is not known. */
export function openResult({
  seen,
}: Pick<Pending, "seen">): Pick<Result, "outcome" | "status" | "message"> {
  return {
    outcome: "unknown",
    status: seen?.status ?? null,
    message: seen?.message ?? "no outcome was recorded",
  };
}

/** The events of the steps that need no request. What the lists prove comes first. */
export function eventsWithoutRequest({ steps, list, learned = [], named }: Plan): StateEvent[] {
  const listed = list === undefined ? "" : describeList({ count: list.menus, at: list.at });
  return [
    ...learned.filter(({ kind }) => kind !== "changed-on-console"),
    ...steps
      .filter((step) => step.holds.length === 0 && !isDeferred(step))
      .flatMap((step) => recordEvents(step, listed)),
    ...named.map(({ key, naming }) => ({ kind: "named", key, naming }) as const),
  ];
}

/** The record of a menu that is created again stays until its request is sent. */
export function isDeferred({ event, after }: Step): boolean {
  return event === "dropped" && after !== undefined;
}

/** The result of a change, from those of its steps. `stepFor` returns the step of a phone number. */
export function resultFrom(
  change: Change,
  own: readonly Step[],
  results: ReadonlyMap<Step, StepResult>,
  stepFor: (number: string) => Step | undefined,
): Result {
  const untouched = initialResult(change);
  const sent = own.filter(({ op }) => op !== "record");
  const recorded = own.findLast((step) => step.event && step.event !== "matched");
  const [first, second] = sent.length > 0 ? sent : [recorded];
  const main = first && results.get(first);
  const result =
    main && second ? completedBy({ ...untouched, ...main }, results.get(second)) : main;
  const binds = bindResults(change, (number) => {
    const step = stepFor(number);
    return step && results.get(step);
  });
  if (binds.length === 0) return { ...untouched, ...result };
  // If only phone numbers change, the worst of them is the result.
  const worst = (["unknown", "failed", "not_attempted"] as const).find((outcome) =>
    binds.some((one) => one.outcome === outcome),
  );
  const outcome = change.action === "bind" ? { outcome: worst ?? ("bound" as const) } : {};
  return { ...untouched, ...result, ...outcome, bind: binds };
}

/** The result of a create with that of the update that completes the new menu. */
function completedBy(created: Result, update: StepResult | undefined): Result {
  if (created.outcome !== "created") return created;
  // A person has to resolve the update, and not the create.
  if (update?.outcome === "unknown") return { ...created, ...update };
  if (update?.outcome === "updated") return { ...created, ...update, outcome: "created" };
  const { status, message } = update ?? untried;
  return { ...created, incomplete: { status, message: message ?? "the update was not sent" } };
}

function bindResults(
  { bind }: Change,
  resultFor: (number: string) => StepResult | undefined,
): BindResult[] {
  return bind.map(({ number, id, before, after }) => {
    const { outcome, status, message, attempts } = resultFor(number) ?? untried;
    const own =
      outcome === "bound" || outcome === "failed" || outcome === "unknown"
        ? outcome
        : "not_attempted";
    return { number, id, before, after, outcome: own, status, message, attempts };
  });
}

/** Whether the change of a menu, or one of its phone numbers, was not done, and the next apply may do it. */
export function isUnfinished({ outcome, incomplete, bind = [] }: Result): boolean {
  const outcomes = new Set([outcome, ...bind.map((one) => one.outcome)]);
  return incomplete !== undefined || outcomes.has("failed") || outcomes.has("not_attempted");
}

/** The result of a step whose outcome a list shows. Undefined if the event is about something else. */
export function resolvedBy(
  step: Step,
  result: StepResult,
  event: StateOutcome,
): StepResult | undefined {
  const { key, follow_up: followUp, number } = event;
  const about = number ? `number:${number}` : followUp ? `old:${followUp}` : `menu:${key}`;
  if (about !== step.ref) return undefined;
  const outcome = event.as === "done" ? doneOutcome(step) : "failed";
  const message = event.how === "answer" ? event.message : event.evidence;
  return { ...result, outcome, status: null, message };
}

/** The result of a request whose outcome could not be recorded. In the state it is unknown. */
export function unrecordedResult(
  doing: Kind,
  { kind, status, message }: Outcome,
  attempts: number,
): StepResult {
  const words = {
    done: `the service ${doneOutcomes[doing]} it`,
    failed: `the service did not ${doing} it`,
    "not-processed": "the service did not process it",
    unknown: "the outcome is unknown",
  }[kind];
  const why = `${words} (${message}), but this could not be recorded`;
  return { outcome: "unknown", status, message: why, attempts };
}

/** What the progress of a run calls a step: a menu, or a phone number of it. */
export function progressLabel({ ref, needs: [menu = ref] }: Step): string {
  return isNumber(ref) ? `${nameIn(menu)}: ${phoneText(nameIn(ref))}` : nameIn(ref);
}
