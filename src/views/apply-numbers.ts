import type { Result } from "../deploy/apply/results.ts";
import { groupBy } from "../util/group-by.ts";
import { many } from "../util/many.ts";
import { phoneText } from "../util/phone.ts";
import { bindWordsOf } from "./apply-progress.ts";
import { type Paint, visible } from "./terminal.ts";
import { answerInParentheses } from "./text.ts";

/** How many phone numbers have each result: `2 phone numbers bound`. */
export function numberCounts(results: readonly Result[]): string[] {
  const all = results.flatMap(({ bind = [] }) => bind);
  return [...groupBy(all, (one) => bindWordsOf(one)[0])].map(
    ([word, own]) => `${many(own.length, "phone number")} ${word}`,
  );
}

/** The phone numbers that do not lead to their menus, and why. */
export function numberLines(results: readonly Result[], paint: Paint): string[] {
  return results.flatMap(({ key, bind = [] }) =>
    bind.flatMap((one) => {
      if (one.outcome === "bound") return [];
      const [word, style] = bindWordsOf(one);
      const open = one.outcome === "unknown" ? [unknownHint] : [];
      const number = `${visible(key)}: ${phoneText(one.number)}`;
      return [`  ${number} ${paint(style, word)}${answerInParentheses(one)}`, ...open];
    }),
  );
}

const unknownHint =
  "    The next plan or apply looks at the list of phone numbers, and resolves it.";
