import { distance } from "fastest-levenshtein";
import yargs, { type Argv, type Options } from "yargs";
import { didYouMean } from "../util/nearest.ts";
import { UsageError } from "../util/usage-error.ts";
import { version } from "../util/version.ts";
import { twoColumns } from "../views/text.ts";
import { type Command, type CommandEntry, type Flag, type Flags, globalFlags } from "./command.ts";
import { commandGroups, commands } from "./commands.ts";

declare module "yargs" {
  // Missing in @types/yargs.
  interface Argv<T> {
    usageConfiguration(configuration: { readonly "hide-types": boolean }): Argv<T>;
  }
}

/** The values of options and arguments by name, as yargs returns them. */
export type Values = Readonly<Record<string, unknown>> & {
  readonly _: readonly (string | number)[];
};

/** A valid command line: the command, and the options and arguments that it was given. */
export interface Invocation {
  readonly command: Command;
  readonly values: Values;
}

/**
 * Reads a command line. Returns the command to run, or a text to print: the help, the version, or the
 * script and the words for shell completion. Throws a UsageError if the command line is wrong.
 */
export async function parse(
  argv: readonly string[],
  { width, root }: { readonly width: number; readonly root: string },
): Promise<Invocation | string> {
  const words = argv[0] === "help" || argv.length === 0 ? [...argv.slice(1), "--help"] : argv;
  const level = { path: [], children: await load(commands, words) };
  const names = words[0] === "--get-yargs-completions" ? await namesFor(words, level, root) : [];
  // yargs counts the parameters: with four, it passes its own completion.
  const complete: CompletionFunction = (_word, _values, otherwise, done) => {
    if (names.length > 0) done(names);
    else otherwise();
  };
  const isOverview = /^-(?:h|-help)$/.test(words.join(" "));
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
      "populate--": true,
      "short-option-groups": false,
    })
    // In a narrow terminal yargs would print types and choices without a space after the description.
    .usageConfiguration({ "hide-types": true })
    .usage(
      "Usage: ivrctl COMMAND [options]\n\nManage phone menus as YAML files in git: plan changes, then apply them to a telephony service.",
    )
    .epilogue(isOverview ? await overview(width) : "")
    .options(optionsFor(globalFlags))
    .help("help", "Show this help")
    .alias("help", "h")
    .version(version)
    .describe("version", "Print the version of ivrctl")
    .completion("completion", false, complete)
    .exitProcess(false)
    .fail(false)
    .strictOptions()
    .wrap(width);
  addCommands(cli, level);
  let printed = "";
  try {
    const { _: rest } = await cli.parseAsync([...words], {}, (_error, _values, text) => {
      printed ||= text;
    });
    if (printed === "") throw unknownCommand(rest[0], level);
  } catch (error) {
    if (error instanceof Found) return error.invocation;
    if (error instanceof UsageError || !(error instanceof Error)) throw error;
    const path = pathIn(words, level);
    throw withHelp(`${error.message}.`, path, meantOption(words, commandAt(path, level)));
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

type CompletionFunction = (
  word: string,
  values: unknown,
  otherwise: () => void,
  done: (names: string[]) => void,
) => void;

/** A command in the tree that is registered with yargs. */
interface CommandNode {
  /** The names from the root to here: `state`, `resolve`. */
  readonly path: readonly string[];
  readonly entry: CommandEntry;
  /** Undefined for a group, and if the command line does not name the command. */
  readonly command?: Command;
  /** It is the default of its group, and the command line does not name it. */
  readonly isImplied?: boolean;
  readonly group?: Level & { readonly about: string; readonly examples: Command["examples"] };
}

interface Level {
  readonly path: readonly string[];
  readonly children: readonly CommandNode[];
}

/** Loads the modules of the commands that these words name. yargs only lists the others. */
async function load(
  entries: Readonly<Record<string, CommandEntry>>,
  words: readonly string[],
  above: { readonly path: readonly string[]; readonly standard?: string | undefined } = {
    path: [],
  },
): Promise<readonly CommandNode[]> {
  const names = Object.keys(entries);
  const implied = names.some((name) => words.includes(name)) ? undefined : above.standard;
  return Promise.all(
    Object.entries(entries).map(async ([name, entry]): Promise<CommandNode> => {
      const path = [...above.path, name];
      const isImplied = name === implied;
      if (!isImplied && !words.includes(name)) return { path, entry };
      const definition = await entry.load();
      if ("run" in definition) return { path, entry, command: definition, isImplied };
      const below = { path, standard: definition.defaultSubcommand };
      const children = await load(definition.subcommands, words, below);
      return { path, entry, group: { ...definition, path, children } };
    }),
  );
}

/** The names of the first commands in these words: `state resolve`. */
function pathIn(words: readonly string[], { path, children }: Level): readonly string[] {
  const plain = words.filter((word) => !word.startsWith("-"));
  const node = children.find((child) => child.path.at(-1) === plain[path.length]);
  return node?.group ? pathIn(words, node.group) : (node?.path ?? path);
}

/** The names that shell completion suggests. None: options, subcommands or files, as yargs does. */
async function namesFor(words: readonly string[], level: Level, root: string): Promise<string[]> {
  // The words begin with the option of yargs and the name of the program.
  const [before = "", last = ""] = words.slice(2).slice(-2);
  const { suggestNames } = await import("./suggest-names.ts");
  if (before === "--env") return suggestNames("environments", root);
  if (before === "--target") return suggestNames("menus", root);
  if (last.startsWith("-")) return [];
  const path = pathIn(words.slice(2), level);
  if (path.length === 0) return [...level.children.flatMap((node) => node.path), "completion"];
  const takes = commandAt(path, level)?.takes ?? "";
  return /KEY|PATH|OLD/.test(takes) ? suggestNames("menus", root) : [];
}

function commandAt(path: readonly string[], { children }: Level): Command | undefined {
  const nodes = children.flatMap((node) => [node, ...(node.group?.children ?? [])]);
  return nodes.find((node) => node.path.join(" ") === path.join(" "))?.command;
}

function addCommands(cli: Argv, level: Level): void {
  for (const { path, entry, command, group, isImplied = false } of level.children) {
    const name = path.at(-1) ?? "";
    cli.command({
      command: [signature(name, command), ...(isImplied ? ["$0"] : [])],
      // The overview lists the commands of the first level.
      describe: level.path.length > 0 && (entry.about ?? ""),
      builder: (own: Argv) => {
        if (command) describeCommand(own, path, command, isImplied ? level : undefined);
        if (group) describeGroup(own, group);
        return own;
      },
      handler: (values) => {
        if (command) throw new Found({ command, values });
        if (group) throw unknownCommand(values._[path.length], group);
      },
    });
  }
}

/** yargs does not count arguments after `--`, so none is required here. */
function signature(name: string, command: Command | undefined): string {
  return `${name} ${command?.takes ?? ""}`.replace(/<(.+?)>/g, "[$1]").trim();
}

function describeGroup(cli: Argv, group: NonNullable<CommandNode["group"]>): void {
  const { path, about, examples } = group;
  cli.usage(`Usage: ivrctl ${path.join(" ")} SUBCOMMAND [options]\n\n${about}`);
  addCommands(cli, group);
  describeRest(cli, examples);
}

/** `group` is the group of an implied command, whose usage and examples the help shows. */
function describeCommand(
  cli: Argv,
  path: readonly string[],
  command: Command,
  group: Level | undefined,
): void {
  const { takes, about, flags, formats, examples } = command;
  const usage = ["ivrctl", ...path, takes ?? [], "[options]"].flat().join(" ");
  if (group === undefined) cli.usage(`Usage: ${usage}\n\n${about}`);
  for (const [name, describe] of Object.entries(command.arguments ?? {})) {
    cli.positional(name, { describe, type: "string" });
    // Without this, yargs reads the argument `-` as an empty one.
    if (!takes?.includes(`${name}..`)) cli.nargs(name, 1);
  }
  cli.options(optionsFor({ ...flags, format: { ...globalFlags.format, choices: formats } }));
  cli.check((values: Values) => {
    const given = argumentsOf(command, values);
    const most = takes?.includes("..") ? given.length : (takes?.split(" ").length ?? 0);
    const extra = values._[(group ?? { path }).path.length] ?? given[most];
    if (extra !== undefined) {
      throw group
        ? unknownCommand(extra, group)
        : withHelp(`Unexpected argument \`${extra}\`.`, path);
    }
    if (given.includes("")) {
      throw new UsageError("An argument is empty. Check the shell variables on the command line.");
    }
    if (given.length < (takes?.match(/</g)?.length ?? 0)) {
      throw withHelp("An argument is missing.", path);
    }
    return true;
  });
  describeRest(cli, group ? [] : examples, Object.keys(flags));
}

/** Adds the headings of options in the help, and the examples. yargs would break long examples. */
function describeRest(cli: Argv, examples: Command["examples"], own: readonly string[] = []): void {
  const every = Object.keys(globalFlags).filter((name) => !own.includes(name));
  cli.group([...own], "Options:").group([...every, "help", "version"], "Options of every command:");
  const lines = examples.map(([line, what]) => `  ${line}\n      ${what}`);
  if (lines.length > 0) cli.epilogue(`Examples:\n${lines.join("\n")}`);
}

/** The values of the arguments, in order. Those after `--` may begin with a hyphen. */
export function argumentsOf({ takes = "" }: Command, values: Values): string[] {
  const names = [...takes.matchAll(/[A-Z]+/g)].map(([name]) => name);
  return [...names, "--"].flatMap((name) => values[name] ?? []).map(String);
}

function optionsFor(flags: Flags): Record<string, Options> {
  return Object.fromEntries(Object.entries(flags).map(([name, flag]) => [name, optionFor(flag)]));
}

function optionFor({ type, short, choices, required, conflicts, implies, about }: Flag): Options {
  return {
    type,
    describe: [about, choices && `: ${choices.join(", ")}`, required && " (required)"].join(""),
    // A boolean option takes no value: neither `--quiet=yes` nor the next word.
    nargs: type === "boolean" ? 0 : 1,
    ...(short === undefined ? {} : { alias: short }),
    ...(choices === undefined ? {} : { choices }),
    ...(required === undefined ? {} : { demandOption: required }),
    ...(conflicts === undefined ? {} : { conflicts }),
    ...(implies === undefined ? {} : { implies }),
  };
}

/** The options that may be meant by one that the command does not have. */
function meantOption(words: readonly string[], command: Command | undefined): string | undefined {
  const names = [...Object.keys({ ...command?.flags, ...globalFlags }), "help", "version"];
  const unknown = words
    .map((word) => /^--([^=]+)/.exec(word)?.[1] ?? "help")
    .find((name) => !names.includes(name));
  const meant = unknown === undefined ? [] : similar(unknown, names);
  return didYouMean(meant.map((name) => `--${name}`));
}

function unknownCommand(word: string | number | undefined, { path, children }: Level): UsageError {
  if (word === undefined) return withHelp("Name a command.", path);
  const names = children.map((child) => child.path.at(-1) ?? "");
  const problem = `There is no command \`${[...path, word].join(" ")}\`.`;
  return withHelp(problem, path, didYouMean(similar(String(word), names)));
}

/** What is wrong, and what was probably meant or else where to look. */
function withHelp(problem: string, path: readonly string[], meant?: string): UsageError {
  return new UsageError(
    meant === undefined
      ? { words: `${problem} For details, run:`, argv: [...path, "--help"] }
      : `${problem} ${meant}`,
  );
}

/** The names that may be meant: a few letters differ, or only their order. */
function similar(word: string, names: readonly string[]): string[] {
  const letters = (text: string) => text.split("").toSorted().join("");
  const most = Math.max(1, Math.floor(word.length / 3));
  return names.filter((name) => distance(word, name) <= most || letters(word) === letters(name));
}

/** All commands under their headings, which yargs does not have. */
async function overview(width: number): Promise<string> {
  const groups = Object.entries(commandGroups).map(async ([heading, group]) => {
    const rows = Object.entries(group).map(async ([name, load]) => {
      const { about } = (await load()).default;
      return [name.padEnd(10), about.replace(/\.?(?:\n|\. ).*|\.$/s, "")] as const;
    });
    return `${heading}\n${twoColumns(await Promise.all(rows), width)}`;
  });
  const completion = twoColumns(
    [["completion", "Print the completion script for the shell in $SHELL"]],
    width,
  );
  const rest = "Run `ivrctl COMMAND --help` for the options and examples of a command.";
  return `${(await Promise.all(groups)).join("\n")}${completion}\n${rest}`;
}
