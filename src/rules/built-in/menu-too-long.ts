import type { ResolvedOption } from "../../compile/menu.ts";
import { purposeOf } from "./purposes.ts";
import { menuRule } from "../rule.ts";
import { avaya, iso13714 } from "./shared.ts";

export const menuTooLong = menuRule({
  name: "menu-too-long",
  code: "IVR701",
  severity: "warning",
  options: { max: { preset: 4, about: "How many options a menu may have." } },
  source: `${iso13714}: 4, wherever possible. Universal-design guidance says 4, vendors say 3 to 5; ${avaya}: four or five.`,
  check({ options = [], optionsAt }, { options: { max }, report }) {
    const counted = options.filter(isCounted).length;
    if (optionsAt === undefined || counted <= max) return;
    const aside = options.length - counted;
    report(
      optionsAt,
      `This menu has ${counted} options, and callers keep about ${max} in mind.${aside === 0 ? "" : ` (${aside} for help, repeat, back or end ${aside === 1 ? "is" : "are"} not counted.)`}`,
      "Take some together, or lead to a second menu.",
    );
  },
});

const aside = new Set(["help", "repeat", "back", "end"]);

/** Without `for:`, the keys 0, `*` and `#` count as having their usual meaning. */
function isCounted(option: ResolvedOption): boolean {
  if (option.for === undefined) return !/^[0*#]$/.test(option.key);
  return !aside.has(purposeOf(option.for.value) ?? "");
}
