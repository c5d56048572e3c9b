import type { Span } from "../../diagnostics/source.ts";
import { type ResolvedMenu, menuLinks } from "../../compile/compiled-menu.ts";

/** The standard has to be bought. The page is a public summary. */
export const iso13714 = "[ISO/IEC 13714](https://www.nch.com.au/ivm/iso13714.html)";

export const avaya =
  "[Avaya guidelines for menus](https://support.avaya.com/elmodocs2/ir/r2_0/IR_R2_0_Doc_CD/CD/html/15577.htm)";

export const softwareAdvice =
  "[IVR design lessons from the Fortune 500](https://www.softwareadvice.com/voip/industryview/ivr-design-tips-report-2014/)";

/** Whether words may be English, the only language that rules read: they have no other letters. */
export function isEnglish(words: string): boolean {
  return !/[^\p{ASCII}\p{Punctuation}]/u.test(words);
}

/** Where a menu links to another one. */
export function linkAt(menu: ResolvedMenu, to: string): Span {
  const link = menuLinks(menu).find(({ value }) => value === to);
  return link === undefined ? menu.top : inMenu(menu, link.at);
}

/**
 * Returns where to report that two values do not match: at the given place if it is in the file
 * of the menu, otherwise at the options of the menu. A default alone is not wrong, unless it is in
 * the file that describes the whole menu.
 */
export function inMenu({ top, home, optionsAt }: ResolvedMenu, at: Span): Span {
  if (at.source === top.source) return at;
  if (optionsAt?.source === top.source) return optionsAt;
  if (at.source === home.source) return at;
  return optionsAt?.source === home.source ? optionsAt : home;
}
