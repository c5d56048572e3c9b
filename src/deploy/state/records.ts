import { type Destination, isSameTarget } from "../../model/menu.ts";
import { type Ref, menuRef, recordingRef } from "../../schema/ref.ts";
import type {
  Bound,
  Confirmed,
  Entry,
  FollowUp,
  RecordedOutcome,
  Pending,
  PendingBind,
  PendingRecording,
  Recorded,
  StateEvent,
} from "../../schema/state.ts";

/** Thrown for an event that contradicts the events before it. */
export class Contradiction extends Error {}

/** A request with an unknown outcome. */
export type OpenRequest = MenuRequest | PendingRecording;
/** One about a menu or a phone number. */
export type MenuRequest = Pending | PendingBind;

type Answer = Omit<Extract<RecordedOutcome, { how: "answer" }>, keyof Named | "kind">;
type Evidence = Omit<Extract<RecordedOutcome, { how: "person" | "list" }>, keyof Named | "kind">;

/** The number of an intent, and what it is about. */
interface Named {
  readonly intent: number;
  readonly key: string;
  readonly follow_up?: string;
  readonly number?: string;
  readonly recording?: true;
  readonly action: RecordedOutcome["action"];
}

export function outcomeEvent(
  { intent, key, follow_up, number, recording, action }: Named,
  how: Answer | Evidence,
): RecordedOutcome {
  const about = {
    kind: "outcome",
    intent,
    key,
    ...(follow_up !== undefined && { follow_up }),
    ...(number !== undefined && { number }),
    ...(recording && { recording }),
    action,
  } as const;
  return how.how === "answer" ? { ...about, ...how } : { ...about, ...how };
}

/** What an outcome says about the thing that was requested. */
export const outcomeNames = {
  create: { done: "created", "not-done": "absent" },
  replace: { done: "created", "not-done": "absent" },
  update: { done: "updated", "not-done": "not-updated" },
  delete: { done: "deleted", "not-done": "not-deleted" },
  bind: { done: "bound", "not-done": "not-bound" },
  record: { done: "created", "not-done": "absent" },
} as const satisfies Record<RecordedOutcome["action"], Record<"done" | "not-done", string>>;

/** An outcome in words: `created`, `not created` or `unknown`. */
export function outcomeText({ action, as }: Pick<RecordedOutcome, "action" | "as">): string {
  const { done } = outcomeNames[action];
  return as === "done" ? done : as === "not-done" ? `not ${done}` : as;
}

/** Whether a request is about a menu that exists, by its id. */
export function needsId({ action }: Pick<OpenRequest, "action">): boolean {
  return action === "update" || action === "delete";
}

/** What a request sent, or would have sent. */
export type SentContent = Pick<Pending, "menu" | "listed" | "by_hand" | "trial"> & {
  readonly action?: Pending["action"];
};

export type Confirmation = Confirmed["settled"];

export function toConfirmation(outcome: RecordedOutcome, by: string): Confirmation {
  return outcome.how === "answer"
    ? { how: "answered", status: outcome.status, message: outcome.message }
    : { how: "resolved", by, evidence: outcome.evidence };
}

/** Returns the record of a menu that is known to exist. */
export function confirmed(
  { menu, listed }: SentContent,
  createdAt: string,
  how: Confirmation,
): Confirmed {
  const before = listed === undefined ? {} : { listed };
  return { menu, created_at: createdAt, settled: how, ...before };
}

/** Returns the record of a new menu. Nobody has pointed a phone number to it yet. */
export function created(content: SentContent, createdAt: string, how: Confirmation): Confirmed {
  const record = confirmed(content, createdAt, how);
  return content.by_hand ? { ...record, pointed: [] } : record;
}

/** Returns a record before its menu gets other numbers: a person points these to it, or has not yet. */
export function pointedBefore(record: Confirmed, byHand: true | undefined): Confirmed {
  const { pointed = record.menu.numbers ?? [] } = record;
  return byHand ? { ...record, pointed } : record;
}

/** Returns the same record with new names. */
export function renamed(
  record: Confirmed,
  { menu, by_hand: byHand }: Extract<StateEvent, { kind: "named" }>,
): Confirmed {
  return { ...pointedBefore(record, byHand), menu };
}

/** Returns the record of a menu after an update in place. It is the same menu, with its id. */
export function updated(
  before: Confirmed,
  content: SentContent,
  updatedAt: string,
  how: Confirmation,
): Confirmed {
  return {
    ...before,
    ...confirmed(content, before.created_at, how),
    updated_at: updatedAt,
  };
}

/** Returns a record with its id. What was listed before its create is not needed any more. */
export function recordWithId(
  { listed: _, ...record }: Confirmed,
  { at, by }: Entry,
  { id, how, evidence }: Extract<StateEvent, { kind: "identified" }>,
): Confirmed {
  return { ...record, identified: { id, how, evidence, at, by } };
}

/** Returns a record whose phone number points to a different menu now. */
export function withoutNumber({ menu, ...record }: Confirmed, number: string): Confirmed {
  const { numbers = [], ...others } = menu;
  const left = numbers.filter((one) => one !== number);
  return { ...record, menu: left.length === 0 ? others : { ...others, numbers: left } };
}

/** What a number is bound to after a request. If a list denies the request, the list may lag behind. */
export function boundBy(
  { key, id, before, after }: PendingBind,
  last: Bound | null,
  isSure: boolean,
): Bound {
  const { to: targets = [], former: earlier = [] } = last ?? {};
  const isIn = (all: readonly (Destination | null)[], one: Destination | null) =>
    all.some((other) => isSameTarget(other, one));
  const to = isSure ? [after] : isIn(targets, after) ? targets : [...targets, after];
  const former = [...earlier, ...targets, before].filter(
    (one, at, all) => !isIn(to, one) && !isIn(all.slice(0, at), one),
  );
  return { key, id, to, former };
}

export function recordRef(record: Recorded): Ref {
  if (record.kind === "number") return `number:${record.number}`;
  if (record.kind === "recording") return recordingRef(record.key);
  return record.kind === "old" ? `old:${record.id}` : menuRef(record.key);
}

/** Returns a record after the menu of a key has moved. Follow-ups of a deleted file do not move with it. */
export function movedRecord(record: Recorded, from: string, key: string): Recorded {
  const moved = <T extends { readonly key: string }>(one: T | null) =>
    one?.key === from ? { ...one, key } : one;
  if (record.kind === "recording") return record;
  if (record.kind === "number") {
    return { ...record, current: moved(record.current), pending: moved(record.pending) };
  }
  const stays = record.key !== from || (record.kind === "old" && !movesWithRecord(record));
  return stays ? record : { ...record, key, pending: moved(record.pending) };
}

/** Whether a follow-up moves with the record of its key. */
export function movesWithRecord({ reason }: FollowUp): boolean {
  return reason !== "removed";
}

/** The message of an unknown outcome whose record is lacking. */
export const lostRecord = "the record was lost with the state";

/** Whether the message of an unknown outcome says that only the record is lacking. */
export function isLost(message: string | null | undefined): boolean {
  return message === lostRecord;
}
