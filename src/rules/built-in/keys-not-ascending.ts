import { menuRule } from "../rule.ts";
import { avaya, inMenu, iso13714 } from "./shared.ts";

export const keysNotAscending = menuRule({
  name: "keys-not-ascending",
  code: "IVR702",
  severity: "warning",
  options: {},
  source: `${iso13714}: ascending, without gaps. ${avaya}.`,
  check(menu, { report }) {
    const numbered = (menu.options ?? []).filter(({ key }) => /^[1-8]$/.test(key));
    const at = numbered.findIndex(({ key }, index) => Number(key) !== index + 1);
    const first = numbered[at];
    if (first === undefined) return;
    const before = numbered[at - 1];
    report(
      inMenu(menu, first.keyAt),
      before === undefined
        ? `The first option has key ${first.key}, but callers expect key 1.`
        : `Key ${first.key} comes after key ${before.key}, but callers expect key ${at + 1}.`,
      "Number the options 1, 2, 3 in the order of the prompt. The keys 0, 9, * and # do not count.",
    );
  },
});
