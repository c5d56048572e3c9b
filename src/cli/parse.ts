import { distance } from "fastest-levenshtein";
import yargs, { type Argv, type Options } from "yargs";
import { joined } from "../util/many.ts";
import { didYouMean } from "../util/nearest.ts";
import { UsageError } from "../util/usage-error.ts";
import type { Host } from "../util/host.ts";
import { version } from "../util/version.ts";
import { helpWidth } from "../views/terminal.ts";
import {
  type Command,
  type CommandGroup,
  type Flag,
  type Flags,
  globalFlags,
  argumentNames,
  valueNames,
} from "./command.ts";
import { commands } from "./commands.ts";
import { type CommandNode, childOf, helpText, nodeIn } from "./help.ts";

/** A valid command line: the command, its arguments, and the values of its options. */
export interface Invocation {
  readonly command: Command;
  readonly args: readonly string[];
  readonly values: Readonly<Record<string, unknown>>;
}

/**
 * Reads a command line. Returns the command to run, or a text to print: the help, the version, or the
 * words for shell completion. Throws a UsageError if the command line is wrong.
 */
export async function parse(argv: readonly string[], host: Host): Promise<Invocation | string> {
  const words = argv[0] === "help" || argv.length === 0 ? [...argv.slice(1), "--help"] : argv;
  const top = { path: [], definition: await load(words) };
  const names = words[0] === "--get-yargs-completions" ? await namesFor(words, top, host) : [];
  if (names.length > 0) return `${names.join("\n")}\n`;
  const cli = yargs()
    .scriptName("ivrctl")
    .locale("en")
    .parserConfiguration({
      "boolean-negation": false,
      "camel-case-expansion": false,
      "dot-notation": false,
      "nargs-eats-options": true,
      "parse-numbers": false,
      "parse-positional-numbers": false,
      "short-option-groups": false,
    })
    .options(optionsFor(globalFlags))
    .help("help", "Show this help")
    .alias("help", "h")
    .version(version)
    .exitProcess(false)
    .fail(false)
    .strictOptions();
  addCommands(cli, top);
  let printed = "";
  try {
    const values = await cli.parseAsync([...words], {}, (_error, _values, text) => {
      printed ||= text;
    });
    const named = values._.map(String);
    // The help of yargs has no names for values, and would repeat the common options for each command.
    if (values["help"] === true) return helpText(nodeIn(named, top), helpWidth(host));
    if (printed === "") throw unknownCommand(named[0], top);
  } catch (error) {
    if (error instanceof Found) return error.invocation;
    if (error instanceof UsageError || !(error instanceof Error)) throw error;
    const node = nodeIn(words, top);
    throw withHelp(problemIn(error.message, node), node, meantOption(words, node));
  }
  return `${printed}\n`;
}

/** Thrown to leave yargs: after a handler that returns, it would format the help of the command. */
class Found extends Error {
  readonly invocation: Invocation;

  constructor(invocation: Invocation) {
    super();
    this.invocation = invocation;
  }
}

/** Loads the commands that these words name. For the help of ivrctl, loads all. */
async function load(words: readonly string[]): Promise<CommandGroup> {
  const isNamed = Object.keys(commands).some((name) => words.includes(name));
  const isHelp = !isNamed && (words.includes("--help") || words.includes("-h"));
  const loading = Object.entries(commands).map(async ([name, command]) =>
    isHelp || words.includes(name) ? [[name, await command()] as const] : [],
  );
  return {
    about:
      "Manage phone menus as YAML files in git: plan changes, then apply them to a telephony service.",
    subcommands: Object.fromEntries((await Promise.all(loading)).flat()),
    examples: [],
  };
}

/** The names of the commands in a group. Those of the top are not all loaded. */
function namesIn({ path, definition }: CommandNode): string[] {
  if (path.length === 0) return Object.keys(commands);
  return "run" in definition ? [] : Object.keys(definition.subcommands);
}

/** The names that shell completion suggests. None: options or files, as yargs does. */
async function namesFor(words: readonly string[], top: CommandNode, host: Host): Promise<string[]> {
  // The words begin with the option of yargs and the name of the program.
  const [before = "", last = ""] = words.slice(2).slice(-2);
  const { suggestNames } = await import("./completion-script.ts");
  if (before === "--env") return suggestNames("environments", host);
  if (before === "--target") return suggestNames("menus", host);
  if (last.startsWith("-")) return [];
  const node = nodeIn(words.slice(2), top);
  const takes = "run" in node.definition ? argumentNames(node.definition) : "";
  if (takes.includes("TOPIC")) return (await import("../diagnostics/topics.ts")).topics();
  return /KEY|PATH|OLD/.test(takes) ? suggestNames("menus", host) : namesIn(node);
}

function addCommands(cli: Argv, parent: CommandNode): void {
  for (const name of namesIn(parent)) {
    const node = childOf(parent, name);
    // The command line does not name it.
    if (node === undefined) continue;
    const { path, definition } = node;
    cli.command({
      command: name,
      describe: false,
      builder: (subCli: Argv) => declare(subCli, node),
      handler: ({ _: words, ...values }) => {
        const args = words.slice(path.length).map(String);
        const command = "run" in definition ? definition : definition.standard;
        const isKnown = command === definition || args.length === 0;
        if (command === undefined || !isKnown) throw unknownCommand(args[0], node);
        checkArguments(args, argumentNames(command), node);
        throw new Found({ command, args, values });
      },
    });
  }
}

/** yargs can count arguments too, but neither `-` nor those after `--`. */
function checkArguments(args: readonly string[], takes: string, node: CommandNode): void {
  const most = takes.includes("..") ? args.length : (takes.match(/[A-Z]+/g)?.length ?? 0);
  const extra = args[most];
  if (extra !== undefined) throw withHelp(`Unexpected argument \`${extra}\`.`, node);
  if (args.includes("")) {
    throw new UsageError("An argument is empty. Check the shell variables on the command line.");
  }
  if (args.length < (takes.match(/</g)?.length ?? 0)) {
    const whole = ["ivrctl", ...node.path, takes].join(" ");
    throw withHelp(`An argument is missing: \`${whole}\`.`, node);
  }
}

/** Declares the subcommands and options of a command. */
function declare(cli: Argv, node: CommandNode): Argv {
  addCommands(cli, node);
  return cli.options(optionsFor(flagsOf(node)));
}

function flagsOf({ definition }: CommandNode): Flags {
  const command = "run" in definition ? definition : definition.standard;
  const { format } = globalFlags;
  const choices = command && { choices: command.formats ?? ["text"] };
  return { ...globalFlags, ...definition.flags, format: { ...format, ...choices } };
}

function optionsFor(flags: Flags): Record<string, Options> {
  return Object.fromEntries(Object.entries(flags).map(([name, flag]) => [name, optionFor(flag)]));
}

function optionFor({ short, required, about, ...flag }: Flag): Options {
  const { value } = flag;
  return {
    ...flag,
    // The context reads numbers.
    type: value === undefined ? "boolean" : "string",
    describe: about,
    // A boolean option takes no value: neither `--quiet=yes` nor the next word.
    nargs: value === undefined ? 0 : 1,
    ...(short && { alias: short }),
    ...(required && { demandOption: true }),
  };
}

/** The options that may be meant by one that the command does not have. */
function meantOption(words: readonly string[], node: CommandNode): string | undefined {
  const names = [...Object.keys(flagsOf(node)), "help", "version"];
  const unknown = words
    .flatMap((word) => /^--?([a-z][^=]*)/i.exec(word)?.[1] ?? [])
    .find((name) => !names.includes(name));
  if (unknown === "dry-run") return "`ivrctl plan` shows what apply would do.";
  const known = names.find((name) => name === optionsElsewhere.get(unknown ?? ""));
  const meant = known ? [known] : unknown === undefined ? [] : similar(unknown, names);
  return meant.length === 0
    ? undefined
    : `Did you mean ${joined(
        meant.map((name) => `--${name}`),
        "or",
      )}?`;
}

/** What options of other tools are called here. */
const optionsElsewhere: ReadonlyMap<string, string> = new Map([
  ["y", "auto-approve"],
  ["yes", "auto-approve"],
]);

/** What to run instead of commands of other tools. */
const commandsElsewhere: ReadonlyMap<string, readonly string[]> = new Map([
  ["state ls", ["state", "list"]],
  ["ls", ["state", "list"]],
  ["list", ["state", "list"]],
  ["rollback", ["explain", "roll-back"]],
  ["destroy", ["explain", "everyday"]],
  ["lint", ["validate"]],
]);

/** What a message of yargs means, in plain words. */
function problemIn(message: string, node: CommandNode): string {
  const flags = flagsOf(node);
  const after = (start: RegExp) => {
    const [said] = start.exec(message) ?? [];
    return said === undefined ? [] : message.slice(said.length).trim().split(", ");
  };
  const option = (name: string) => (name.length === 1 ? `-${name}` : `--${name}`);
  const [unknown] = after(/^Unknown arguments?: /);
  if (unknown !== undefined) return `There is no option ${option(unknown)}.`;
  const [open] = after(/^Not enough arguments following: /);
  if (open !== undefined) {
    const flag = flags[open] ?? Object.values(flags).find(({ short }) => short === open);
    return `${option(open)} needs ${valueNames[flag?.value ?? "NAME"]}.`;
  }
  const [bare] = after(/^Argument unexpected for: /);
  if (bare !== undefined) return `${option(bare)} takes no value.`;
  const [missing] = after(/^Missing required arguments?: /);
  if (missing !== undefined)
    return `The option ${option(missing)} ${flags[missing]?.value ?? ""} is missing.`;
  const [, wrong = "", given = ""] = /Argument: (.*), Given: "(.*)", Choices: /.exec(message) ?? [];
  if (wrong !== "") {
    return `--${wrong} takes ${joined(flags[wrong]?.choices ?? [], "or")}, not ${given}.`;
  }
  const [, one = "", two = ""] =
    /^Arguments (.*) and (.*) are mutually exclusive$/.exec(message) ?? [];
  if (one !== "") return `--${one} and --${two} cannot be combined.`;
  const [, alone = "", needed = ""] = /:\n (.*) -> (.*)$/.exec(message) ?? [];
  return alone === "" ? `${message}.` : `--${alone} needs --${needed}.`;
}

function unknownCommand(word: string | number | undefined, node: CommandNode): UsageError {
  const names = namesIn(node);
  if (word === undefined) return withHelp(`Choose a command: ${joined(names, "or")}.`, node);
  const asked = [...node.path, word].join(" ");
  const problem = `There is no command \`${asked}\`.`;
  const argv = commandsElsewhere.get(asked);
  if (argv) return new UsageError({ words: `${problem} Run:`, argv });
  return withHelp(problem, node, didYouMean(similar(String(word), names))?.words);
}

/** What is wrong, what was probably meant, and where to look. */
function withHelp(problem: string, { path }: CommandNode, meant?: string): UsageError {
  const words = [problem, meant ?? [], "For details, run:"].flat().join(" ");
  return new UsageError({ words, argv: [...path, "--help"] });
}

/** The names that may be meant: a few letters differ, or only their order. */
function similar(word: string, names: readonly string[]): string[] {
  const letters = (text: string) => text.split("").toSorted().join("");
  const most = Math.max(1, Math.floor(word.length / 3));
  return names.filter((name) => distance(word, name) <= most || letters(word) === letters(name));
}
