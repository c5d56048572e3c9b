import type { Argv } from "yargs";
import { type Command, type Context, type Flags, globalFlags } from "./command.ts";
import { version } from "../util/version.ts";
import { wrap } from "../views/text.ts";
import { commandGroups } from "./commands.ts";
import type { Failure } from "./problem.ts";
import { type Listener, type Values, globalGroup, registerCommands } from "./register.ts";
import { type CommandNode, isCommand, loadTree } from "./tree.ts";

/** A valid command line: the command, and the options and arguments that it was given. */
export interface Invocation {
  readonly kind: "invocation";
  readonly command: Command;
  readonly values: Values;
  readonly args: readonly string[];
}

/** A help text or the version, which only has to be printed. */
interface Text {
  readonly kind: "text";
  readonly text: string;
}

/** Reads a command line with yargs. Throws a UsageError if it is wrong. */
export async function readCommandLine(
  argv: readonly string[],
  width: number,
): Promise<Invocation | Text> {
  const words = withLongDirectory(argv[0] === "help" ? [...argv.slice(1), "--help"] : argv);
  const tree = await loadTree(words);
  const listed = tree.children.map((node) => ({ ...node, isListed: true }));
  const reading = new Reading({ ...tree, children: listed }, width);
  const cli = registerCommands(reading.root, words, reading).wrap(Math.max(width, narrowest));
  cli
    .middleware((given) => reading.beforeValidation(given, cli), true)
    .fail((message, error) => {
      throw message === null ? error : reading.fail(message);
    });
  try {
    await cli.parseAsync(words);
  } catch (error) {
    if (reading.result !== undefined) return reading.result;
    if (reading.failure === undefined) throw error;
    const { usageErrorFor } = await import("./problem.ts");
    throw await usageErrorFor(reading.failure, words);
  }
  return reading.result ?? { kind: "text", text: `${overview(await cli.getHelp(), width)}\n` };
}

/** Returns the values of these flags, with the types that the flags declare. */
export function valuesOf<F extends Flags>(flags: F, values: Values): Context<F>["flags"] {
  const own = Object.entries(flags).map(([name, { type, multiple }]) => {
    const value = values[name];
    if (type === "boolean") return [name, value === true];
    return [name, multiple ? (value === undefined ? [] : [value].flat()) : [value].flat()[0]];
  });
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- made from F's own entries
  return Object.fromEntries(own) as Context<F>["flags"];
}

/** Replaces `-Cdir` by `--directory=dir`, because yargs reads it as an option with the name `Cdir`. */
function withLongDirectory(argv: readonly string[]): string[] {
  const end = argv.includes("--") ? argv.indexOf("--") : argv.length;
  const attached = new RegExp(`^-${globalFlags.directory.short}(?!=)(.+)`, "s");
  return argv.map((word, at) => (at < end ? word.replace(attached, "--directory=$1") : word));
}

/** The minimum width of the help. With fewer columns yargs breaks the longest option name in two. */
const narrowest = 50;

/** What yargs has found on the command line so far. */
class Reading implements Listener {
  readonly root: CommandNode;
  readonly #width: number;
  readonly #nodes: CommandNode[];
  #args: readonly string[] = [];
  result: Invocation | Text | undefined;
  failure: Failure | undefined;

  constructor(root: CommandNode, width: number) {
    this.root = root;
    this.#nodes = [root];
    this.#width = width;
  }

  enter(node: CommandNode): void {
    this.#nodes.push(node);
  }

  /** Handles --help and --version first, because they work even if the command line is incomplete. */
  beforeValidation(given: Given, cli: Pick<Argv, "showHelp">): void {
    const node = this.#nodes.at(-1) ?? this.root;
    const words = [...given._, ...(given["--"] ?? [])].map(String);
    this.#args = words.slice(this.#nodes.length - 1);
    // An unknown subcommand is an error. The help of the group would not mention the mistake.
    const unknown = !isCommand(node.definition) && this.#args.length > 0;
    if (given["help"] === true && !unknown) {
      cli.showHelp((text) => {
        const help = node === this.root ? overview(text, this.#width) : text;
        this.result = { kind: "text", text: `${help}\n${examplesOf(node, this.#width)}` };
      });
    } else if (given["version"] === true) this.result = { kind: "text", text: `${version}\n` };
    else if (isCommand(node.definition)) this.#refuseNamedArguments(node.definition, given);
  }

  /** Refuses an option with the name of an argument, such as `--FILE`, which yargs accepts. */
  #refuseNamedArguments(command: Command, given: Given): void {
    const named = Object.keys(command.arguments ?? {}).find((name) => Object.hasOwn(given, name));
    if (named !== undefined) throw this.fail(`Unknown argument: ${named}`);
  }

  accept(command: Command, values: Values): void {
    this.result ??= { kind: "invocation", command, values, args: this.#args };
    // Ends the parsing: otherwise yargs renders the help of every command that runs.
    throw new Accepted();
  }

  fail(message: string): Error {
    this.failure = { message, nodes: this.#nodes, args: this.#args };
    return new Error(message);
  }
}

class Accepted extends Error {}

type Given = Values & { readonly _: readonly unknown[]; readonly "--"?: readonly unknown[] };

/** Adds all commands to the help of ivrctl, under their headings. */
function overview(help: string, width: number): string {
  const indent = " ".repeat(14);
  const groups = commandGroups.map(({ heading, commands }) => {
    const lines = Object.entries(commands).map(
      ([name, { about }]) => `  ${name.padEnd(12)}${wrap(about, indent, width).trimStart()}\n`,
    );
    return `${heading}\n${lines.join("")}\n`;
  });
  return help.replace(globalGroup, () => groups.join("") + globalGroup);
}

/** The examples in the help. yargs would wrap long commands, and then they cannot be copied. */
function examplesOf({ definition }: CommandNode, width: number): string {
  if (definition === undefined || definition.examples.length === 0) return "";
  const lines = definition.examples.map(
    ([line, what]) => `  ${line}\n${wrap(what, "      ", width)}\n`,
  );
  return `\nExamples:\n${lines.join("")}`;
}
