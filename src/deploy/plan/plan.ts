import type { Confirmed, FollowUp, Naming, Pending } from "../../schema/state.ts";
import type { Payload } from "../../schema/wire.ts";

/** What a file makes of a menu: what is sent, and what people call the ids in it. */
export interface Made {
  readonly payload: Payload;
  readonly digest: string;
  readonly naming: Naming;
}

/** What an apply would do, and what a person would have to. */
export interface Plan {
  readonly environment: string;
  /** Of the service, as the state remembers it. */
  readonly address: string;
  /** The moment of the state that it was made from. */
  readonly state: { readonly lineage: string | null; readonly serial: number };
  /** Every menu that is not unchanged, sorted by key. */
  readonly changes: readonly Change[];
  readonly unchanged: number;
  /** The open ones, the oldest first. */
  readonly followUps: readonly FollowUp[];
}

interface About {
  readonly key: string;
  readonly name: string;
}

export type Change =
  | (About & { readonly action: "create"; readonly after: Made })
  | (About & {
      readonly action: "replace";
      readonly before: Confirmed;
      readonly after: Made;
      /** The key that the record is carried over from. */
      readonly movedFrom: string | null;
    })
  | (About & {
      readonly action: "move";
      readonly before: Confirmed;
      readonly after: Made;
      readonly movedFrom: string;
    })
  | (About & { readonly action: "forget"; readonly before: Confirmed })
  | (About & { readonly action: "restore"; readonly followUp: FollowUp; readonly after: Made })
  | (About & {
      readonly action: "unknown";
      readonly before: Confirmed | null;
      readonly pending: Pending;
      /** What became of the file since: gone, or with another content than was sent. */
      readonly file: "same" | "changed" | "gone";
    });

export type Action = Change["action"];

/** In the order in which they are counted. */
export const actions = ["create", "replace", "move", "forget", "restore", "unknown"] as const;

export type Summary = Readonly<Record<Action | "unchanged", number>>;

export function summaryOf({ changes, unchanged }: Pick<Plan, "changes" | "unchanged">): Summary {
  const summary = { create: 0, replace: 0, move: 0, forget: 0, restore: 0, unknown: 0, unchanged };
  for (const { action } of changes) summary[action] += 1;
  return summary;
}

/** A change that a request is sent for. */
export type Sending = Extract<Change, { action: "create" | "replace" }>;

export function isSending(change: Change): change is Sending {
  return change.action === "create" || change.action === "replace";
}

/** The wire payloads before and after; null where there is none. */
export function payloadsOf(change: Change): { before: Payload | null; after: Payload | null } {
  switch (change.action) {
    case "create":
    case "restore":
      return { before: null, after: change.after.payload };
    case "replace":
    case "move":
      return { before: change.before.payload, after: change.after.payload };
    case "forget":
      return { before: change.before.payload, after: null };
    case "unknown":
      return { before: change.before?.payload ?? null, after: change.pending.payload };
  }
}
