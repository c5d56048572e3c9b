import type {
  BoundNumber,
  Confirmed,
  Entry,
  Intent,
  KeyRecord,
  Origin,
  Outcome,
  Pending,
  PendingBind,
  StateEvent,
} from "../../schema/state.ts";
import { menuDestination } from "../../schema/wire.ts";
import type { StateView } from "./view.ts";

/** Thrown for an event that contradicts the events before it. */
export class Contradiction extends Error {}

/** A request with an unknown outcome. */
export type OpenRequest = Pending | PendingBind;

/** Returns the request of an intent, whose outcome is not known yet. */
export function openRequest({ seq, at }: Pick<Entry, "seq" | "at">, intent: Intent): OpenRequest {
  const open = { intent: seq, sent_at: at, seen: null };
  if (intent.action === "bind") {
    const { kind: _, ...request } = intent;
    return { ...request, ...open };
  }
  const { kind: _, ...request } = intent;
  return { ...request, ...open };
}

type Answer = Omit<Extract<Outcome, { how: "answer" }>, keyof Named | "kind">;
type Evidence = Omit<Extract<Outcome, { how: "person" | "list" }>, keyof Named | "kind">;

/** The number of an intent, and what it is about. */
interface Named {
  readonly intent: number;
  readonly key: string;
  readonly follow_up?: string;
  readonly number?: string;
  readonly action: Outcome["action"];
}

/** Returns the outcome of a request as an event. */
export function outcomeEvent(
  { intent, key, follow_up, number, action }: Named,
  how: Answer | Evidence,
): Outcome {
  const about = {
    kind: "outcome",
    intent,
    key,
    ...(follow_up !== undefined && { follow_up }),
    ...(number !== undefined && { number }),
    action,
  } as const;
  return how.how === "answer" ? { ...about, ...how } : { ...about, ...how };
}

/** Whether an outcome is about this request. */
export function fits(outcome: Named, request: Named): boolean {
  return (["intent", "key", "follow_up", "number", "action"] as const).every(
    (field) => outcome[field] === request[field],
  );
}

/** Refuses an intent that does not fit what is on record. */
export function refuseIntent(event: Intent, { keys, followUps, binds }: StateView): void {
  const { key, action } = event;
  const { current = null, pending = null } = keys.get(key) ?? {};
  if (action === "bind") {
    const id = current?.identified?.id;
    if (id === undefined || event.after !== menuDestination(id)) {
      throw new Contradiction(`${key} is not the menu that ${event.number} is bound to`);
    }
    if (binds.has(event.number)) throw new Contradiction(`${event.number} is already pending`);
    return;
  }
  if (event.follow_up !== undefined) {
    const followUp = followUps.get(event.follow_up);
    const shown = `follow-up ${event.follow_up}`;
    if (followUp === undefined) throw new Contradiction(`${shown} is not open`);
    if (followUp.key !== key) throw new Contradiction(`${shown} does not belong to ${key}`);
    if (followUp.pending) throw new Contradiction(`${shown} is already pending`);
    if (action === "delete" && followUp.record.identified) return;
    throw new Contradiction(`${shown} has no id to ${action}`);
  }
  if (pending) throw new Contradiction(`${key} is already pending`);
  if (action === "create" && current) throw new Contradiction(`${key} already has a record`);
  if (action !== "create" && !current) throw new Contradiction(`${key} has no record to ${action}`);
  if (needsId(event) && !current?.identified) {
    throw new Contradiction(`${key} has no id to ${action}`);
  }
}

/** What an outcome says about the thing that was requested. */
export const outcomeNames = {
  create: { done: "created", "not-done": "absent" },
  replace: { done: "created", "not-done": "absent" },
  update: { done: "updated", "not-done": "not-updated" },
  delete: { done: "deleted", "not-done": "not-deleted" },
  bind: { done: "bound", "not-done": "not-bound" },
} as const satisfies Record<Outcome["action"], Record<"done" | "not-done", string>>;

/** An outcome in words: `created`, `not created` or `unknown`. */
export function outcomeText({ action, as }: Pick<Outcome, "action" | "as">): string {
  const { done } = outcomeNames[action];
  return as === "done" ? done : as === "not-done" ? `not ${done}` : as;
}

/** Whether a request is about a menu that exists, by its id. */
export function needsId({ action }: Pick<Pending, "action">): boolean {
  return action === "update" || action === "delete";
}

/** What a request sent, or would have sent. */
export type Content = Pick<Pending, "payload" | "digest" | "naming" | "listed"> & {
  readonly action?: Pending["action"];
};

export type Confirmation = Confirmed["settled"];

/** Returns how an outcome confirms a menu. */
export function toConfirmation(outcome: Outcome, by: string): Confirmation {
  return outcome.how === "answer"
    ? { how: "answered", status: outcome.status, message: outcome.message }
    : { how: "resolved", by, evidence: outcome.evidence };
}

export function onlyOrigin({ id, environment, address, recovered }: Origin): Origin {
  return { id, environment, address, ...(recovered !== undefined && { recovered }) };
}

/** Returns the record of a menu that is known to exist. */
export function confirmed(
  { payload, digest, naming, listed }: Content,
  createdAt: string,
  how: Confirmation,
): Confirmed {
  const before = listed === undefined ? {} : { listed };
  return { payload, digest, naming, created_at: createdAt, settled: how, ...before };
}

/** Returns the record of a menu after an update in place. It is the same menu, with its id. */
export function updated(
  before: Confirmed,
  content: Content,
  updatedAt: string,
  how: Confirmation,
): Confirmed {
  return {
    ...before,
    ...confirmed(content, before.created_at, how),
    updated_at: updatedAt,
  };
}

/** Returns the record of a menu that somebody changed on the console to what its file says. */
export function changedOnConsole(
  before: Confirmed,
  { at, by }: Entry,
  { evidence, ...content }: Extract<StateEvent, { kind: "changed-on-console" }>,
): KeyRecord {
  return {
    current: updated(before, content, at, { how: "resolved", by, evidence }),
    pending: null,
  };
}

/** Returns a record with its id. What was listed before its create is not needed any more. */
export function withId(
  { listed: _, ...record }: Confirmed,
  { at, by }: Entry,
  { id, how, evidence }: Extract<StateEvent, { kind: "identified" }>,
): Confirmed {
  return { ...record, identified: { id, how, evidence, at, by } };
}

/** Returns a record whose phone number points to a different menu now. */
export function withoutNumber({ naming, ...record }: Confirmed, number: string): Confirmed {
  const { numbers = [], ...names } = naming;
  const left = numbers.filter((one) => one !== number);
  return { ...record, naming: left.length === 0 ? names : { ...names, numbers: left } };
}

/** What a number is bound to after a request. If a list denies the request, the list may lag behind. */
export function boundBy(
  { key, number, id, before, after }: PendingBind,
  last: Pick<BoundNumber, "to" | "former"> = { to: [], former: [] },
  isSure: boolean,
): BoundNumber {
  const to = new Set(isSure ? [after] : [...last.to, after]);
  const former = new Set([...last.former, ...last.to, before].filter((one) => !to.has(one ?? "")));
  return { key, number, id, to: [...to], former: [...former] };
}
