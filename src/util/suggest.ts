import { shellWord } from "./shell-word.ts";

/**
 * A command for the user to copy. It names the environment, so that it works everywhere, and keeps
 * keys that start with a hyphen from being read as flags. Subjects may come from outside.
 */
export function suggest(
  words: string,
  subjects: readonly string[],
  environment: string,
  flags = "",
): string {
  const options = [flags, `--env ${environment}`].filter((part) => part !== "").join(" ");
  if (subjects.length === 0) return `ivrctl ${words} ${options}`;
  const list = subjects.map(shellWord).join(" ");
  return subjects.some((subject) => subject.startsWith("-"))
    ? `ivrctl ${words} ${options} -- ${list}`
    : `ivrctl ${words} ${list} ${options}`;
}
