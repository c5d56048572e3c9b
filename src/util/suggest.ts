import { shellWord } from "./shell-word.ts";

/**
 * A command for the user to copy. It names the environment if it is known, so that it works
 * everywhere, and keeps keys that start with a hyphen from being read as flags. Subjects may come
 * from outside.
 */
export function suggest(
  words: string,
  subjects: readonly string[],
  environment: string | undefined,
  flags = "",
): string {
  const options = [flags, environment === undefined ? "" : `--env ${environment}`];
  const list = subjects.map(shellWord).join(" ");
  const rest = subjects.some((subject) => subject.startsWith("-"))
    ? [...options, "--", list]
    : [list, ...options];
  return ["ivrctl", words, ...rest].filter((part) => part !== "").join(" ");
}

/** The command that records ids which a person read on the console. A subject is KEY=ID. */
export function suggestId(subjects: readonly string[], environment: string | undefined): string {
  return suggest("state resolve", subjects, environment, "--created --evidence TEXT");
}
