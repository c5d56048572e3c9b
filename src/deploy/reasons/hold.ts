import type { HoldingFacts } from "./holding.ts";
import type { RefusingFacts } from "./refusing.ts";
import type { About } from "./reason.ts";
import type { GroupedMatterFacts, GroupedFacts } from "./grouped.ts";

type WordedFacts = HoldingFacts & RefusingFacts;

type HoldFacts = WordedFacts & GroupedFacts;

export type Why = keyof HoldFacts;

/** The reasons whose rows have the words of a matter about one step. */
export type WordedWhy = keyof WordedFacts;

/** Why apply does not do a step. Later changes of the step do not change these facts. */
export type Hold<K extends Why = Why> = {
  readonly [P in K]: HoldFacts[P] & { readonly why: P };
}[K];

/** What the words of a row are made from. */
export type HeldFacts = GroupedMatterFacts & { [K in WordedWhy]: Hold<K> & About };
