import { randomUUID } from "node:crypto";
import type { Span } from "../../diagnostics/source.ts";
import type { Change, MenuContent, Plan } from "../../schema/plan.ts";
import { type StateEvent, stateVersion } from "../../schema/state.ts";
import type { Payload } from "../../schema/wire.ts";
import type { Compared } from "./compare.ts";

export type { Change, MenuContent, Plan } from "../../schema/plan.ts";

export type Action = Change["action"];

/** All actions, in the order in which summaries list them. */
export const actions = [
  "create",
  "replace",
  "move",
  "forget",
  "restore",
  "waiting",
  "unknown",
] as const;

type Summary = Readonly<Record<Action | "unchanged", number>>;

interface Counted {
  readonly changes: readonly { readonly action: Action }[];
  readonly unchanged: number;
}

export function summaryOf({ changes, unchanged }: Counted): Summary {
  const none = { create: 0, replace: 0, move: 0, forget: 0, restore: 0, waiting: 0, unknown: 0 };
  const summary = { ...none, unchanged };
  for (const { action } of changes) summary[action] += 1;
  return summary;
}

/** A change that needs a request. */
export type Sending = Extract<Change, { action: "create" | "replace" }>;

export function isSending(change: Change): change is Sending {
  return change.action === "create" || change.action === "replace";
}

/** Whether apply does nothing about a change until a person has recorded something. */
export function needsPerson({ action }: Change): boolean {
  return action === "unknown" || action === "waiting";
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
    case "move":
    case "restore":
    case "waiting":
      return { before: change.before?.payload ?? null, after: change.after.payload };
    case "forget":
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
  readonly refusesChange: boolean;
  /** Where it leads to other menus, by their keys. */
  readonly links: ReadonlyMap<string, Span>;
  /** Where problems are reported. */
  readonly at: { readonly top: Span; readonly name: Span; readonly movedFrom: Span };
}

/** The event that a state starts with. */
export function begun(environment: string, address: string): StateEvent {
  return { kind: "begun", version: stateVersion, lineage: randomUUID(), environment, address };
}

/** The events of all changes that need no request. */
export function eventsWithoutRequest({ changes, named }: Plan): StateEvent[] {
  return [
    ...changes.flatMap(eventsOf),
    ...named.map(({ key, naming }) => ({ kind: "named", key, naming }) as const),
  ];
}

/** The events that are recorded before a request leaves. `first` is true for the first attempt of a change. */
export function intentsOf(change: Sending, first: boolean, until: string): StateEvent[] {
  const { key, action, after } = change;
  const { payload, digest, naming } = after;
  const intent: StateEvent = { kind: "intent", key, action, payload, digest, naming, until };
  return first && change.action === "replace" && change.movedFrom !== null
    ? [{ kind: "moved", key, from: change.movedFrom }, intent]
    : [intent];
}

/** The events of a change that needs no request; none for a change that needs a request or a person. */
export function eventsOf(change: Change): StateEvent[] {
  const { key } = change;
  switch (change.action) {
    case "move":
      return [{ kind: "moved", key, from: change.movedFrom }];
    case "forget":
      return [{ kind: "removed", key }];
    case "restore": {
      const restored = { kind: "restored", key, follow_up: change.followUp.id } as const;
      const { movedFrom: from } = change;
      return from === undefined ? [restored] : [{ kind: "moved", key, from }, restored];
    }
    case "create":
    case "replace":
    case "waiting":
    case "unknown":
      return [];
  }
}
