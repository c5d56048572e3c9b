import { menuRule } from "../rule.ts";
import { avaya, iso13714 } from "./shared.ts";

export const menuTooLong = menuRule({
  name: "menu-too-long",
  code: "IVR701",
  severity: "warning",
  options: { max: { preset: 4, about: "The maximum number of options." } },
  source: `${iso13714}: 4 options if possible. Guides for universal design recommend 4, vendors 3 to 5. ${avaya}: 4 or 5. More choices belong in a second menu.`,
  check({ options = [], optionsAt }, { options: { max }, report }) {
    const counted = options.filter(({ key }) => !/^[09*#]$/.test(key)).length;
    if (optionsAt === undefined || counted <= max) return;
    const aside = counted === options.length ? "" : " The keys 0, 9, * and # do not count.";
    report(
      optionsAt,
      `This menu has ${counted} options, but callers remember about ${max}.${aside}`,
      "Combine options that go to the same people, or link to a second menu: `{ for: Sales, menu: KEY }`.",
    );
  },
});
