import type { Terminal } from "../views/terminal.ts";

/** A command is one literal: what it takes, what it says of itself, what it does. */
export interface Command<F extends Flags = Flags> {
  /** What stands after the name: `[PATH…]`. */
  readonly takes?: string;
  /** How many arguments at the most; any number unless given. */
  readonly maxArguments?: number;
  readonly about: string;
  readonly flags: F;
  /** Its first argument, where that is a word of these. */
  readonly subcommands?: Readonly<Record<string, Subcommand>>;
  /** What a shell offers for its arguments; files where `takes` speaks of them. */
  readonly completes?: Completes;
  /** What `--format` can be; the first is the default. */
  readonly formats: readonly [string, ...string[]];
  readonly examples: readonly (readonly [command: string, what: string])[];
  run(context: Context<F>): Promise<ExitCode>;
}

export interface Subcommand {
  /** Those of the command's flags that are for it. */
  readonly flags: readonly string[];
  readonly completes?: Completes;
}

/** Names that a shell can offer: words, or where to look for them. */
export type Completes =
  | "agent"
  | "code"
  | "department"
  | "environment"
  /** Of a menu, or in the state. */
  | "key"
  /** In the state alone. */
  | "recorded key"
  | "team"
  | readonly string[];

/**
 * 0 fine · 1 something failed or is invalid · 2 a plan found changes, where that
 * was asked · 3 an outcome is unknown · 4 the state is locked · 130 interrupted
 */
export type ExitCode = 0 | 1 | 2 | 3 | 4 | 130;

export interface Flag {
  readonly type: "boolean" | "string";
  readonly short?: string;
  /** What its value is called in the help: FILE. */
  readonly value?: string;
  /** Of a string: it may be given several times, and its values are a list. */
  readonly multiple?: true;
  /** What a shell offers for its value; files where `value` is FILE. */
  readonly completes?: Completes;
  /** For ivrctl's own use: neither helped with nor offered. */
  readonly hidden?: true;
  readonly about: string;
}

export type Flags = Readonly<Record<string, Flag>>;

type FlagValues<F extends Flags> = {
  readonly [K in keyof F]: F[K]["type"] extends "boolean"
    ? boolean
    : F[K] extends { readonly multiple: true }
      ? readonly string[]
      : string | undefined;
};

export interface Context<F extends Flags = Flags> {
  /** Where the project is: the current folder, or that of -C. */
  readonly root: string;
  readonly globals: FlagValues<typeof globalFlags>;
  readonly flags: FlagValues<F>;
  readonly args: readonly string[];
  readonly format: string;
  readonly terminal: Terminal;
  readonly variables: Readonly<Record<string, string | undefined>>;
}

export const globalFlags = {
  directory: {
    type: "string",
    short: "C",
    value: "DIR",
    about: "the project's folder, instead of this one",
  },
  config: { type: "string", value: "FILE", about: "the configuration, instead of ivrctl.yaml" },
  env: {
    type: "string",
    value: "NAME",
    completes: "environment",
    about: "the environment (else IVRCTL_ENV, else default_environment)",
  },
  format: { type: "string", value: "FORMAT", about: "how the result is printed" },
  "no-color": { type: "boolean", about: "no colours (NO_COLOR does the same)" },
  quiet: { type: "boolean", about: "say nothing but problems" },
  verbose: { type: "boolean", about: "say more" },
  help: { type: "boolean", short: "h", about: "this help" },
} as const satisfies Flags;

/** The same literal, with the types of its flags' values inferred. */
export function command<F extends Flags>(definition: Command<F>): Command<F> {
  return definition;
}

/** A wrong call: said in one line, with where to look. */
export class UsageError extends Error {}
