import { distance } from "fastest-levenshtein";
import yargs, { type Argv, type Options } from "yargs";
import { joined } from "../util/many.ts";
import { didYouMean } from "../util/nearest.ts";
import { UsageError } from "../util/usage-error.ts";
import type { Host } from "../util/host.ts";
import { version } from "../util/version.ts";
import { proseWidth } from "../views/terminal.ts";
import { twoColumns } from "../views/text.ts";
import {
  type Command,
  type CommandGroup,
  type Flag,
  type Flags,
  globalFlags,
  takenBy,
} from "./command.ts";
import { commandGroups, commands } from "./commands.ts";

declare module "yargs" {
  // Missing in @types/yargs.
  interface Argv<T> {
    usageConfiguration(configuration: { readonly "hide-types": boolean }): Argv<T>;
  }
}

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
  const width = proseWidth(host);
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
    // In a narrow terminal yargs would print types and choices without a space after the description.
    .usageConfiguration({ "hide-types": true })
    .usage(`Usage: ivrctl COMMAND [options]\n\n${top.definition.about}`)
    .epilogue(overview(top.definition, width))
    .options(optionsFor(globalFlags))
    .help("help", "Show this help")
    .alias("help", "h")
    .version(version)
    .describe("version", "Print the version of ivrctl")
    .exitProcess(false)
    .fail(false)
    .strictOptions()
    .wrap(width);
  addCommands(cli, top);
  let printed = "";
  try {
    const { _: rest } = await cli.parseAsync([...words], {}, (_error, _values, text) => {
      printed ||= text;
    });
    if (printed === "") throw unknownCommand(rest[0], top);
  } catch (error) {
    if (error instanceof Found) return error.invocation;
    if (error instanceof UsageError || !(error instanceof Error)) throw error;
    const node = nodeIn(words, top);
    throw withHelp(`${error.message}.`, node, meantOption(words, node));
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

/** A command, and the words that name it: `state`, `resolve`. */
interface Node {
  readonly path: readonly string[];
  readonly definition: Command | CommandGroup;
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

/** The command inside a group, or undefined. */
function childOf({ path, definition }: Node, name: string): Node | undefined {
  const inside = "run" in definition ? {} : definition.subcommands;
  const child = Object.hasOwn(inside, name) ? inside[name] : undefined;
  return child && { path: [...path, name], definition: child };
}

/** The command that these words name: `state resolve`. */
function nodeIn(words: readonly string[], top: Node): Node {
  return words.reduce((node, word) => childOf(node, word) ?? node, top);
}

/** The names of the commands in a group. Those of the top are not all loaded. */
function namesIn({ path, definition }: Node): string[] {
  if (path.length === 0) return Object.keys(commands);
  return "run" in definition ? [] : Object.keys(definition.subcommands);
}

/** The first sentence about a command, for a list of commands. */
function firstSentence({ about }: Node["definition"]): string {
  return about.replace(/\.?(?:\n|\. ).*|\.$/s, "");
}

/** The names that shell completion suggests. None: options or files, as yargs does. */
async function namesFor(words: readonly string[], top: Node, host: Host): Promise<string[]> {
  // The words begin with the option of yargs and the name of the program.
  const [before = "", last = ""] = words.slice(2).slice(-2);
  const { suggestNames } = await import("./completion.ts");
  if (before === "--env") return suggestNames("environments", host);
  if (before === "--target") return suggestNames("menus", host);
  if (last.startsWith("-")) return [];
  const node = nodeIn(words.slice(2), top);
  const takes = "run" in node.definition ? takenBy(node.definition) : "";
  return /KEY|PATH|OLD/.test(takes) ? suggestNames("menus", host) : namesIn(node);
}

function addCommands(cli: Argv, parent: Node): void {
  for (const name of namesIn(parent)) {
    const node = childOf(parent, name);
    // The command line does not name it.
    if (node === undefined) continue;
    const { path, definition } = node;
    cli.command({
      command: name,
      // The overview lists the commands of the first level.
      describe: parent.path.length > 0 && firstSentence(definition),
      builder: (subCli: Argv) => describe(subCli, node),
      handler: ({ _: words, ...values }) => {
        const args = words.slice(path.length).map(String);
        const command = "run" in definition ? definition : definition.standard;
        const isKnown = command === definition || args.length === 0;
        if (command === undefined || !isKnown) throw unknownCommand(args[0], node);
        checkArguments(args, takenBy(command), node);
        throw new Found({ command, args, values });
      },
    });
  }
}

/** yargs can count arguments too, but neither `-` nor those after `--`. */
function checkArguments(args: readonly string[], takes: string, node: Node): void {
  const most = takes.includes("..") ? args.length : (takes.match(/[A-Z]+/g)?.length ?? 0);
  const extra = args[most];
  if (extra !== undefined) throw withHelp(`Unexpected argument \`${extra}\`.`, node);
  if (args.includes("")) {
    throw new UsageError("An argument is empty. Check the shell variables on the command line.");
  }
  if (args.length < (takes.match(/</g)?.length ?? 0)) {
    throw withHelp("An argument is missing.", node);
  }
}

/** Describes a command for the help. */
function describe(cli: Argv, node: Node): Argv {
  const { about, examples, ...definition } = node.definition;
  const command = "run" in definition ? definition : definition.standard;
  const takes = "run" in definition ? takenBy(definition) || [] : "SUBCOMMAND";
  const { flags = {} } = definition;
  const usage = ["ivrctl", ...node.path, takes, "[options]"].flat().join(" ");
  cli.usage(`Usage: ${usage}\n\n${about}`);
  // yargs would break long examples.
  const lines = examples.map(([line, what]) => `  ${line}\n      ${what}`);
  cli.epilogue(`Examples:\n${lines.join("\n")}`);
  for (const [name, describe] of Object.entries(command?.arguments ?? {})) {
    cli.positional(name.replaceAll(/\W/g, ""), { describe, type: "string" });
  }
  addCommands(cli, node);
  const format = {
    ...globalFlags.format,
    ...(command && { choices: command.formats ?? ["text"] }),
  };
  const every = Object.keys(globalFlags);
  const names = Object.keys(flags).filter((name) => !every.includes(name));
  return cli
    .options(optionsFor({ ...flags, format }))
    .group(names, "Options:")
    .group([...every, "help", "version"], "Options of every command:");
}

function optionsFor(flags: Flags): Record<string, Options> {
  return Object.fromEntries(Object.entries(flags).map(([name, flag]) => [name, optionFor(flag)]));
}

function optionFor({ short, required, about, ...flag }: Flag): Options {
  const { value, choices } = flag;
  return {
    ...flag,
    // The context reads numbers.
    type: value === undefined ? "boolean" : "string",
    describe: [about, choices && `: ${choices.join(", ")}`, required && " (required)"].join(""),
    // A boolean option takes no value: neither `--quiet=yes` nor the next word.
    nargs: value === undefined ? 0 : 1,
    ...(short && { alias: short }),
    ...(required && { demandOption: true }),
  };
}

/** The options that may be meant by one that the command does not have. */
function meantOption(words: readonly string[], { definition }: Node): string | undefined {
  const names = [...Object.keys({ ...definition.flags, ...globalFlags }), "help", "version"];
  const unknown = words
    .flatMap((word) => /^--([^=]+)/.exec(word)?.[1] ?? [])
    .find((name) => !names.includes(name));
  const meant = unknown === undefined ? [] : similar(unknown, names);
  return didYouMean(meant.map((name) => `--${name}`))?.words;
}

function unknownCommand(word: string | number | undefined, node: Node): UsageError {
  const names = namesIn(node);
  if (word === undefined) return withHelp(`Name a command: ${joined(names, "or")}.`, node);
  const problem = `There is no command \`${[...node.path, word].join(" ")}\`.`;
  return withHelp(problem, node, didYouMean(similar(String(word), names))?.words);
}

/** What is wrong, what was probably meant, and where to look. */
function withHelp(problem: string, { path }: Node, meant?: string): UsageError {
  const words = [problem, meant ?? [], "For details, run:"].flat().join(" ");
  return new UsageError({ words, argv: [...path, "--help"] });
}

/** The names that may be meant: a few letters differ, or only their order. */
function similar(word: string, names: readonly string[]): string[] {
  const letters = (text: string) => text.split("").toSorted().join("");
  const most = Math.max(1, Math.floor(word.length / 3));
  return names.filter((name) => distance(word, name) <= most || letters(word) === letters(name));
}

/** All commands under their headings, which yargs does not have. */
function overview({ subcommands }: CommandGroup, width: number): string {
  const groups = Object.entries(commandGroups).map(([heading, group]) => {
    const rows = Object.keys(group).flatMap((name) => {
      const definition = subcommands[name];
      return definition ? [[name.padEnd(10), firstSentence(definition)] as const] : [];
    });
    return rows.length === 0 ? "" : `${heading}\n${twoColumns(rows, width)}\n`;
  });
  return `${groups.join("")}Run \`ivrctl COMMAND --help\` for the options and examples of a command.`;
}
