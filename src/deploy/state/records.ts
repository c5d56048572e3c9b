import type {
  Confirmed,
  Entry,
  KeyRecord,
  Origin,
  Pending,
  StateEvent,
} from "../../schema/state.ts";

/** What a request sent, or would have sent. */
export type Content = Pick<Pending, "payload" | "digest" | "naming" | "listed"> & {
  readonly action?: Pending["action"];
};

export type Confirmation = Confirmed["settled"];

export function onlyOrigin({ id, environment, address, recovered }: Origin): Origin {
  return { id, environment, address, ...(recovered !== undefined && { recovered }) };
}

/** Returns the request of an intent, whose outcome is not known yet. */
export function pendingRequest(
  { at }: Entry,
  { payload, digest, naming, action, listed, until }: Extract<StateEvent, { kind: "intent" }>,
): Pending {
  const before = listed === undefined ? {} : { listed };
  return { payload, digest, naming, action, ...before, sent_at: at, until, seen: null };
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

export type ResolvedAs = Extract<StateEvent, { kind: "resolved" }>["as"];

/** The outcomes of each request, if it succeeds and if it does not. */
export const requestOutcomes = {
  create: { done: "created", not: "absent" },
  replace: { done: "created", not: "absent" },
  update: { done: "updated", not: "not-updated" },
  delete: { done: "deleted", not: "not-deleted" },
} as const satisfies Record<Pending["action"], { done: ResolvedAs; not: ResolvedAs }>;

/** Whether a request can have this outcome. */
export function fits(outcome: ResolvedAs, { action }: Pick<Pending, "action">): boolean {
  const { done, not } = requestOutcomes[action];
  return outcome === done || outcome === not;
}

/** Whether a request is about a menu that exists, by its id. */
export function needsId({ action }: Pick<Pending, "action">): boolean {
  return action === "update" || action === "delete";
}

const requestKinds = [
  "intent",
  "created",
  "updated",
  "deleted",
  "failed",
  "not-processed",
  "unknown",
  "resolved",
] as const;

/** An event about a request: its intent, or its outcome. */
export type RequestEvent = Extract<StateEvent, { kind: (typeof requestKinds)[number] }>;

export function isRequest(event: StateEvent): event is RequestEvent {
  return requestKinds.some((kind) => kind === event.kind);
}
