import type { Span } from "../../diagnostics/source.ts";
import type { ResolvedMenu } from "../../compile/menu.ts";

/** The standard has to be bought. These pages are public summaries. */
export const iso13714 =
  "ISO/IEC 13714, summarized at https://www.nch.com.au/ivm/iso13714.html and http://www.itams.co.uk/ivr-standards.htm";

export const avaya =
  "Avaya guidelines for menus, https://support.avaya.com/elmodocs2/ir/r2_0/IR_R2_0_Doc_CD/CD/html/15577.htm";

/**
 * Returns where to report that two values do not match: at the given place if it is in the file
 * of the menu, otherwise at the options of the menu. A default alone is not wrong.
 */
export function inMenu({ top, optionsAt }: ResolvedMenu, at: Span): Span {
  if (at.source === top.source) return at;
  return optionsAt?.source === top.source ? optionsAt : top;
}
