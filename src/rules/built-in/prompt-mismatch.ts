import { type Announced, announcedBy } from "./announced.ts";
import { menuRule } from "../rule.ts";
import { inMenu, iso13714 } from "./shared.ts";

export const promptMismatch = menuRule({
  name: "prompt-mismatch",
  code: "IVR709",
  severity: "warning",
  options: {},
  source: `${iso13714}, for “press” instead of “dial” or “push”.`,
  check(menu, { report }) {
    const { recording, options } = menu;
    const announced = announcedBy(recording);
    if (recording === undefined || options === undefined || announced === undefined) return;
    const problems = problemsOf(
      announced,
      options.map(({ key }) => key),
    );
    if (problems.length > 0) {
      report(
        inMenu(menu, recording.at),
        `The prompt ${problems.join(", and it ")}.`,
        announced.language === "English"
          ? "Correct `says:` and the recording, or correct the options."
          : "Correct `says:` and the recording, or correct the options. (The text does not look like English, so the rule reads only its digits.)",
      );
    }
    if (announced.verb !== undefined && recording.saysAt !== undefined) {
      report(
        recording.saysAt,
        `The prompt says “${announced.verb}”, but callers expect “press”.`,
        "Say “press 1” instead.",
      );
    }
  },
});

function problemsOf(
  { keys: announced, language }: Announced,
  options: readonly string[],
): string[] {
  // Keys that a prompt can announce. `*`, `#` and two digits are understood only in English.
  const nameable = language === "English" ? /^(?:[0-9*#]|[1-9][0-9])$/ : /^[0-9]$/;
  const own = options.filter((key) => nameable.test(key));
  const missing = announced.filter((key) => !options.includes(key));
  const omitted = own.filter((key) => !announced.includes(key));
  const order = announced.filter((key) => own.includes(key));
  const expected = own.filter((key) => announced.includes(key));
  return [
    ...(missing.length === 0 ? [] : [`announces ${keys(missing)}, which the menu does not have`]),
    ...(omitted.length === 0 ? [] : [`does not announce ${keys(omitted)}`]),
    ...(order.join(" ") === expected.join(" ")
      ? []
      : [
          `announces the keys in the order ${order.join(", ")}, but the menu has the order ${expected.join(", ")}`,
        ]),
  ];
}

function keys(names: readonly string[]): string {
  return `${names.length === 1 ? "key" : "keys"} ${names.join(", ")}`;
}
