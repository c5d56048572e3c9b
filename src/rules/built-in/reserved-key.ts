import { endWords } from "../../call/describe-call.ts";
import { menuRule } from "../rule.ts";
import { isEnglish, iso13714 } from "./shared.ts";

export const reservedKey = menuRule({
  name: "reserved-key",
  code: "IVR704",
  severity: "info",
  options: {},
  source: `${iso13714}: * takes the caller back, # ends an entry, 9 hangs up.`,
  check({ options = [] }, { report }) {
    for (const option of options) {
      const expected = meanings[option.key];
      if (expected === undefined) continue;
      const to = option.destination?.value;
      if (option.key === "9" && to && endWords(to)) continue;
      const words = option.for?.value;
      if (words !== undefined && (!isEnglish(words) || allowed.test(words))) continue;
      report(
        option.keyAt,
        `Callers expect ${option.key} to ${expected}${words === undefined ? "" : `, but here it is for ${words}`}.`,
        words === undefined
          ? "Use a key from 1 to 8, or write in `for:` that it goes back, ends an entry or ends the call."
          : "Use a key from 1 to 8.",
      );
    }
  },
});

const meanings: Readonly<Record<string, string>> = {
  "*": "go back",
  "#": "end an entry",
  "9": "end the call",
};

/** Matches words about going back, ending an entry or ending the call. */
const allowed =
  /\b(?:back|previous|main menu|start over|cancel|enter|confirm|submit|finish|done|continue|end|hang up|exit|quit|goodbye)\b/i;
