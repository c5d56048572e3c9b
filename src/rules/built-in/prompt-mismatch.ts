import type { ResolvedRecording } from "../../compile/compiled-menu.ts";
import { joined } from "../../util/many.ts";
import { menuRule } from "../rule.ts";
import { misannounced } from "./prompt-purposes.ts";
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
    const offered = options.map(({ key }) => key);
    const missing = prompt.pressed.filter((key) => !offered.includes(key));
    const omitted = offered.filter((key) => /^[0-9]$/.test(key) && !prompt.digits.has(key));
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
    const wrong = misannounced(recording.value.says ?? "", options).map(
      ({ key, says, isFor }) => `key ${key} for “${says}” (that is key ${isFor})`,
    );
    if (wrong.length > 0) {
      report(
        inMenu(menu, recording.at),
        `The prompt announces ${joined(wrong, "and")}.`,
        "Correct `says:` and the recording, or correct the options.",
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

/** The keys in the words of a prompt, as far as they are digits, `*` or `#`. */
interface PromptKeys {
  /** The keys after "press", "dial" or "push". */
  readonly pressed: readonly string[];
  /** All digits that are not part of a longer number, in any language. */
  readonly digits: ReadonlySet<string>;
  /** The position of the first key in the text, from 0 to 1. */
  readonly first: number;
  /** "dial" or "push", if one of them is used instead of "press". */
  readonly verb: string | undefined;
}

/** Returns undefined if the words are unknown or name no key. */
export function keysInPrompt(recording: ResolvedRecording | undefined): PromptKeys | undefined {
  const says = recording?.value.says ?? "";
  const pressed = [...says.matchAll(/\b(press|dial|push) ([0-9]{1,2}|[*#])(?![ .:-]?[0-9])/gi)];
  const digits = [...says.matchAll(/(?<![0-9][.:-]?)[0-9](?![.:-]?[0-9])/g)];
  const [first = digits[0]] = pressed;
  if (first === undefined) return undefined;
  const verbs = pressed.map(([, verb = ""]) => verb.toLowerCase());
  return {
    pressed: [...new Set(pressed.map(([, , key = ""]) => key))],
    digits: new Set(digits.map(([digit]) => digit)),
    first: first.index / says.length,
    verb: verbs.find((verb) => verb !== "press"),
  };
}
