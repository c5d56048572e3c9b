import { styleText } from "node:util";
import type { Host, OutputStream } from "../util/host.ts";
import type { Outputs } from "./output.ts";
import { type Argv, brokenCommand } from "../util/suggest.ts";
import { visible } from "../util/visible.ts";

export type { Outputs } from "./output.ts";
export { visible } from "../util/visible.ts";

export type Style = Parameters<typeof styleText>[0];

/** Styles a text if the output shows styles. */
export type Paint = (style: Style, text: string) => string;

/** Where a text is printed: what it can show, and how wide it is. */
export interface Page {
  readonly style: Paint;
  /** The width for lines that are cut. */
  readonly columns: number;
  /** Where text is wrapped: only on a terminal, so that `grep` finds whole lines. */
  readonly wordWrap: number;
  /** Where long texts are wrapped: only on a terminal, after at most 80 columns. */
  readonly prose: number;
  /** Whether to show everything, as --verbose asks. */
  readonly verbose: boolean;
  /** Returns a path from the root of the project as a path from the current folder. */
  readonly path: (path: string) => string;
  /** Returns a command for the user to copy. It is for the same project. */
  readonly command: (argv: Argv) => string;
}

/** The output of a command. It is itself the page of everything that is not the result: stderr. */
export interface Terminal extends Page {
  /** The page of the result: stdout. */
  readonly result: Page;
  /** Prints the result to stdout. Text for people has no effect on the runner of a pipeline. */
  out(text: string): void;
  /** Prints to stdout what a program reads, whatever the format is. It is never changed. */
  data(text: string): void;
  /** Prints everything else, which is for people, to stderr. */
  say(text: string): void;
  /** Prints a remark to stderr, but not with --quiet. */
  note(text: string): void;
  /** Whether a user can answer a question. */
  readonly interactive: boolean;
}

/** The width of lines that are cut, in a file or a pipe. */
const fileColumns = 120;

/** The parts of the context of a command that views need. */
export interface Audience {
  readonly format: string;
  readonly root: string;
  readonly globals: {
    readonly quiet: boolean;
    readonly verbose: boolean;
    readonly directory: string | undefined;
  };
  readonly terminal: Terminal;
  readonly host: Host;
}

interface Settings {
  readonly color: boolean;
  readonly format: string;
  readonly quiet: boolean;
  readonly verbose: boolean;
  readonly path: Terminal["path"];
  /** The folder of -C, if it is not the current one. */
  readonly directory: string | undefined;
}

/** The width of the help: that of the terminal, but at most 80. */
export function helpWidth({ stdout, env }: Host): number {
  return Math.min(widthOf(stdout, env), 80);
}

function widthOf({ columns }: OutputStream, env: Host["env"]): number {
  // COLUMNS overrides the width of the terminal.
  const asked = /^[1-9]\d{0,4}$/.test(env["COLUMNS"] ?? "") && Number(env["COLUMNS"]);
  // A terminal of unknown width reports 0, anything else undefined.
  return Math.max(asked || columns || 80, 20);
}

export function openTerminal(
  host: Host,
  outputs: Outputs,
  { color, format, quiet, verbose, path, directory }: Settings,
): Terminal {
  const { env, stdin, stdout, stderr } = host;
  const pageOf = (stream: OutputStream): Page => ({
    style: (style, text) =>
      color && wantsColor(stream.isTTY, env)
        ? styleText(style, text, { validateStream: false })
        : text,
    columns: stream.isTTY ? widthOf(stream, env) : fileColumns,
    wordWrap: stream.isTTY ? widthOf(stream, env) : Number.POSITIVE_INFINITY,
    prose: stream.isTTY ? helpWidth(host) : Number.POSITIVE_INFINITY,
    verbose,
    path,
    command: (argv) =>
      brokenCommand(
        argv.map(visible),
        directory,
        stream.isTTY ? widthOf(stream, env) : Number.POSITIVE_INFINITY,
      ),
  });
  return {
    ...pageOf(stderr),
    result: pageOf(stdout),
    out: (text) => {
      if (format === "text") outputs.stdout.write(text);
      else if (format === "json" || format === "sarif") outputs.stdout.writeJson(text);
      else outputs.stdout.writeData(text);
    },
    data: (text) => outputs.stdout.writeData(text),
    say: (text) => outputs.stderr.write(text),
    note: (text) => {
      if (!quiet) outputs.stderr.write(text);
    },
    // Few commands need it, and reading the property opens stdin.
    get interactive() {
      return stdin().isTTY && stderr.isTTY;
    },
  };
}

function wantsColor(isTerminal: boolean, env: Host["env"]): boolean {
  const { NO_COLOR, FORCE_COLOR, TERM } = env;
  if (NO_COLOR !== undefined && NO_COLOR !== "") return false;
  if (FORCE_COLOR !== undefined) return FORCE_COLOR !== "0" && FORCE_COLOR !== "false";
  return isTerminal && TERM !== "dumb";
}
