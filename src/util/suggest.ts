/**
 * A command for a person to copy: it names the environment, so that it means the
 * same wherever it is pasted, and no key is taken for a flag.
 */
export function suggest(
  words: string,
  subjects: readonly string[],
  environment: string,
  flags = "",
): string {
  const options = [flags, `--env ${environment}`].filter((part) => part !== "").join(" ");
  if (subjects.length === 0) return `ivrctl ${words} ${options}`;
  const list = subjects.join(" ");
  return subjects.some((subject) => subject.startsWith("-"))
    ? `ivrctl ${words} ${options} -- ${list}`
    : `ivrctl ${words} ${list} ${options}`;
}
