import { styleText } from "node:util";
import { stderr, stdout } from "./output.ts";

export { visible } from "../util/visible.ts";

export type Style = Parameters<typeof styleText>[0];

/** Styles a text if the output shows styles. */
export type Paint = (style: Style, text: string) => string;

/** The output of a command, and what it can show. */
export interface Terminal {
  /** Prints the result, which scripts read, to stdout. */
  out(text: string): void;
  /** Prints everything else, which is for people, to stderr. */
  say(text: string): void;
  /** Returns a path from the root of the project as a path from the current folder. */
  readonly path: (path: string) => string;
  /** Styles for `say`. */
  readonly style: Paint;
  /** Styles for `out`. */
  readonly styleOut: Paint;
  /** The width of lines for `say`. */
  readonly columns: number;
  /** Where text for `say` is wrapped: only on a terminal, so that `grep` finds whole lines. */
  readonly wordWrap: number;
  /** The width of lines for `out`: unlimited if stdout is not a terminal. */
  readonly outColumns: number;
  /** The width of prose in the result: at most 80. */
  readonly prose: number;
  /** Whether lines can be overwritten: on a terminal, but not in the log of a pipeline. */
  readonly live: boolean;
  /** Whether characters beyond ASCII can be shown. */
  readonly signs: boolean;
  /** Aborted when the reader of the result has stopped, as with `| head`. */
  readonly unread: AbortSignal;
  /** Whether a user can answer a question. */
  readonly interactive: boolean;
}

/** One of the streams of a terminal, for text that can go to either. */
export interface Stream {
  write(text: string): void;
  readonly style: Paint;
  /** The width for lines that are cut. */
  readonly columns: number;
  /** Where text is wrapped: only on a terminal. */
  readonly wordWrap: number;
  readonly path: Terminal["path"];
}

/** The stream for the result: stdout. */
export function resultStream(terminal: Terminal): Stream {
  const { styleOut: style, outColumns, path } = terminal;
  const columns = Number.isFinite(outColumns) ? outColumns : fileColumns;
  return { write: (text) => terminal.out(text), style, columns, wordWrap: outColumns, path };
}

/** The stream for everything else: stderr. */
export function messageStream(terminal: Terminal): Stream {
  const { style, columns, wordWrap, path } = terminal;
  return { write: (text) => terminal.say(text), style, columns, wordWrap, path };
}

/** Returns a message with the paths in it relative to the current folder. */
export function withPaths(message: string, path: Terminal["path"]): string {
  return message.replaceAll(/(?<![\w./-])(?:ivrs|\.ivrctl)\/[\w./@+-]*\w/g, (found) => path(found));
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
  readonly variables: Readonly<Record<string, string | undefined>>;
}

/** The sequence that clears the line of the cursor. Only for a terminal that is `live`. */
export const clearLine = "\r\u001B[K";

interface Settings {
  readonly color: boolean;
  /** Whether the result is JSON. */
  readonly json: boolean;
  readonly variables: Readonly<Record<string, string | undefined>>;
  readonly path?: Terminal["path"];
}

export function processTerminal({ color, json, variables, path }: Settings): Terminal {
  // COLUMNS overrides the width of the terminal.
  const asked = /^[1-9]\d{0,4}$/.test(variables["COLUMNS"] ?? "") && Number(variables["COLUMNS"]);
  // A terminal of unknown width reports 0, anything else undefined.
  const widthOf = (stream: { readonly columns: number | undefined }) =>
    Math.max(asked || stream.columns || 80, 20);
  const paint =
    (isTerminal: boolean): Paint =>
    (style, text) =>
      color && wantsColor(isTerminal, variables)
        ? styleText(style, text, { validateStream: false })
        : text;
  const unread = new AbortController();
  stdout.onError(() => unread.abort());
  return {
    unread: unread.signal,
    out: (text) => (json ? stdout.writeJson(text) : stdout.write(text)),
    say: (text) => stderr.write(text),
    path: path ?? ((given) => given),
    style: paint(stderr.isTTY),
    styleOut: paint(stdout.isTTY),
    columns: stderr.isTTY ? widthOf(stderr) : fileColumns,
    wordWrap: stderr.isTTY ? widthOf(stderr) : Number.POSITIVE_INFINITY,
    outColumns: stdout.isTTY ? widthOf(stdout) : Number.POSITIVE_INFINITY,
    prose: Math.min(widthOf(stdout), 80),
    live: stderr.isTTY && variables["TERM"] !== "dumb" && !variables["CI"],
    signs: variables["TERM"] !== "dumb",
    // Few commands need it, and reading the property opens stdin.
    get interactive() {
      return process.stdin.isTTY && stderr.isTTY;
    },
  };
}

function wantsColor(isTerminal: boolean, variables: Settings["variables"]): boolean {
  const { NO_COLOR, FORCE_COLOR, TERM } = variables;
  if (NO_COLOR !== undefined && NO_COLOR !== "") return false;
  if (FORCE_COLOR !== undefined) return FORCE_COLOR !== "0" && FORCE_COLOR !== "false";
  return isTerminal && TERM !== "dumb";
}
