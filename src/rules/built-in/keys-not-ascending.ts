import { menuRule } from "../rule.ts";
import { avaya, inMenu, iso13714 } from "./shared.ts";

export const keysNotAscending = menuRule({
  name: "keys-not-ascending",
  code: "IVR702",
  severity: "warning",
  options: {},
  source: `${iso13714}: ascending, without gaps; ${avaya}.`,
  check(menu, { report }) {
    const numbered = (menu.options ?? []).filter(({ key }) => /^[1-8]$/.test(key));
    const at = numbered.findIndex(({ key }, index) => Number(key) !== index + 1);
    const first = numbered[at];
    if (first === undefined) return;
    const before = numbered[at - 1];
    report(
      inMenu(menu, first.keyAt),
      before === undefined
        ? `The options start with key ${first.key}; callers expect them to start with 1.`
        : `Key ${first.key} follows key ${before.key}; callers expect ${at + 1}.`,
      "Number the options 1, 2, 3 in the order announced; 0, 9, * and # stand aside.",
    );
  },
});
