import type { Permission } from "../../schema/operations.ts";
import type { Ref } from "../../schema/ref.ts";
import type { HeldFacts, Hold, Why } from "./hold.ts";
import type { KindOfMatter } from "./matter.ts";

/** What a reason does to a plan, and what is said about it. */
export interface Reason<K extends Why> {
  /** Whether nothing of the plan is applied. Otherwise, only this step is left out. */
  readonly blocks?: "everything";
  /** The permission that lifts it. */
  readonly allow?: Permission;
  /** What the plan shows for the menu; `none`: nothing. Absent: what its steps do. */
  readonly action?: HeldAction;
  /** Why it is not sent, as a part of a sentence. */
  readonly short?: (hold: Hold<K>, resource: HeldResource) => string;
  /** Whether the short words count more than how the step differs from the reviewed one. */
  readonly isFirst?: true;
  /** Where its file says what causes it. Without a file, there is no matter then. */
  readonly at?: (hold: Hold<K>, ref: Ref) => "name" | "moved_from" | "menu" | Ref;
  /** What its matter is about. Default: the menu. */
  readonly refs?: (hold: Hold<K>, menu: Ref, ref: Ref) => readonly Ref[];
}

/** What a result knows of the step. */
export interface HeldResource {
  readonly ref: Ref;
  readonly id: string | undefined;
}

/** What holds show, the most important first. */
export const heldActions = ["unknown", "none", "blocked", "missing", "waiting", "drift"] as const;

type HeldAction = (typeof heldActions)[number];

export type Rows = { readonly [K in Why]: Reason<K> } & {
  readonly [K in keyof HeldFacts]: KindOfMatter<HeldFacts[K]>;
};
