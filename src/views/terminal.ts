import { styleText } from "node:util";

export type Style = Parameters<typeof styleText>[0];

/** Where views print, and what it can show. */
export interface Terminal {
  /** The result: what a script reads. */
  out(text: string): void;
  /** Everything said to a person beside the result. */
  say(text: string): void;
  /** For `say`: styled where that is a terminal that shows it. */
  style(style: Style, text: string): string;
  /** The same for `out`. */
  styleOut(style: Style, text: string): string;
  /** The width of lines said. */
  readonly columns: number;
  /** Where words are broken: on a terminal its width, elsewhere nowhere, for the sake of `grep`. */
  readonly wordWrap: number;
  /** The width of the result's lines: as wide as they like where it is no terminal. */
  readonly outColumns: number;
  /** Lines said can be written over: a terminal, and no log of a pipeline. */
  readonly live: boolean;
  /** Somebody sits there who can be asked. */
  readonly interactive: boolean;
}

interface Settings {
  readonly color: boolean;
  readonly variables: Readonly<Record<string, string | undefined>>;
}

export function processTerminal({ color, variables }: Settings): Terminal {
  const { stdin, stdout, stderr } = process;
  const paint =
    (isTerminal: boolean) =>
    (style: Style, text: string): string =>
      color && wantsColor(isTerminal, variables)
        ? styleText(style, text, { validateStream: false })
        : text;
  return {
    out: (text) => stdout.write(text),
    say: (text) => stderr.write(text),
    style: paint(stderr.isTTY),
    styleOut: paint(stdout.isTTY),
    columns: stderr.isTTY ? Math.max(stderr.columns, 20) : 120,
    wordWrap: stderr.isTTY ? Math.max(stderr.columns, 20) : Number.POSITIVE_INFINITY,
    outColumns: stdout.isTTY ? Math.max(stdout.columns, 20) : Number.POSITIVE_INFINITY,
    live: stderr.isTTY && variables["TERM"] !== "dumb" && !variables["CI"],
    interactive: stdin.isTTY && stderr.isTTY,
  };
}

function wantsColor(isTerminal: boolean, variables: Settings["variables"]): boolean {
  const { NO_COLOR, FORCE_COLOR, TERM } = variables;
  if (NO_COLOR !== undefined && NO_COLOR !== "") return false;
  if (FORCE_COLOR !== undefined) return FORCE_COLOR !== "0" && FORCE_COLOR !== "false";
  return isTerminal && TERM !== "dumb";
}

// Controls, and what turns or hides text: bidirectional marks, zero-width
// characters, line separators, the tag block.
const unsafe =
  // eslint-disable-next-line no-control-regex -- these are the characters looked for
  /[\u0000-\u001F\u007F-\u009F\u061C\u180E\u200B-\u200C\u200E-\u200F\u2028-\u202E\u2060-\u206F\uFEFF\uFFF9-\uFFFB]|[\u{E0000}-\u{E0FFF}]|[\uD800-\uDFFF]/gu;

/** Text from outside, fit for a terminal: what could command or deceive is made visible. */
export function visible(text: string): string {
  return text.replace(unsafe, (character) => {
    const code = character.codePointAt(0) ?? 0;
    if (code < 0x20) return String.fromCodePoint(0x2400 + code);
    if (code === 0x7f) return "\u2421";
    return `\\u{${code.toString(16).toUpperCase()}}`;
  });
}
