import stringWidth from "string-width";

/** A command of ivrctl for the user to copy: the words after `ivrctl`, without quotes. */
export type Argv = readonly string[];

/**
 * How to go on: words and, after them, a command of ivrctl, or a different line to copy. The
 * printer adds `-C`, quotes and line breaks. Editors offer a correction as a quick fix.
 */
export type Hint =
  | SingleHint
  /** The advice for each further case is on its own line. What destroys something comes last. */
  | { readonly words: string; readonly otherwise: readonly SingleHint[] };

type SingleHint =
  | string
  | { readonly words: string; readonly argv: Argv }
  | { readonly words: string; readonly command: string }
  | Correction;

/** Words, and what to write instead of what is wrong. */
export interface Correction {
  readonly words: string;
  /** Each is a value for the place of the problem or, with `at`, a text for that place. */
  readonly instead: readonly string[];
  readonly at?: { readonly start: number; readonly end: number };
}

/**
 * A command for the user to copy. It names the environment if it is known, so that it works
 * everywhere, and keeps keys that start with a hyphen from being read as flags. Subjects may come
 * from outside.
 */
export function suggest(
  words: string,
  subjects: readonly string[],
  environment: string | undefined,
  flags: Argv = [],
): Argv {
  const options = [...flags, ...(environment === undefined ? [] : ["--env", environment])];
  const rest = subjects.some((subject) => subject.startsWith("-"))
    ? [...options, "--", ...subjects]
    : [...subjects, ...options];
  return [...words.split(" "), ...rest];
}

/** The command that records ids which a person read on the console. A subject is KEY=ID. */
export function suggestId(subjects: readonly string[], environment: string | undefined): Argv {
  return suggest("state resolve", subjects, environment, ["--created", "--evidence", "TEXT"]);
}

/** A command as a person types it, with the folder of the project if it is not the current one. */
export function commandText(argv: Argv, directory?: string): string {
  return commandWords(argv, directory).join(" ");
}

function commandWords(argv: Argv, directory: string | undefined): string[] {
  const options = directory === undefined || argv.includes("-C") ? [] : ["-C", directory];
  return ["ivrctl", ...options, ...argv].map((word) => shellWord(word));
}

/** The same for a terminal of this width: a line break in a long command has a backslash, so that it can be copied. */
export function brokenCommand(argv: Argv, directory: string | undefined, width: number): string {
  const room = width - mostIndent - " \\".length;
  const lines = [""];
  for (const word of commandWords(argv, directory)) {
    const line = lines.at(-1);
    const longer = line === "" ? word : `${line} ${word}`;
    if (line === "" || stringWidth(longer) <= room) lines[lines.length - 1] = longer;
    else lines.push(word);
  }
  return lines.join(` \\\n${" ".repeat(mostIndent)}`);
}

/** Commands are below what they are about, and at most so far to the right. */
const mostIndent = 8;

/** The words of a hint, and the command, which most formats show on its own line. */
export function hintParts(
  hint: Hint,
  toText: (argv: Argv) => string = commandText,
): { readonly words: string; readonly command?: string } {
  if (typeof hint === "string") return { words: hint };
  if ("otherwise" in hint) return { words: separateHints(hint).map(hintText).join(" ") };
  return "argv" in hint ? { words: hint.words, command: toText(hint.argv) } : hint;
}

/** The advice for each case. */
export function separateHints(hint: Hint): readonly SingleHint[] {
  return typeof hint === "object" && "otherwise" in hint ? [hint.words, ...hint.otherwise] : [hint];
}

/** A hint in one line, for formats without line breaks. */
export function hintText(hint: Hint): string {
  const { words, command } = hintParts(hint);
  return command === undefined ? words : `${words} ${command}`;
}

/** A hint with a sentence before it. */
export function withSentence(sentence: string, hint: Hint | undefined): Hint {
  if (hint === undefined) return sentence;
  return typeof hint === "string"
    ? `${sentence} ${hint}`
    : { ...hint, words: `${sentence} ${hint.words}` };
}

/** A hint whose texts are changed, for example to mask secrets. */
export function mapHint(hint: Hint, change: (text: string) => string): Hint {
  if (typeof hint === "object" && "otherwise" in hint) {
    const { words, otherwise } = hint;
    return { words: change(words), otherwise: otherwise.map((one) => mapSingle(one, change)) };
  }
  return mapSingle(hint, change);
}

function mapSingle(hint: SingleHint, change: (text: string) => string): SingleHint {
  if (typeof hint === "string") return change(hint);
  const words = change(hint.words);
  if ("command" in hint) return { words, command: change(hint.command) };
  if ("argv" in hint) return { words, argv: hint.argv.map(change) };
  // A changed text would be no correction.
  return { ...hint, words, instead: hint.instead.filter((text) => change(text) === text) };
}

/** Quotes an argument of a command for copying into a shell. */
export function shellWord(word: string): string {
  return /^[\w./@%+,:-][\w./@%+,:=-]*$/.test(word)
    ? word
    : `'${word.replaceAll("'", String.raw`'\''`)}'`;
}
