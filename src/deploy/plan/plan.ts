import type { FollowUp, StateEvent } from "../../schema/state.ts";
import type { Wire } from "../../project/environment.ts";
import type { Described } from "./changes/changes.ts";
import type { Desired } from "../../schema/saved-plan.ts";
import type { Matter } from "../reasons/kinds.ts";
import type { StateView } from "../state/view.ts";
import type { WorldSources } from "./recorded-worlds.ts";
import type { PlanLimits, Step } from "./steps/step.ts";
import type { Worlds } from "../../reach/world.ts";

/** What apply would do, and what a person has to do. */
export interface Plan extends Described {
  readonly environment: string;
  /** The address of the service, in the form that the state records. */
  readonly address: string;
  readonly state: {
    readonly id: string | null;
    readonly serial: number;
    /** Differs between two histories that have the same serial. */
    readonly head: string;
  };
  /** The state with what the lists prove, and with the menus that a lost state may have had. */
  readonly knownState: StateView;
  /** What apply does, in order, and what holds the other steps back. */
  readonly steps: readonly Step[];
  /** Who callers reach before and after. */
  readonly worlds: Worlds;
  /** What the service showed, to find that out again after apply. */
  readonly seen: Pick<WorldSources, "lists" | "agents">;
  /** What the steps were planned with, to plan them again. */
  readonly desired: readonly Desired[];
  readonly can: PlanLimits;
  /** How menus are encoded, to show that. */
  readonly wire?: Wire | undefined;
  /** How many seconds apply waits for recordings. */
  readonly recordingTimeout?: number | undefined;
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
    readonly unmanaged: readonly { readonly id: string; readonly name: string }[];
  };
  /** What apply records because the list proves it: ids and outcomes. The steps start from there. */
  readonly learned?: readonly StateEvent[];
}
