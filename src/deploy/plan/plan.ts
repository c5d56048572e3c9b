import { randomUUID } from "node:crypto";
import type { Span } from "../../diagnostics/source.ts";
import type { Summary } from "../../schema/output/plan.ts";
import type { Permission } from "../../schema/operations.ts";
import type { MenuContent } from "../../schema/plan.ts";
import {
  type Confirmed,
  type FollowUp,
  type Naming,
  type Origin,
  type Pending,
  type StateEvent,
  stateVersion,
} from "../../schema/state.ts";
import type { WaitsFor } from "../../schema/output/common.ts";
import type { Difference } from "./digest.ts";
import type { Can, Hold, Ref, Step } from "./steps/step.ts";

export type { Permission } from "../../schema/operations.ts";
export type { MenuContent } from "../../schema/plan.ts";
export type { WaitsFor } from "../../schema/output/common.ts";

/** How a menu on the service differs from its record. Somebody changed it on the console. */
export interface Drift {
  /** From the value on record to the one that the service has. */
  readonly differences: readonly Difference[];
  /** The names of the ids that only the service has. */
  readonly naming: Naming;
}

/** A phone number that apply points to the menu, after the menu exists. */
export interface Bind {
  /** As the file writes it: `+912241234567`. */
  readonly number: string;
  /** What it points to, for example `extension||500101`; null if it points nowhere. */
  readonly before: string | null;
  /** What callers reach before, in words. */
  readonly from: string;
  /** The id of the number on the service. */
  readonly id: string;
  /** The destination of the menu. A reference if its id is known only after apply. */
  readonly after: string;
}

/** What the steps of a plan mean for one menu and its phone numbers. */
export interface Change {
  readonly ref: Ref;
  /** The key of the menu, or the id of the follow-up of an old menu. */
  readonly key: string;
  readonly name: string;
  /** The word that users know for it. */
  readonly action: Action;
  /** Why apply does not do all of it. */
  readonly holds: readonly Hold[];
  /** The file of the menu. Absent if there is none. */
  readonly file?: string | undefined;
  /** The variables in the texts of the file. */
  readonly vars: ReadonlyMap<string, string>;
  /** The id on the service, if something is done about that menu. */
  readonly id?: string | undefined;
  /** The former key. */
  readonly movedFrom?: string | undefined;
  /** What is on record. */
  readonly before?: Confirmed | undefined;
  /** What the service has besides. Absent if it has what is on record. */
  readonly drift?: Drift | undefined;
  /** What it becomes. A destination without an id is a reference to the menu. */
  readonly after?: MenuContent | undefined;
  /** What is sent first, if an update adds links to menus that are created later. */
  readonly first?: MenuContent | undefined;
  /** The id of a menu that the service does not list any more. */
  readonly gone?: string | undefined;
  /** Why the menu of a deleted file is not deleted, although the service can delete menus. */
  readonly kept?: "not-allowed" | "unidentified" | "unreadable" | undefined;
  /** The keys with a webhook on the service, which is lost. */
  readonly webhooks: readonly string[];
  /** The menus whose ids it waits for. */
  readonly waitsFor: readonly WaitsFor[];
  /** The request whose outcome is not known. */
  readonly pending?: Pending | undefined;
  /** The old menu that becomes current again. */
  readonly followUp?: FollowUp | undefined;
  /** The phone numbers that point to the menu after apply. */
  readonly bind: readonly Bind[];
  /** The phone numbers that point to the menu on record after apply. Absent if the service cannot list them. */
  readonly reachedBy?: readonly string[] | undefined;
}

/** What apply would do, and what a person has to do, as the views show it. */
export interface DescribedPlan {
  readonly environment: string;
  /** The address of the service, in the form that the state records. */
  readonly address: string;
  /** The state that the plan was made from. */
  readonly state: {
    readonly id: string | null;
    readonly serial: number;
    /** Differs between two histories that have the same serial. */
    readonly head: string;
  };
  /** What the steps mean for each menu, sorted by key, but each after the menus that it links to. */
  readonly changes: readonly Change[];
  readonly unchanged: number;
  /** The keys of all menus of the files, and of those that other menus link to. */
  readonly keys: readonly string[];
  readonly linked: ReadonlySet<string>;
  /** Records that stay as they are but get new names. Nothing changes for callers. */
  readonly named: readonly { readonly key: string; readonly naming: Naming }[];
  /** The open follow-ups, the oldest first. */
  readonly followUps: readonly FollowUp[];
  /** Extensions of agents that were blocked when the plan was made. The rules of the project allow them. */
  readonly blocked?: readonly string[];
  /** The lists that the plan was compared with. Absent if the service cannot list menus. */
  readonly list?: {
    readonly menus: number;
    readonly at: string;
    /** Absent if the service cannot list phone numbers. */
    readonly numbers?: number;
    /** The menus that are not on record. */
    readonly unmanaged: readonly { readonly id: string; readonly name: string }[];
  };
  /** What apply records because the list proves it: ids and outcomes. The steps start from there. */
  readonly learned?: readonly StateEvent[];
  /** What the command line or the environment allows. */
  readonly allowed?: readonly Permission[];
}

export interface Plan extends DescribedPlan {
  /** What apply does, in order, and what holds the other steps back. */
  readonly steps: readonly Step[];
  /** What the steps were planned with, to plan them again. */
  readonly desired: readonly Desired[];
  readonly can: Can;
}

interface Counted {
  readonly changes: readonly { readonly action: Action }[];
  readonly unchanged: number;
}

/** The number of changes of each kind. */
export function countChanges({ changes, unchanged }: Counted): Summary {
  const summary = { ...none, unchanged };
  for (const { action } of changes) summary[action] += 1;
  return summary;
}

const none = {
  create: 0,
  update: 0,
  replace: 0,
  bind: 0,
  delete: 0,
  move: 0,
  forget: 0,
  restore: 0,
  waiting: 0,
  missing: 0,
  drift: 0,
  blocked: 0,
  unknown: 0,
};

/** What a plan does about a menu, or why it does nothing. */
export type Action = keyof typeof none;

/** All actions, in the order in which summaries list them. */
export const actions: readonly Action[] = Object.keys(none).filter(isAction);

export function isAction(name: string): name is Action {
  return Object.hasOwn(none, name);
}

/** Whether apply sends the menu. */
export function isSending({ action }: Change): boolean {
  return action === "create" || action === "replace" || action === "update";
}

/** Whether apply does nothing about a change until a person has done something. */
export function needsPerson({ action }: Change): boolean {
  return leftAlone.has(action);
}

const leftAlone: ReadonlySet<Action> = new Set([
  "unknown",
  "waiting",
  "missing",
  "drift",
  "blocked",
]);

/** What a file says about a menu on the service. */
export interface Desired {
  readonly key: string;
  /** Undefined if the menu is invalid. Then nothing is planned for its key. */
  readonly content: MenuContent | undefined;
  readonly movedFrom?: string | undefined;
  /** Undefined if neither the menu nor the environment says it. */
  readonly onChange?: "replace" | "refuse" | undefined;
  /** Whether it names an agent who gets no calls, and the project does not allow that. */
  readonly isBlocked?: boolean;
}

/** A menu as its file describes it. */
export interface WantedMenu extends Desired {
  /** The variables in its texts. */
  readonly vars: ReadonlyMap<string, string>;
  /** Where it goes to other menus, by their keys. */
  readonly links: ReadonlyMap<string, Span>;
  /** The phone numbers that point to it, and where its file names them. */
  readonly numbers: ReadonlyMap<string, Span>;
  /** Where problems are reported. */
  readonly at: { readonly top: Span; readonly name: Span; readonly movedFrom: Span };
}

/** The event that a state starts with. */
export function begun(origin: Origin): StateEvent {
  return { kind: "begun", version: stateVersion, ...origin };
}

/** An id is short, because people copy it, and is never a number in YAML. */
export function newStateId(): string {
  return randomUUID().slice(0, 13);
}
