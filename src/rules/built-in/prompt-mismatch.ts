import { keysInPrompt } from "./prompt-keys.ts";
import { menuRule } from "../rule.ts";
import { inMenu, iso13714 } from "./shared.ts";

export const promptMismatch = menuRule({
  name: "prompt-mismatch",
  code: "IVR709",
  severity: "warning",
  options: {},
  source: `${iso13714}, for “press” instead of “dial” or “push”.`,
  check(menu, { report }) {
    const {
      facts: { recording },
      options,
    } = menu;
    const prompt = keysInPrompt(recording);
    if (recording === undefined || options === undefined || prompt === undefined) return;
    const own = options.map(({ key }) => key);
    const missing = prompt.pressed.filter((key) => !own.includes(key));
    const omitted = own.filter((key) => /^[0-9]$/.test(key) && !prompt.digits.has(key));
    const problems = [
      ...(missing.length === 0 ? [] : [`announces ${keys(missing)}, which the menu does not have`]),
      ...(omitted.length === 0 ? [] : [`does not announce ${keys(omitted)}`]),
    ];
    if (problems.length > 0) {
      report(
        inMenu(menu, recording.at),
        `The prompt ${problems.join(", and it ")}.`,
        "Correct `says:` and the recording, or correct the options. Write keys as digits: “press 1”.",
      );
    }
    if (prompt.verb !== undefined && recording.saysAt !== undefined) {
      report(
        recording.saysAt,
        `The prompt says “${prompt.verb}”, but callers expect “press”.`,
        "Say “press 1” instead.",
      );
    }
  },
});

function keys(names: readonly string[]): string {
  return `${names.length === 1 ? "key" : "keys"} ${names.join(", ")}`;
}
