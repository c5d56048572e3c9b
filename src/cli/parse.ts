import { distance } from "fastest-levenshtein";
import yargs, { type Argv, type Options } from "yargs";
import { joined } from "../util/many.ts";
import { didYouMean } from "../util/nearest.ts";
import { UsageError } from "../util/usage-error.ts";
import { version } from "../util/version.ts";
import { twoColumns } from "../views/text.ts";
import {
  type Command,
  type CommandGroup,
  type Flag,
  type Flags,
  type Subcommands,
  globalFlags,
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
export async function parse(
  argv: readonly string[],
  { width, root }: { readonly width: number; readonly root: string },
): Promise<Invocation | string> {
  const words = argv[0] === "help" || argv.length === 0 ? [...argv.slice(1), "--help"] : argv;
  const top: Node = { path: [], children: await load(commands, words, []) };
  const names = words[0] === "--get-yargs-completions" ? await namesFor(words, top, root) : [];
  if (names.length > 0) return `${names.join("\n")}\n`;
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
    .usage(
      "Usage: ivrctl COMMAND [options]\n\nManage phone menus as YAML files in git: plan changes, then apply them to a telephony service.",
    )
    .epilogue(isHelp(words) ? overview(top, width) : "")
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

/** A command in the tree that is registered with yargs. */
interface Node {
  /** The names from the top to here: `state`, `resolve`. */
  readonly path: readonly string[];
  /** Undefined if the command line does not need it. */
  readonly definition?: Command | CommandGroup;
  /** Whether it is the default of its group, and the command line names no subcommand. */
  readonly isImplied?: boolean;
  readonly children: readonly Node[];
}

/** Loads the commands that these words name. For the help of a group, loads all its commands. */
async function load(
  subcommands: Subcommands,
  words: readonly string[],
  above: readonly string[],
  standard?: string,
): Promise<readonly Node[]> {
  const named = Object.keys(subcommands).filter((name) => words.includes(name));
  const isListed = named.length === 0 && isHelp(words);
  return Promise.all(
    Object.entries(subcommands).map(async ([name, command]): Promise<Node> => {
      const path = [...above, name];
      const isImplied = named.length === 0 && name === standard;
      if (!isImplied && !isListed && !named.includes(name)) return { path, children: [] };
      const definition = await command();
      const children =
        "run" in definition || isListed
          ? []
          : await load(definition.subcommands, words, path, definition.defaultSubcommand);
      return { path, definition, isImplied, children };
    }),
  );
}

function isHelp(words: readonly string[]): boolean {
  return words.includes("--help") || words.includes("-h");
}

/** The first sentence about a command, for a list of commands. */
function firstSentence({ definition }: Node): string {
  return definition?.about.replace(/\.?(?:\n|\. ).*|\.$/s, "") ?? "";
}

/** The command that these words begin with: `state resolve`. */
function nodeIn(words: readonly string[], node: Node): Node {
  const name = words.filter((word) => !word.startsWith("-"))[node.path.length];
  const child = node.children.find(({ path }) => path.at(-1) === name);
  return child === undefined ? node : nodeIn(words, child);
}

/** The names that shell completion suggests. None: options or files, as yargs does. */
async function namesFor(words: readonly string[], top: Node, root: string): Promise<string[]> {
  // The words begin with the option of yargs and the name of the program.
  const [before = "", last = ""] = words.slice(2).slice(-2);
  const { suggestNames } = await import("./completion.ts");
  if (before === "--env") return suggestNames("environments", root);
  if (before === "--target") return suggestNames("menus", root);
  if (last.startsWith("-")) return [];
  const node = nodeIn(words.slice(2), top);
  if (node.children.length > 0) {
    return node.children.map(({ path }) => path.at(-1) ?? "");
  }
  const { definition } = node;
  const takes = definition && "run" in definition ? definition.takes : undefined;
  return /KEY|PATH|OLD/.test(takes ?? "") ? suggestNames("menus", root) : [];
}

/** Registers the commands that are loaded: the command line names no other. */
function addCommands(cli: Argv, parent: Node): void {
  for (const node of parent.children) {
    const { definition, isImplied } = node;
    if (definition === undefined) continue;
    cli.command({
      command: [node.path.at(-1) ?? "", ...(isImplied ? ["$0"] : [])],
      // The overview lists the commands of the first level.
      describe: parent.path.length > 0 && firstSentence(node),
      builder: (subCli: Argv) => describe(subCli, node, definition),
      handler: ({ _: words, ...values }) => {
        // An implied command is not among the words.
        const { path } = isImplied ? parent : node;
        const args = words.slice(path.length).map(String);
        if (!("run" in definition)) throw unknownCommand(args[0], node);
        if (isImplied && args[0] !== undefined) throw unknownCommand(args[0], parent);
        checkArguments(args, definition.takes ?? "", node);
        throw new Found({ command: definition, args, values });
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

/** Describes a command for the help. An implied one has the usage and the examples of its group. */
function describe(cli: Argv, node: Node, definition: Command | CommandGroup): Argv {
  const { path, isImplied } = node;
  const isCommand = "run" in definition;
  const { takes, arguments: described = {}, formats } = isCommand ? definition : group;
  const { flags = {} } = definition;
  if (!isImplied) {
    const usage = ["ivrctl", ...path, takes ?? [], "[options]"].flat().join(" ");
    cli.usage(`Usage: ${usage}\n\n${definition.about}`);
    // yargs would break long examples.
    const examples = definition.examples.map(([line, what]) => `  ${line}\n      ${what}`);
    cli.epilogue(`Examples:\n${examples.join("\n")}`);
  }
  for (const [name, about] of Object.entries(described)) {
    cli.positional(name, { describe: about, type: "string" });
  }
  addCommands(cli, node);
  const format = { ...globalFlags.format, ...(formats && { choices: formats }) };
  cli.options(optionsFor({ ...flags, format }));
  const every = Object.keys(globalFlags);
  const names = Object.keys(flags).filter((name) => !every.includes(name));
  return cli
    .group(names, "Options:")
    .group([...every, "help", "version"], "Options of every command:");
}

/** What a group has instead of the arguments of a command. */
const group: Pick<Partial<Command>, "takes" | "arguments" | "formats"> = { takes: "SUBCOMMAND" };

function optionsFor(flags: Flags): Record<string, Options> {
  return Object.fromEntries(Object.entries(flags).map(([name, flag]) => [name, optionFor(flag)]));
}

function optionFor({ short, required, about, ...flag }: Flag): Options {
  const { type, choices } = flag;
  return {
    ...flag,
    describe: [about, choices && `: ${choices.join(", ")}`, required && " (required)"].join(""),
    // A boolean option takes no value: neither `--quiet=yes` nor the next word.
    nargs: type === "boolean" ? 0 : 1,
    ...(short && { alias: short }),
    ...(required && { demandOption: true }),
  };
}

/** The options that may be meant by one that the command does not have. */
function meantOption(words: readonly string[], { definition }: Node): string | undefined {
  const names = [...Object.keys({ ...definition?.flags, ...globalFlags }), "help", "version"];
  const unknown = words
    .flatMap((word) => /^--([^=]+)/.exec(word)?.[1] ?? [])
    .find((name) => !names.includes(name));
  const meant = unknown === undefined ? [] : similar(unknown, names);
  return didYouMean(meant.map((name) => `--${name}`))?.words;
}

function unknownCommand(word: string | number | undefined, node: Node): UsageError {
  const names = node.children.map(({ path }) => path.at(-1) ?? "");
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
function overview({ children }: Node, width: number): string {
  const groups = Object.entries(commandGroups).map(([heading, group]) => {
    const nodes = children.filter(({ path: [name = ""] }) => Object.hasOwn(group, name));
    const rows = nodes.map(
      (node) => [node.path.join(" ").padEnd(10), firstSentence(node)] as const,
    );
    return `${heading}\n${twoColumns(rows, width)}\n`;
  });
  return `${groups.join("")}Run \`ivrctl COMMAND --help\` for the options and examples of a command.`;
}
