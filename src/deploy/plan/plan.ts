import { randomUUID } from "node:crypto";
import type { Span } from "../../diagnostics/source.ts";
import type { Summary } from "../../schema/output/plan.ts";
import type { Bind, Change, MenuContent, Plan } from "../../schema/plan.ts";
import { type StateEvent, stateVersion } from "../../schema/state.ts";
import type { Payload } from "../../schema/wire.ts";
import type { Compared } from "./compare.ts";

export type { Permission } from "../../schema/operations.ts";
export type { Bind, Change, Drift, MenuContent, Plan } from "../../schema/plan.ts";

export type Action = Change["action"];

/** All actions, in the order in which summaries list them. */
export const actions = [
  "create",
  "update",
  "replace",
  "bind",
  "delete",
  "move",
  "forget",
  "restore",
  "waiting",
  "missing",
  "drift",
  "unknown",
] as const;

interface Counted {
  readonly changes: readonly { readonly action: Action }[];
  readonly unchanged: number;
}

/** The number of changes of each kind. */
export function summaryOf({ changes, unchanged }: Counted): Summary {
  const count = (wanted: Action) => changes.filter(({ action }) => action === wanted).length;
  return {
    create: count("create"),
    update: count("update"),
    replace: count("replace"),
    bind: count("bind"),
    delete: count("delete"),
    move: count("move"),
    forget: count("forget"),
    restore: count("restore"),
    waiting: count("waiting"),
    missing: count("missing"),
    drift: count("drift"),
    unknown: count("unknown"),
    unchanged,
  };
}

/** A change that sends a menu. */
export type Sending = Creating | Updating;

/** A change that makes a new menu on the service. */
export type Creating = Extract<Change, { action: "create" | "replace" }>;

export type Updating = Extract<Change, { action: "update" }>;

/** A change that deletes a menu. */
export type Deleting = Extract<Change, { action: "delete" }> & {
  /** The menu key of a follow-up whose menu is deleted. Then `key` is the id of the follow-up. */
  readonly followUpOf?: string;
};

export function isDeleting(change: Change): change is Deleting {
  return change.action === "delete";
}

export function isSending(change: Change): change is Sending {
  return isCreating(change) || change.action === "update";
}

export function isCreating(change: Change): change is Creating {
  return change.action === "create" || change.action === "replace";
}

/** The phone numbers that a change lets lead to its menu. */
export function bindsOf(change: Change): readonly Bind[] {
  return ("bind" in change ? change.bind : undefined) ?? [];
}

/** Whether apply does nothing about a change until a person has done something. */
export function needsPerson({ action }: Change): boolean {
  return action === "unknown" || action === "waiting" || action === "missing" || action === "drift";
}

/** The payloads before and after a change; null if there is none. */
export function payloadsOf(change: Change | Compared): {
  before: Payload | null;
  after: Payload | null;
} {
  switch (change.action) {
    case "create":
      return { before: null, after: change.after.payload };
    case "replace":
    case "update":
    case "missing":
    case "move":
    case "restore":
    case "waiting":
      return { before: change.before?.payload ?? null, after: change.after.payload };
    case "drift":
    case "bind":
      return { before: change.before.payload, after: change.before.payload };
    case "forget":
    case "delete":
      return { before: change.before?.payload ?? null, after: null };
    case "unknown":
      return { before: change.before?.payload ?? null, after: change.pending.payload };
  }
}

/** A menu as its file describes it. */
export interface WantedMenu {
  readonly key: string;
  /** Undefined if the menu is invalid. Then nothing is planned for its key. */
  readonly content: MenuContent | undefined;
  readonly movedFrom: string | undefined;
  /** Undefined if neither the menu nor the environment says it. */
  readonly onChange: "replace" | "refuse" | undefined;
  /** Where it leads to other menus, by their keys. */
  readonly links: ReadonlyMap<string, Span>;
  /** The phone numbers that lead to it, and where its file names them. */
  readonly numbers: ReadonlyMap<string, Span>;
  /** Where problems are reported. */
  readonly at: { readonly top: Span; readonly name: Span; readonly movedFrom: Span };
}

/** The event that a state starts with. */
export function begun(environment: string, address: string, recovering = false): StateEvent {
  const origin = { lineage: randomUUID(), environment, address };
  return { kind: "begun", version: stateVersion, ...origin, ...(recovering && { recovering }) };
}

/** The events of all changes that need no request. */
export function eventsWithoutRequest({ changes, named, learned = [] }: Plan): StateEvent[] {
  return [
    ...learned,
    ...changes.flatMap(eventsOf),
    ...named.map(({ key, naming }) => ({ kind: "named", key, naming }) as const),
  ];
}

interface Attempt {
  /** Whether it is the first attempt of the change. */
  readonly isFirst: boolean;
  readonly until: string;
  /** What is sent. */
  readonly content: MenuContent;
  /** The ids of the menus with this name before a create, if the service can list menus. */
  readonly listed?: readonly string[] | undefined;
}

/** The events that are recorded before a request leaves. */
export function intentsOf(change: Sending, attempt: Attempt): StateEvent[] {
  const { key, action } = change;
  const { isFirst, until, content, listed } = attempt;
  const { payload, digest, naming } = content;
  const intent: StateEvent = {
    kind: "intent",
    key,
    action,
    payload,
    digest,
    naming,
    ...(listed === undefined ? {} : { listed }),
    until,
  };
  return isFirst ? [...beforeIntent(change), intent] : [intent];
}

/** The event that is recorded before the request that binds a phone number leaves. */
export function bindIntent(
  key: string,
  { number, id, before, after }: Omit<Bind, "name" | "reached">,
  until: string,
): StateEvent {
  return {
    kind: "bind-intent",
    key,
    number,
    id,
    before,
    after,
    until,
  };
}

/** The event that is recorded before a request that deletes a menu leaves. */
export function deleteIntent(change: Deleting, until: string): StateEvent {
  const { payload, digest, naming } = change.before;
  return { kind: "intent", ...subjectOf(change), action: "delete", payload, digest, naming, until };
}

/** What the events of a request are about: the record of a key, or a follow-up of it. */
export function subjectOf({
  key,
  followUpOf,
}: {
  readonly key: string;
  readonly followUpOf?: string | undefined;
}): {
  readonly key: string;
  readonly follow_up?: string;
} {
  return followUpOf === undefined ? { key } : { key: followUpOf, follow_up: key };
}

function beforeIntent(change: Sending): StateEvent[] {
  const { key } = change;
  if (change.action !== "create") {
    return change.movedFrom === null ? [] : [{ kind: "moved", key, from: change.movedFrom }];
  }
  if (change.recreates === undefined) return [];
  const { key: old, before } = change.recreates;
  const evidence = `the service does not list menu ${before.identified?.id ?? "?"} any more, and recreating it was allowed`;
  return [{ kind: "dropped", key: old, evidence }];
}

/** The events of a change that needs no request; none for a change that needs a request or a person. */
export function eventsOf(change: Change): StateEvent[] {
  const { key } = change;
  switch (change.action) {
    case "move":
      return [{ kind: "moved", key, from: change.movedFrom }];
    case "forget":
      return change.gone === undefined
        ? [{ kind: "removed", key }]
        : [{ kind: "dropped", key, evidence: goneEvidence(change.gone) }];
    case "restore": {
      const restored = { kind: "restored", key, follow_up: change.followUp.id } as const;
      const { movedFrom: from } = change;
      return from === undefined ? [restored] : [{ kind: "moved", key, from }, restored];
    }
    case "create":
    case "replace":
    case "update":
    case "bind":
    case "delete":
    case "missing":
    case "drift":
    case "waiting":
    case "unknown":
      return [];
  }
}

function goneEvidence(id: string): string {
  return `its file was deleted, and the service does not list menu ${id} any more`;
}
