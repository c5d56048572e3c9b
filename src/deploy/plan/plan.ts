import { randomUUID } from "node:crypto";
import {
  type FollowUp,
  type StateOrigin,
  type StateEvent,
  stateVersion,
} from "../../schema/state.ts";
import type { Described } from "./changes/changes.ts";
import type { Desired } from "../../schema/plan.ts";
import type { Matter } from "../matters/kinds.ts";
import type { StateView } from "../state/view.ts";
import type { PlanLimits, Step } from "./steps/step.ts";

/** What apply would do, and what a person has to do. */
export interface Plan extends Described {
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
  /** The state with what the lists prove, and with the menus that a lost state may have had. */
  readonly known: StateView;
  /** What apply does, in order, and what holds the other steps back. */
  readonly steps: readonly Step[];
  /** What the steps were planned with, to plan them again. */
  readonly desired: readonly Desired[];
  readonly can: PlanLimits;
  /** The open follow-ups, the oldest first. */
  readonly followUps: readonly FollowUp[];
  /** Extensions of agents that were blocked when the plan was made. The rules of the project allow them. */
  readonly blocked?: readonly string[];
  /** What holds steps back, and what could not be compared. */
  readonly held: readonly Matter[];
  /** The lists that the plan was compared with. Absent if the service cannot list menus. */
  readonly list?: {
    readonly menus: number;
    readonly at: string;
    /** Absent if the service cannot list phone numbers. */
    readonly numbers?: number;
    /** The menus that are not recorded. */
    readonly unmanaged: readonly { readonly id: string; readonly name: string }[];
  };
  /** What apply records because the list proves it: ids and outcomes. The steps start from there. */
  readonly learned?: readonly StateEvent[];
}

/** The event that a state starts with. */
export function begun(origin: StateOrigin): StateEvent {
  return { kind: "begun", version: stateVersion, ...origin };
}

/** An id is short, because people copy it, and is never a number in YAML. */
export function newStateId(): string {
  return randomUUID().slice(0, 13);
}
