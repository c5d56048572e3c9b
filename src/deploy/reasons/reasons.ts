import type { Hold, WordedWhy, Why } from "./hold.ts";
import { holding } from "./holding.ts";
import type { KindOfMatter } from "./matter.ts";
import type { About, HeldResource, Reason } from "./reason.ts";
import { refusing } from "./refusing.ts";
import { grouped } from "./grouped.ts";

const worded = { ...holding, ...refusing };

/** Everything that can hold a step back: one row for each reason. */
export const reasons: { readonly [K in Why]: Reason<Hold<K>> } = {
  ...grouped,
  ...worded,
};

/** The rows that have the words of a matter about one step. */
export const reasonWords: { readonly [K in WordedWhy]: KindOfMatter<Hold<K> & About> } = worded;

/** Why a step is not sent. If it is not the reviewed one, only what counts more than the difference. */
export function shortWords(
  holds: readonly Hold[],
  resource: HeldResource,
  isSame: boolean,
): string | undefined {
  const words = (isFirst: boolean) =>
    holds.flatMap((hold) => wordsOf(hold, resource, isFirst) ?? [])[0];
  return words(true) ?? (isSame ? words(false) : undefined);
}

function wordsOf<K extends Why>(
  hold: Hold<K>,
  resource: HeldResource,
  isFirst: boolean,
): string | undefined {
  const why: K = hold.why;
  const row = reasons[why];
  return (row.isFirst === true) === isFirst ? row.short?.(hold, resource) : undefined;
}
