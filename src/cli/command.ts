import type { Caller } from "../operations/caller.ts";
import type { Terminal } from "../views/terminal.ts";
import type { ResultIn } from "../views/result.ts";
import type { Host } from "../util/host.ts";

/** A command: its arguments and options, its help text, and the function that runs it. */
export interface Command<F extends Flags = Flags, N extends string = string> {
  /**
   * The description of each argument, by how the help shows it: `<KEY>`, `[PATH..]`. A FILE is a path
   * relative to the folder of the user, a PATH may also be a menu key, and a KEY the path of a menu.
   */
  readonly arguments?: Readonly<Record<string, string>>;
  readonly about: string;
  readonly flags?: F;
  /** Whether the command works in the current folder, even inside a project. */
  readonly createsProject?: true;
  /** The values of `--format`; the first is the default. Without any, the command prints text. */
  readonly formats?: readonly [N, ...N[]];
  readonly examples: readonly (readonly [command: string, what: string])[];
  run(context: Context<F>): Promise<ResultIn<N>>;
}

/** A command that consists of subcommands, such as `state`. */
export interface CommandGroup {
  readonly about: string;
  readonly subcommands: Readonly<Record<string, Command | CommandGroup>>;
  /** What runs if the command line names no subcommand. If undefined, it must name one. */
  readonly standard?: Command;
  /** Options that all its subcommands describe in their own way, for its help. */
  readonly flags?: Flags;
  readonly examples: Command["examples"];
}

/** What the values of options are, and what a message calls a missing one. */
export const valueNames = {
  ADDRESS: "an address",
  /** The path of a folder. */
  DIR: "a folder",
  FAULT: "a fault",
  /** The path of a file. */
  FILE: "a file",
  FORMAT: "a format",
  /** A menu. */
  KEY: "a menu key",
  KEYS: "the keys to press",
  LIST: "one or more words",
  /** A whole number that is not negative. */
  N: "a number",
  NAME: "a name",
  PLATFORM: "a platform",
  REF: "a git revision",
  RUN: "the number of a run",
  /** A whole number of seconds. */
  SECONDS: "a number of seconds",
  SOURCE: "`live` or a git revision",
  /** A text that is not empty. */
  TEXT: "a text",
  URL: "an address",
  WHO: "a name",
} as const;

export interface Flag {
  readonly short?: string;
  /** What its value is, as the help shows it. Without, the option is on or off. */
  readonly value?: keyof typeof valueNames;
  /** The flag can be repeated, and its value is a list. */
  readonly multiple?: true;
  /** The only values it can have. */
  readonly choices?: readonly string[];
  /** Its value is a list of these words, with commas. The flag can be repeated. */
  readonly list?: readonly string[];
  /** The largest number. */
  readonly max?: number;
  readonly required?: true;
  /** The flag that cannot be given together with this one. */
  readonly conflicts?: string;
  /** The flag that must be given together with this one. */
  readonly implies?: string;
  readonly about: string;
}

export type Flags = Readonly<Record<string, Flag>>;

type FlagValues<F extends Flags> = {
  readonly [K in keyof F]: F[K] extends { readonly list: readonly (infer Word)[] }
    ? readonly Word[]
    : F[K] extends { readonly multiple: true }
      ? readonly string[]
      : F[K] extends { readonly value: "N" | "SECONDS" }
        ? number | undefined
        : F[K] extends { readonly value: string; readonly required: true }
          ? string
          : F[K] extends { readonly value: string }
            ? string | undefined
            : boolean;
};

/** What a command gets when it runs. */
export interface Context<F extends Flags = Flags> extends Caller {
  /** The folder of the project: the folder of -C, or the nearest one with ivrctl.yaml. */
  readonly root: string;
  readonly globals: FlagValues<typeof globalFlags>;
  /** Paths in options and arguments are relative to `root`. */
  readonly flags: FlagValues<F>;
  readonly args: readonly string[];
  /** One of the command's `formats`. */
  readonly format: string;
  readonly terminal: Terminal;
  readonly host: Host;
  /** Runs a command line on a host, for a protocol that offers commands. Returns the exit code. */
  readonly run: (argv: readonly string[], host: Host) => Promise<number>;
}

export const globalFlags = {
  directory: {
    value: "DIR",
    short: "C",
    about: "Use the project in this folder (default: the nearest one with ivrctl.yaml)",
  },
  env: {
    value: "NAME",
    about: "Use this environment (default: IVRCTL_ENV, then default_environment)",
  },
  format: { value: "FORMAT", about: "Print in this format (`ivrctl COMMAND --help` lists them)" },
  "no-color": { about: "Print without colors (like NO_COLOR)" },
  quiet: { about: "Print only problems" },
  verbose: { about: "Print more details" },
} as const satisfies Flags;

/** The arguments of a command as its help shows them: `[FILE] [NAME..]`. */
export function argumentNames({ arguments: described = {} }: Pick<Command, "arguments">): string {
  return Object.keys(described).join(" ");
}

/** Returns the definition unchanged. It lets the compiler infer the types of the flags. */
export function command<F extends Flags, const N extends string = "text">(
  definition: Command<F, N>,
): Command<F, N> {
  return definition;
}
