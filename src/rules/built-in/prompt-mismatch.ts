import { type Announced, announcedIn } from "./announced.ts";
import { menuRule } from "../rule.ts";
import { inMenu, iso13714 } from "./shared.ts";

export const promptMismatch = menuRule({
  name: "prompt-mismatch",
  code: "IVR709",
  severity: "warning",
  options: {},
  source: `${iso13714}, for “press” instead of “dial” or “push”; the rest follows from the menu.`,
  check(menu, { report }) {
    const { recording, options } = menu;
    if (recording?.value.says === undefined || options === undefined) return;
    const { says } = recording.value;
    const announced = announcedIn(says);
    if (announced === undefined) return;
    const faults = faultsOf(
      announced,
      options.map(({ key }) => key),
    );
    if (faults.length > 0) {
      report(
        inMenu(menu, recording.at),
        `The prompt ${faults.join(", and it ")}.`,
        announced.language === "English"
          ? "Correct `says:` and the recording, or the options."
          : "Correct `says:` and the recording, or the options. (The text is not taken for English: only its digits are looked at.)",
      );
    }
    if (announced.verb !== undefined && recording.saysAt !== undefined) {
      report(
        recording.saysAt,
        `The prompt says “${announced.verb}” where callers are used to “press”.`,
        "Say: press 1.",
      );
    }
  },
});

function faultsOf({ keys: announced, language }: Announced, options: readonly string[]): string[] {
  // Leaves out keys that a prompt cannot name, and those that only an English prompt can.
  const nameable = language === "English" ? /^(?:[0-9*#]|[1-9][0-9])$/ : /^[0-9]$/;
  const own = options.filter((key) => nameable.test(key));
  const lacking = announced.filter((key) => !options.includes(key));
  const omitted = own.filter((key) => !announced.includes(key));
  const order = announced.filter((key) => own.includes(key));
  const expected = own.filter((key) => announced.includes(key));
  return [
    ...(lacking.length === 0 ? [] : [`announces ${keys(lacking)}, which the menu lacks`]),
    ...(omitted.length === 0 ? [] : [`does not announce ${keys(omitted)}`]),
    ...(order.join(" ") === expected.join(" ")
      ? []
      : [
          `names the keys in the order ${order.join(", ")}, the menu in the order ${expected.join(", ")}`,
        ]),
  ];
}

function keys(names: readonly string[]): string {
  return `${names.length === 1 ? "key" : "keys"} ${names.join(", ")}`;
}
