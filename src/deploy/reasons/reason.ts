import type { Permission } from "../../schema/operations.ts";
import type { Ref } from "../../schema/ref.ts";
import type { KindOfMatter } from "./matter.ts";

/** What a reason does to a plan, and what is said about it. `F`: what the reason knows where it is decided. */
export interface Reason<F> {
  /** Whether nothing of the plan is applied. Otherwise, only this step is left out. */
  readonly blocks?: "everything";
  /** The permission that lifts it. */
  readonly allow?: Permission;
  /** What the plan shows for the menu; `none`: nothing. Absent: what its steps do. */
  readonly action?: HeldAction;
  /** Why it is not sent, as a part of a sentence. */
  readonly short?: (facts: F, resource: HeldResource) => string;
  /** Whether the short words count more than how the step differs from the reviewed one. */
  readonly isFirst?: true;
  /**
   * What causes it: the limit of creates, or a place in the file of the menu. If there is no such file, there
   * is no matter.
   */
  readonly at?: (facts: F, ref: Ref) => "limit" | "name" | "moved_from" | "menu" | Ref;
  /** What its matter is about. Default: the menu. */
  readonly refs?: (facts: F, menu: Ref, ref: Ref) => readonly Ref[];
}

export interface HeldResource {
  readonly ref: Ref;
  readonly id: string | undefined;
}

/** A menu with several holds shows only the first of these. */
export const heldActions = ["unknown", "none", "blocked", "missing", "waiting", "drift"] as const;

type HeldAction = (typeof heldActions)[number];

/** Reasons with the words of a matter about one step. */
export type Rows<F> = { readonly [K in keyof F]: Reason<F[K]> & KindOfMatter<F[K] & About> };

/** The step that is held back, and its place in a file. */
export interface About {
  readonly ref: Ref;
  /** The menu of the step: for a phone number the one that it shall point to. */
  readonly key: string;
  readonly id: string;
  /** `ivrs/front-desk.yaml:4` */
  readonly line: string;
  /** What a phone number points to. */
  readonly reaches: string;
}
