import type { ResolvedRecording } from "../../compile/menu.ts";

/** The keys in the words of a prompt, as far as they are digits, `*` or `#`. */
export interface PromptKeys {
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
