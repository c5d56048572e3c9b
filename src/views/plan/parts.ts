import type { Compared, Comparison } from "../../deploy/plan/compare.ts";
import type { Action, Change, Plan } from "../../deploy/plan/plan.ts";
import type { DescribedDifference } from "./words.ts";
import type { Argv } from "../../util/suggest.ts";

/** A plan, or a comparison with a git revision. Both are shown in the same form. */
export type Outlook = PlanOutlook | { readonly kind: "diff"; readonly comparison: Comparison };

export interface PlanOutlook {
  readonly kind: "plan";
  readonly plan: Plan;
  /** Whether the plan can be shown but not applied. */
  readonly refused?: boolean;
}

export type AnyChange = Change | Compared;

export function contentOf(outlook: Outlook): {
  readonly environment: string;
  readonly changes: readonly AnyChange[];
  readonly unchanged: number;
} {
  return outlook.kind === "plan" ? outlook.plan : outlook.comparison;
}

/** One line about a change. It may contain text from outside, so each format escapes it. */
export interface Detail {
  readonly label: string;
  readonly text: string;
  /** The command to copy, if the text is one. */
  readonly argv?: Argv;
}

/** Lines about a change that belong together. Other menus can have the same part. */
export interface Part {
  /** Equal for parts that are the same on the wire and in words, except for words of the menu's name. */
  readonly id: string;
  readonly details: readonly Detail[];
  /** The details without the words of the menu's name, for a group in which they differ. */
  readonly shared?: readonly Detail[];
}

/** A value before and after a change: `Ravi Kumar → Asha Rao`. */
export function changeWords({
  before,
  after,
}: Pick<DescribedDifference, "before" | "after">): string {
  if (before === null) return `${after ?? ""} (new)`;
  return after === null ? `${before} (removed)` : `${before} → ${after}`;
}

export function note(text: string): Detail {
  return { label: "note", text };
}

export function partId(action: Action, ...content: readonly unknown[]): string {
  return JSON.stringify([action, ...content]);
}
