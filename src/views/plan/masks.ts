import type { Difference } from "../../deploy/plan/digest.ts";

/**
 * A changed name or description without the words of the menu's name. Menus that share a text with a
 * variable then have the same change: `… shop → … store`.
 */
export function maskedTexts({ field, before, after }: Difference, oldName: string, name: string) {
  if (!(field === "name" || field === "description") || before === null || after === null) {
    return undefined;
  }
  const common = oldName.split(/\s+/).filter((word) => name.split(/\s+/).includes(word));
  const [was, is] = [masked(before, common), masked(after, common)];
  return was === is ? undefined : { before: was, after: is };
}

/** `key 1 (Sales at Thane)` without the words of the name. */
export function maskedLabel(label: string, name: string): string {
  return label.replace(/\(.*\)$/s, (purpose) => masked(purpose, name.split(/\s+/)));
}

function masked(text: string, words: readonly string[]): string {
  return text
    .replaceAll(/[^\s()]+/g, (word) => (words.includes(word) ? "…" : word))
    .replaceAll(/…(?:\s+…)+/g, "…");
}
