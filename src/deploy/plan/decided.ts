import type { Agents } from "../../project/agent-list.ts";
import type { Span } from "../../diagnostics/source.ts";
import type { StateView } from "../state/state.ts";
import type { Ids } from "./steps/step-order.ts";
import type { Link, Resource } from "./steps/resource.ts";
import type { Lists } from "../listed/read-account.ts";
import type { Desired } from "../../schema/saved-plan.ts";
import type { Ref } from "../../schema/ref.ts";
import type { PlanLimits, Step } from "./steps/step.ts";

/** The steps of a plan, and all that they were decided with. */
export interface Decided {
  readonly environment: string;
  readonly steps: readonly Step[];
  /** The id of each menu after the plan. */
  readonly ids: Ids;
  readonly resources: readonly Resource[];
  /** Everything that links or points to menus. */
  readonly links: readonly Link[];
  readonly menus: readonly WantedMenu[];
  /** The state with what the lists prove. */
  readonly state: StateView;
  readonly lists: Lists;
  readonly agents: Agents | undefined;
  readonly can: PlanLimits;
  /** The phone numbers of menus that differ from those of a revision, by key. */
  readonly renumbered?: ReadonlyMap<string, readonly Renumbered[]> | undefined;
  /** Where the limit of creates is set, if that is a file. */
  readonly limitAt?: Span | undefined;
}

/** A phone number that a different menu names than in the files that a plan compares with. */
export interface Renumbered {
  readonly number: string;
  /** The key of a menu. Null if no menu names the number. */
  readonly before: string | null;
  readonly after: string | null;
}

/** A menu as its file describes it. */
export interface WantedMenu extends Desired {
  /** The variables in its texts. */
  readonly vars: ReadonlyMap<string, string>;
  /** Where its file names something. By default the menu itself. */
  readonly at: (what?: "name" | "moved_from" | Ref) => Span;
  /** All places where its file and the defaults name an agent, by `agentKey`. */
  readonly agentsAt?: ReadonlyMap<string, readonly Span[]>;
  /** Where a field of the payload is written, and what callers hear about it. */
  readonly placesOf?: (path: string) => readonly Span[];
}
