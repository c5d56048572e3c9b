import { isReadable, purposeOf } from "./purposes.ts";
import { menuRule } from "../rule.ts";
import { iso13714 } from "./shared.ts";

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
      const words = option.for?.value;
      if (words !== undefined && (!isReadable(words) || allowed.has(purposeOf(words) ?? ""))) {
        continue;
      }
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

const allowed = new Set(["back", "enter", "end"]);
