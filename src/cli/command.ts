import type { Project } from "../project/open-project.ts";
import type { Terminal } from "../views/terminal.ts";
import type { Result } from "./result.ts";
import type { Host } from "../util/host.ts";

/** A command: its arguments and options, its help text, and the function that runs it. */
export interface Command<F extends Flags = Flags> {
  /**
   * The arguments as yargs reads them: `<KEY>`, `[PATH..]`. A FILE is a path relative to the folder of
   * the user, a PATH may also be a menu key, and a KEY the path of a menu.
   */
  readonly takes?: string;
  /** The description of each argument, for the help. */
  readonly arguments?: Readonly<Record<string, string>>;
  readonly about: string;
  readonly flags: F;
  /** Whether the command works in the current folder, even inside a project. */
  readonly createsProject?: true;
  /** The values of `--format`; the first is the default. */
  readonly formats: readonly [string, ...string[]];
  readonly examples: readonly (readonly [command: string, what: string])[];
  run(context: Context<F>): Promise<Result>;
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

/** An option of a command. */
export interface Flag {
  readonly type: "boolean" | "string" | "number";
  readonly short?: string;
  /** What its value is: FILE or DIR for a path, KEY for a menu, TEXT for a text that is not empty. */
  readonly value?: string;
  /** Only for strings: the flag can be repeated, and its value is a list. */
  readonly multiple?: true;
  /** The only values it can have. */
  readonly choices?: readonly string[];
  /** Only for strings: its value is a list of these words, with commas. The flag can be repeated. */
  readonly list?: readonly string[];
  /** Only for numbers, which are whole and not negative: the largest. */
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
  readonly [K in keyof F]: F[K]["type"] extends "boolean"
    ? boolean
    : F[K] extends { readonly list: readonly (infer Word)[] }
      ? readonly Word[]
      : F[K] extends { readonly multiple: true }
        ? readonly string[]
        : F[K]["type"] extends "number"
          ? number | undefined
          : F[K] extends { readonly required: true }
            ? string
            : string | undefined;
};

/** What a command gets when it runs. */
export interface Context<F extends Flags = Flags> {
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
  /** Returns the project as its repository has it now, if the checkout may be outdated. */
  readonly latest?: (project: Project) => Promise<Project>;
  /**
   * Set in a job that must not write to the service. A plan then uses the token that can only read.
   * Without one, it uses no token (`review`), or that of the environment (`check`).
   */
  readonly reads?: "review" | "check";
}

export const globalFlags = {
  directory: {
    type: "string",
    short: "C",
    about: "Use the project in this folder (default: the nearest one with ivrctl.yaml)",
  },
  env: {
    type: "string",
    about: "Use this environment (default: IVRCTL_ENV, then default_environment)",
  },
  format: { type: "string", about: "Print in this format" },
  "no-color": { type: "boolean", about: "Print without colors (like NO_COLOR)" },
  quiet: { type: "boolean", about: "Print only problems" },
  verbose: { type: "boolean", about: "Print more details" },
} as const satisfies Flags;

/** Returns the definition unchanged. It lets the compiler infer the types of the flags. */
export function command<F extends Flags>(definition: Command<F>): Command<F> {
  return definition;
}
