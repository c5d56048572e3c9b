import type { ResolvedOption, ResolvedRecording } from "../../compile/compiled-menu.ts";
import { joined } from "../../util/many.ts";
import { menuRule } from "../rule.ts";
import { type Misannounced, misannounced } from "./prompt-purposes.ts";
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
    const { missing, omitted, wrong } = differences(prompt, recording, options);
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
    if (wrong.length > 0) {
      const words = wrong.map(({ key, says, isFor, purpose }) =>
        isFor === undefined
          ? `key ${key} for “${says}”, which \`for:\` calls “${purpose}”`
          : `key ${key} for “${says}” (that is key ${isFor})`,
      );
      report(
        inMenu(menu, recording.at),
        `The prompt announces ${joined(words, "and")}.`,
        wrong.some(({ isFor }) => isFor === undefined)
          ? "Correct `says:` and the recording, or correct the options. If both mean the same, use the same word."
          : "Correct `says:` and the recording, or correct the options.",
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

interface Disagreement {
  /** Keys of the prompt that the menu does not have, and the other way round. */
  readonly missing: readonly string[];
  readonly omitted: readonly string[];
  readonly wrong: readonly Misannounced[];
}

/** How a prompt and the keys of its menu differ. Undefined if they do not, or if the prompt names no key. */
export function disagreement(
  recording: ResolvedRecording | undefined,
  options: readonly ResolvedOption[],
): Disagreement | undefined {
  const prompt = keysInPrompt(recording);
  const found = prompt && differences(prompt, recording, options);
  return found && Object.values(found).some(({ length }) => length > 0) ? found : undefined;
}

function differences(
  { pressed, digits }: PromptKeys,
  recording: ResolvedRecording | undefined,
  options: readonly ResolvedOption[],
): Disagreement {
  const offered = options.map(({ key }) => key);
  return {
    missing: pressed.filter((key) => !offered.includes(key)),
    omitted: offered.filter((key) => /^[0-9]$/.test(key) && !digits.has(key)),
    wrong: misannounced(recording?.value.says ?? "", options),
  };
}

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
