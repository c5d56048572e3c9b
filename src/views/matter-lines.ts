import type { Matter } from "../deploy/reasons/kinds.ts";
import { matterHead, matterHint } from "../deploy/reasons/matter.ts";
import type { MatterOutput } from "../schema/output/shared-fields.ts";
import { hintText } from "../util/suggest.ts";
import { type Page, visible } from "./terminal.ts";
import { wrap, wrapAdvice } from "./text.ts";

/* What needs a person, in every format. The words are in `deploy/reasons`. */

/** A matter as text: below it how to go on. With `isLong`, that is every way, otherwise only the first. */
export function matterLines(matter: Matter, indent: string, page: Page, isLong = false): string {
  const { items = [], exit } = matter;
  if (exit === 0 && items.length === 0) return wrapAdvice(matterHint(matter), indent, page);
  const fix = isLong ? matter.fix : matter.fix.slice(0, 1);
  return [
    wrap(visible(matterHead(matter)), indent, page.wordWrap),
    ...items.map((item) => wrap(visible(item), `${indent}  `, page.wordWrap)),
    ...fix.map((hint) => wrapAdvice(hint, `${indent}  `, page)),
  ].join("\n");
}

/** Whether callers notice it now, so that it comes before what changes. */
export function isUrgent({ callers, exit }: Matter): boolean {
  return callers !== undefined && exit > 0;
}

/** What needs a person, for programs. */
export function mattersJson(matters: readonly Matter[]): MatterOutput[] {
  return matters.map(({ kind, code, refs, since, words, callers, items, fix, blocks, exit }) => ({
    kind,
    code,
    refs: [...refs],
    ...(since !== undefined && { since }),
    message: words,
    ...(callers !== undefined && { callers }),
    ...(items && items.length > 0 && { items: [...items] }),
    fix: fix.map(hintText),
    blocks,
    exit,
  }));
}
