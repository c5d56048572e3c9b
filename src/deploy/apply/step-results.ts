import { isDeepStrictEqual } from "node:util";
import type { RecordedOutcome as StateOutcome, Pending, StateEvent } from "../../schema/state.ts";
import { phoneText } from "../../util/phone.ts";
import { recordingsIn } from "../../model/menu.ts";
import { groupBy } from "../../util/group-by.ts";
import { type FieldChange, isSameMenu } from "../../model/menu-diff.ts";
import { type Action, type ResultOutcome, actions, doneOutcome } from "../plan/changes/actions.ts";
import type { Plan } from "../plan/plan.ts";
import type { WaitsFor } from "../../schema/output/shared-fields.ts";
import { describeList } from "../listed/reconcile.ts";
import { byHand, recordEvents } from "../plan/steps/events.ts";
import { type Ref, isNumber, isOld, menuRef, nameIn, subjectRef } from "../../schema/ref.ts";
import { type SentOp, type Step, contentWithIds, isSent, ownerOf } from "../plan/steps/step.ts";
import type { Linked } from "../state/entries.ts";
import type { StateView } from "../state/state.ts";
import type { Outcome as Answer } from "../service/outcome.ts";
import { idOnRecord, liveRecords, menuRecord } from "../state/view.ts";
import type { StateProblem } from "../state/lock.ts";

export interface StepResult {
  readonly outcome: ResultOutcome;
  /** The HTTP status, if there was one. */
  readonly status: number | null;
  readonly message: string | null;
  /** How many times the request was sent in this run. */
  readonly attempts: number;
  /** What somebody changed on the console since the plan was made, if nothing was sent because of that. */
  readonly changed?: readonly FieldChange[];
}

/** What became of a menu or of a phone number, as it was recorded. */
export interface StepOutcome extends StepResult {
  readonly ref: Ref;
  /** What users read: the key of the menu, and its phone number if it is about one. */
  readonly key: string;
  readonly name: string;
  readonly action: Action;
  /** The menus whose ids it waits for. Only if it waits. */
  readonly waitsFor?: readonly WaitsFor[];
  /** The id on the service, if it is known and the service can list menus. */
  readonly id?: string;
  /** Why the links of a new menu are missing, if the update that adds them was not done. */
  readonly incomplete?: Pick<StepResult, "status" | "message">;
}

export interface Applied {
  /** One for every change, each followed by those of its phone numbers, in the order of the plan. */
  readonly results: readonly StepOutcome[];
  /** Why recording failed, if it did. */
  readonly problem: StateProblem | undefined;
  /** Outcomes that are known but could not be recorded, as far as this run knows. */
  readonly unrecorded: readonly Unrecorded[];
  /** Why the menus or the phone numbers of the service could not be listed, if that failed. */
  readonly listProblem?: string | undefined;
}

export interface Unrecorded {
  readonly key: string;
  /** The intent, which may be recorded or not. */
  readonly intent: Linked;
  readonly outcome: Answer;
  readonly attempts: number;
  /** Set if someone has recorded the menu as absent. */
  readonly superseded?: boolean;
}

/** A step before anything was done for it. */
export const untried: StepResult = {
  outcome: "not_attempted",
  status: null,
  message: null,
  attempts: 0,
};

/** The results of a plan before anything was done for it. The state may have changed since it was made. */
export function initialResults({ changes, held }: Plan, now?: StateView): StepOutcome[] {
  return changes.flatMap(({ ref, key, name, action, id, bind, waitsFor, ...change }) => {
    const { isLeft = false, outcome } = actions[action];
    const pending = change.pending ?? now?.records.get(ref)?.pending;
    const result: StepOutcome = {
      ref,
      key,
      name,
      action,
      ...untried,
      ...(isLeft && { outcome }),
      message: (action === "blocked" && held.find(({ refs }) => refs.includes(ref))?.words) || null,
      ...(id !== undefined && { id }),
      ...(action === "waiting" && { waitsFor }),
      ...(pending && openResult(pending)),
    };
    const numbers = bind.map(({ number }) => {
      const subject = { ref: `number:${number}` as const, key: resultKey(`number:${number}`, key) };
      return { ...subject, name, action: "bind" as const, ...untried };
    });
    return action === "bind" ? numbers : [result, ...numbers];
  });
}

/** What users read about a resource: a menu, or a phone number of it. */
function resultKey(ref: Ref, menu: string): string {
  return isNumber(ref) ? `${menu}: ${phoneText(nameIn(ref))}` : nameIn(ref);
}

/** What users read about the resource of a step. */
export function stepKey(step: Step): string {
  return resultKey(step.ref, nameIn(ownerOf(step)));
}

/** The result of a request whose outcome is not known. */
export function openResult({
  seen,
}: Pick<Pending, "seen">): Pick<StepOutcome, "outcome" | "status" | "message"> {
  return {
    outcome: "unknown",
    status: seen?.status ?? null,
    message: seen?.message ?? "no outcome was recorded",
  };
}

/** Whether apply has nothing to do. Only a person can do something about what it leaves alone. */
export function isIdle({ changes }: Plan): boolean {
  return changes.every(({ action }) => actions[action].isLeft);
}

/**
 * The steps that only wait for ids that a person can type, because the service lists no menus. Not if all
 * steps together are more creates than are allowed.
 */
export function stepsAwaitingIds({ steps, changes, list, can }: Plan): readonly Step[] {
  const isAwaited = ({ because }: WaitsFor) => because === "unidentified" || because === "sent";
  if (list !== undefined || !changes.some(({ waitsFor }) => waitsFor.some(isAwaited))) return [];
  const waiting = steps.filter(
    ({ holds }) => holds.length > 0 && holds.every(({ why }) => why === "waiting"),
  );
  const creates = steps.filter(({ op, holds }) => op === "create" && holds.length === 0);
  return creates.length + waiting.length > (can.maxCreates ?? Infinity) ? [] : waiting;
}

/** Whether applying the plan sends and records nothing, and asks for no ids. */
export function recordsNothing(plan: Plan, state: StateView): boolean {
  const isWaiting = plan.changes.some(({ action }) => action === "waiting");
  const events = [
    ...newTexts(plan, state),
    ...eventsWithoutRequest(plan),
    ...newNames(plan, state),
  ];
  return isIdle(plan) && !isWaiting && events.length === 0;
}

/** Whether something was not done, and the next apply may do it. */
export function isUnfinished({ outcome, incomplete }: StepOutcome): boolean {
  return incomplete !== undefined || outcome === "failed" || outcome === "not_attempted";
}

/** The events of the steps that need no request. What the lists prove comes first. */
export function eventsWithoutRequest({ steps, list, can, learned = [] }: Plan): StateEvent[] {
  const listed = list === undefined ? "" : describeList({ count: list.menus, at: list.at });
  return [
    ...learned.filter(({ kind }) => kind !== "changed-on-console"),
    ...steps
      .filter((step) => step.holds.length === 0 && !isDeferred(step))
      .flatMap((step) => recordEvents(step, listed, can)),
  ];
}

/** The records that stay as they are, but get new names. Nothing changes for callers. */
export function newNames({ desired, can }: Plan, state: StateView): StateEvent[] {
  return desired.flatMap(({ key, content }): StateEvent[] => {
    const { current, pending } = menuRecord(state, key) ?? {};
    if (!content || !current || pending || !can.targets.has(key)) return [];
    const known = contentWithIds({ menu: content }, (ref) => idOnRecord(state, ref));
    const now = "menu" in known ? known.menu : content;
    // What only follows from this is the order of options.
    const isNamed = isDeepStrictEqual(now, current.menu);
    const how = byHand(now, current, can);
    return isNamed || !isSameMenu(now, current.menu)
      ? []
      : [{ kind: "named", key, menu: now, ...how }];
  });
}

/** The texts of recordings that are new, or that are not recorded yet. Aliases that contradict each other say nothing. */
export function newTexts({ desired, can }: Plan, state: StateView): StateEvent[] {
  if (state.origin === null) return [];
  const inFiles = groupBy(
    desired.flatMap(({ key, content }) =>
      // A recording that apply makes says its text.
      (content ? recordingsIn(content) : []).flatMap((recording) =>
        recording.make ? [] : { key, recording },
      ),
    ),
    ({ recording }) => recording.id,
  );
  const onRecord = liveRecords(state).flatMap(({ ref, current }) =>
    isOld(ref) ? [] : recordingsIn(current.menu),
  );
  return [...inFiles].flatMap(([id, uses]): StateEvent[] => {
    const [says, ...more] = new Set(uses.flatMap(({ recording }) => recording.says ?? []));
    const { alias } = uses[0].recording;
    if (says === undefined || more.length > 0) return [];
    if (state.recordings.get(id)?.says === says) return [];
    if (!uses.some(({ key }) => can.targets.has(key))) return [];
    const was = onRecord.find((one) => one.id === id && one.says !== undefined)?.says;
    const names = { ...(alias !== undefined && { alias }), ...(was !== undefined && { was }) };
    return [{ kind: "text", recording: id, says, ...names }];
  });
}

/** The record of a menu that is created again stays until its request is sent. */
export function isDeferred({ op, after }: Step): boolean {
  return op === "drop" && after !== undefined;
}

/** The result of a menu or phone number, from those of its steps. */
export function resultFrom(
  initial: StepOutcome,
  steps: readonly Step[],
  results: ReadonlyMap<Step, StepResult>,
): StepOutcome {
  // What is left alone may have been moved all the same.
  if (actions[initial.action].isLeft) return initial;
  const sent = steps.filter(isSent);
  const recorded = steps.findLast((step) => !isSent(step) && step.op !== "match");
  const [first, second] = sent.length > 0 ? sent : [recorded];
  const result = { ...initial, ...(first && results.get(first)) };
  return second && result.outcome === "created" ? completedBy(result, results.get(second)) : result;
}

/** The result of a create with that of the update that completes the new menu. */
function completedBy(created: StepOutcome, update: StepResult = untried): StepOutcome {
  // A person has to resolve the update, and not the create.
  if (update.outcome === "unknown") return { ...created, ...update };
  if (update.outcome === "updated") return { ...created, ...update, outcome: "created" };
  const { status, message } = update;
  return { ...created, incomplete: { status, message: message ?? "the update was not sent" } };
}

/** The results with what became of the menus that the others wait for. */
export function withWaits(results: readonly StepOutcome[]): StepOutcome[] {
  const outcomes = new Map<Ref, ResultOutcome>(results.map(({ ref, outcome }) => [ref, outcome]));
  const reasonNow = (key: string) => {
    const outcome = outcomes.get(menuRef(key));
    if (outcome === "unknown") return outcome;
    const isMade = outcome === "created" || outcome === "moved" || outcome === "restored";
    return isMade ? "unidentified" : "absent";
  };
  const isPlanned = ({ key, because }: WaitsFor) =>
    because === "sent" || (because === "waiting" && reasonNow(key) === "unidentified");
  return results.map(({ waitsFor, ...result }) => ({
    ...result,
    ...(waitsFor && {
      waitsFor: waitsFor.map((one) =>
        isPlanned(one) ? { ...one, because: reasonNow(one.key) } : one,
      ),
    }),
  }));
}

/** The result of a step whose outcome a list shows. Undefined if the event is about something else. */
export function resolvedBy(
  step: Step,
  result: StepResult,
  event: StateOutcome,
): StepResult | undefined {
  if (subjectRef(event) !== step.ref) return undefined;
  const outcome = event.as === "done" ? doneOutcome(step) : "failed";
  const message = event.how === "answer" ? event.message : event.evidence;
  return { ...result, outcome, status: null, message };
}

/** The result of a request whose outcome could not be recorded. In the state it is unknown. */
export function unrecordedResult(
  doing: SentOp,
  { kind, status, message }: Answer,
  attempts: number,
): StepResult {
  const words = {
    done: `the service ${actions[doing].outcome} it`,
    failed: `the service did not ${doing} it`,
    "not-processed": "the service did not process it",
    unknown: "the outcome is unknown",
  }[kind];
  const why = `${words} (${message}), but this could not be recorded`;
  return { outcome: "unknown", status, message: why, attempts };
}
