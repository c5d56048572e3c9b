import type { Command, Context, ExitCode, Flags } from "../../src/cli/command.ts";
import compile from "../../src/commands/compile.ts";
import validate from "../../src/commands/validate.ts";

interface Options {
  readonly root: string;
  readonly args?: readonly string[];
  readonly format?: string;
  readonly variables?: Record<string, string>;
  readonly globals?: Partial<Context["globals"]>;
  readonly flags?: Record<string, string | boolean>;
}

export interface Ran {
  readonly exit: ExitCode;
  /** What went to stdout. */
  readonly out: string;
  /** What went to stderr. */
  readonly said: string;
}

/** A command in this process, without colours and with what it printed. */
async function run<F extends Flags>(command: Command<F>, options: Options): Promise<Ran> {
  let out = "";
  let said = "";
  const context = {
    root: options.root,
    globals: {
      directory: undefined,
      config: undefined,
      env: undefined,
      format: undefined,
      "no-color": false,
      quiet: false,
      verbose: false,
      help: false,
      version: false,
      ...options.globals,
    },
    flags: options.flags ?? {},
    args: options.args ?? [],
    format: options.format ?? command.formats[0],
    variables: options.variables ?? {},
    terminal: {
      out: (text: string) => void (out += text),
      say: (text: string) => void (said += text),
      style: (_: unknown, text: string) => text,
      styleOut: (_: unknown, text: string) => text,
      live: false,
      signs: true,
      interactive: false,
      unread: new AbortController().signal,
      columns: 120,
      wordWrap: Number.POSITIVE_INFINITY,
      outColumns: 120,
      prose: 80,
    },
  };
  const exit = await command.run(context as unknown as Context<F>);
  return { exit, out, said };
}

export const validateCommand = (options: Options) => run(validate, options);
export const compileCommand = (options: Options) => run(compile, options);
