import yargs, { type Argv, type Options } from "yargs";
import {
  type Command,
  type CommandGroup,
  type Context,
  type Flag,
  type Flags,
  globalFlags,
} from "./command.ts";
import { version } from "../util/version.ts";
import { wrap } from "../views/text.ts";
import type { Failure } from "./problem.ts";
import { type Node, isCommand, loadTree, runBy } from "./tree.ts";

declare module "yargs" {
  // Missing in @types/yargs.
  interface Argv<T> {
    usageConfiguration(configuration: { readonly "hide-types": boolean }): Argv<T>;
  }
}

/** A command line that was read: the command, and what it was given. */
export interface Call {
  readonly kind: "call";
  readonly command: Command;
  readonly values: Values;
  readonly args: readonly string[];
}

export type Values = Readonly<Record<string, unknown>>;

/** A help text or the version, which only has to be printed. */
interface Text {
  readonly kind: "text";
  readonly text: string;
}

const globalGroup = "Options of every command:";

/** Reads a command line with yargs. Throws a UsageError if it is wrong. */
export async function readCall(argv: readonly string[], width: number): Promise<Call | Text> {
  const words = detached(argv[0] === "help" ? [...argv.slice(1), "--help"] : argv);
  const reading = new Reading(await loadTree(words), width);
  const cli = register(reading.root, reading).wrap(Math.max(width, narrowest));
  cli
    .middleware((given) => reading.look(given, cli), true)
    .fail((message, error) => {
      throw message === null ? error : reading.fail(message);
    });
  try {
    await cli.parseAsync(words);
  } catch (error) {
    if (reading.result?.kind === "text") return reading.result;
    if (reading.failure === undefined) throw error;
    const { problemOf } = await import("./problem.ts");
    throw await problemOf(reading.failure, words);
  }
  return reading.result ?? { kind: "text", text: `${await cli.getHelp()}\n` };
}

/** The words with `-Cdir` as `--directory=dir`: yargs takes it for an option of that whole name. */
function detached(argv: readonly string[]): string[] {
  const end = argv.includes("--") ? argv.indexOf("--") : argv.length;
  const attached = new RegExp(`^-${globalFlags.directory.short}(?!=)(.+)`, "s");
  return argv.map((word, at) => (at < end ? word.replace(attached, "--directory=$1") : word));
}

/** yargs breaks the longest option name in two if there is less room than this. */
const narrowest = 48;

/** What yargs has found on the command line so far. */
class Reading implements Listener {
  readonly root: Node;
  readonly #width: number;
  readonly #nodes: Node[];
  #args: readonly string[] = [];
  result: Call | Text | undefined;
  failure: Failure | undefined;

  constructor(root: Node, width: number) {
    this.root = root;
    this.#nodes = [root];
    this.#width = width;
  }

  /** This command was named. */
  enter(node: Node): void {
    this.#nodes.push(node);
  }

  /** Before anything is validated: the version and the help are printed for an incomplete call, too. */
  look(given: Given, cli: Pick<Argv, "showHelp">): void {
    const node = this.#nodes.at(-1) ?? this.root;
    const words = [...given._, ...(given["--"] ?? [])].map(String);
    this.#args = words.slice(this.#nodes.length - 1);
    // A word that names no subcommand is reported; the help of the group would not mention it.
    const unknown = !isCommand(node.definition) && this.#args.length > 0;
    if (given["help"] === true && !unknown) {
      cli.showHelp((text) => {
        this.result = { kind: "text", text: `${text}\n${examplesOf(node, this.#width)}` };
      });
    } else if (given["version"] === true) this.result = { kind: "text", text: `${version}\n` };
    else if (isCommand(node.definition)) this.#refuseNamedArguments(node.definition, given);
  }

  /** yargs takes the name of an argument for an option, too: `--PLANFILE`. */
  #refuseNamedArguments(command: Command, given: Given): void {
    const named = Object.keys(command.arguments ?? {}).find((name) => Object.hasOwn(given, name));
    if (named !== undefined) throw this.fail(`Unknown argument: ${named}`);
  }

  /** Everything is valid. */
  take(command: Command, values: Values): void {
    this.result ??= { kind: "call", command, values, args: this.#args };
  }

  fail(message: string): Error {
    this.failure = { message, nodes: this.#nodes, args: this.#args };
    return new Error(message);
  }
}

type Given = Values & { readonly _: readonly unknown[]; readonly "--"?: readonly unknown[] };

interface Listener {
  /** yargs has found this command among the words. */
  enter(node: Node): void;
  /** The words are a valid call of this command. */
  take(command: Command, values: Values): void;
}

/** A yargs that knows these commands. */
export function register(root: Node, listener: Listener): Argv {
  const cli = yargs()
    .scriptName("ivrctl")
    .locale("en")
    .updateStrings({ "Positionals:": "Arguments:" })
    .parserConfiguration({
      "boolean-negation": false,
      "camel-case-expansion": false,
      "dot-notation": false,
      "nargs-eats-options": true,
      "parse-numbers": false,
      "parse-positional-numbers": false,
      "short-option-groups": false,
    })
    // In a narrow terminal yargs prints types and choices right behind the last word of a description.
    .usageConfiguration({ "hide-types": true })
    .exitProcess(false)
    // The help of yargs would also answer the last word `help`, which may be the key of a menu.
    .help(false)
    .version(false)
    .strictCommands()
    .strictOptions()
    .options(mapFlags(globalFlags, (flag) => ({ ...optionOf(flag), group: globalGroup })))
    .usage("Usage: ivrctl COMMAND [options]\n\nPhone menus as code.")
    .epilogue("Run `ivrctl COMMAND --help` for the options and examples of a command.");
  addChildren(cli, root, listener);
  return cli;
}

function addChildren(cli: Argv, { children }: Node, listener: Listener, known: Flags = {}): void {
  // The parser must know which options take a value, because they may stand before their command.
  for (const flags of children.flatMap(flagsIn)) {
    const others = Object.entries(flags).filter(([name]) => !Object.hasOwn(known, name));
    cli.options(mapFlags(Object.fromEntries(others), passedOn));
  }
  for (const node of children) {
    cli.command(
      node.name,
      node.about,
      (own) => {
        listener.enter(node);
        if (isCommand(node.definition)) describe(own, node, node.definition);
        else if (node.definition !== undefined) describeGroup(own, node, node.definition, listener);
      },
      (values) => {
        const command = runBy(node);
        if (command !== undefined) listener.take(command, values);
      },
    );
  }
}

function flagsIn({ definition, children }: Node): Flags[] {
  return isCommand(definition) ? [definition.flags] : children.flatMap(flagsIn);
}

function passedOn({ type }: Flag): Options {
  return { type, nargs: type === "boolean" ? 0 : 1, global: false, hidden: true };
}

function describeGroup(cli: Argv, node: Node, group: CommandGroup, listener: Listener): void {
  const standard = runBy(node);
  addChildren(cli, node, listener, standard?.flags);
  cli.usage(
    `Usage: ivrctl ${node.path} ${standard ? "[SUBCOMMAND]" : "SUBCOMMAND"} [options]\n\n${group.about}`,
  );
  if (standard === undefined) cli.demandCommand(1, "missing-subcommand");
  else {
    cli.options(mapFlags(standard.flags, (flag) => ({ ...optionOf(flag), global: false })));
    addFormat(cli, standard);
  }
  cli.epilogue(
    `Run \`ivrctl ${node.path} SUBCOMMAND --help\` for the options and examples of a subcommand.`,
  );
}

function describe(cli: Argv, { path }: Node, command: Command): void {
  const { takes, about, minArguments = 0, maxArguments = Number.POSITIVE_INFINITY } = command;
  const usage = ["ivrctl", path, takes ?? [], "[options]"].flat().join(" ");
  cli.usage(`Usage: ${usage}\n\n${about}`).strictCommands(false);
  for (const [name, what] of Object.entries(command.arguments ?? {})) {
    cli.positional(name, { describe: what });
  }
  cli.options(mapFlags(command.flags, optionOf));
  addFormat(cli, command);
  cli.demandCommand(minArguments, maxArguments, "missing-argument", "extra-argument");
  // Most likely a variable that is not set.
  if (minArguments > 0) cli.check(({ _: words }) => !words.includes("") || "empty-argument");
}

function addFormat(cli: Argv, { formats }: Command): void {
  const format = optionOf({ ...globalFlags.format, choices: formats });
  cli.option("format", { ...format, group: globalGroup });
}

function optionOf(flag: Flag): Options {
  const { type, short, choices, required, conflicts, implies, about } = flag;
  return {
    type,
    describe: [about, choices && `: ${choices.join(", ")}`, required && " (required)"].join(""),
    // A boolean takes no value, neither `--quiet=yes` nor the word behind it.
    nargs: type === "boolean" ? 0 : 1,
    group: "Options:",
    ...(short === undefined ? {} : { alias: short }),
    ...(choices === undefined ? {} : { choices }),
    ...(required === undefined ? {} : { demandOption: required }),
    ...(conflicts === undefined ? {} : { conflicts }),
    ...(implies === undefined ? {} : { implies }),
    ...(type === "boolean" || flag.multiple ? {} : { coerce: last }),
  };
}

/** Of an option that is given several times, the last value counts. */
function last(given: unknown): unknown {
  return Array.isArray(given) ? given.at(-1) : given;
}

function mapFlags(flags: Flags, option: (flag: Flag) => Options): Record<string, Options> {
  return Object.fromEntries(Object.entries(flags).map(([name, flag]) => [name, option(flag)]));
}

/** The values of these flags, in the types they promise. */
export function valuesOf<F extends Flags>(flags: F, values: Values): Context<F>["flags"] {
  const own = Object.entries(flags).map(([name, { type, multiple }]) => {
    const value = values[name];
    if (type === "boolean") return [name, value === true];
    return [name, multiple ? (value === undefined ? [] : [value].flat()) : value];
  });
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- made from F's own entries
  return Object.fromEntries(own) as Context<F>["flags"];
}

/** Not by yargs, which breaks a long command over several lines: then it cannot be copied. */
function examplesOf({ definition }: Node, width: number): string {
  if (definition === undefined || definition.examples.length === 0) return "";
  const lines = definition.examples.map(
    ([line, what]) => `  ${line}\n${wrap(what, "      ", width)}\n`,
  );
  return `\nExamples:\n${lines.join("")}`;
}
