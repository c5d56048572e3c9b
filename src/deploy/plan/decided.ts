import type { Wire } from "../../project/environment.ts";
import type { Agents } from "../../compile/agents.ts";
import type { Code } from "../../diagnostics/codes.ts";
import type { Severity } from "../../diagnostics/diagnostic.ts";
import type { Span } from "../../diagnostics/source.ts";
import type { StateView } from "../state/state.ts";
import type { Ids } from "./steps/plan-steps.ts";
import type { Link, Resource } from "./steps/resource.ts";
import type { Lists } from "./observed.ts";
import type { Desired } from "../../schema/plan.ts";
import type { Ref } from "../../schema/ref.ts";
import type { Hint } from "../../util/suggest.ts";
import type { Can, Step, Why } from "./steps/step.ts";

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
  readonly can: Can;
  /** How menus are encoded, to show that. */
  readonly wire?: Wire | undefined;
  /** Where the limit of creates is set, if that is a file. */
  readonly limitAt?: Span | undefined;
}

/** A menu as its file describes it. */
export interface WantedMenu extends Desired {
  /** The variables in its texts. */
  readonly vars: ReadonlyMap<string, string>;
  /** Where its file names something. By default the menu itself. */
  readonly at: (what?: "name" | "moved_from" | Ref) => Span;
}

/** A problem with a plan, and how to fix it. */
export interface Problem {
  readonly code: Code;
  /** Absent if it is about the whole project. */
  readonly at?: Span | { readonly file: string };
  readonly message: string;
  readonly hint: Hint;
  readonly severity?: Severity;
}

/** A step that is held back. `of` is what the hold is about besides. */
export interface Held {
  readonly step: Step;
  readonly of: string;
  readonly input: Decided;
}

/** Describes a hold of a menu, or of a phone number in its file. */
export type HoldWords = Partial<
  Record<Why, (held: Held & { readonly menu: WantedMenu }) => Problem | undefined>
>;
