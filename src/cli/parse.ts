import yargs, { type Argv, type Options } from "yargs";
import parseWords from "yargs-parser";
import { joined } from "../util/many.ts";
import { didYouMean, nearest } from "../util/nearest.ts";
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

const parserConfiguration = {
  "boolean-negation": false,
  "camel-case-expansion": false,
  "dot-notation": false,
  "nargs-eats-options": true,
  "parse-numbers": false,
  "parse-positional-numbers": false,
  "short-option-groups": false,
};

const completionOption = "--get-yargs-completions";

/**
 * Reads a command line. Returns the command to run, or a text to print: the help, the version, or the
 * script and the words for shell completion. Throws a UsageError if the command line is wrong.
 */
export async function parse(
  argv: readonly string[],
  { width, root }: { readonly width: number; readonly root: string },
): Promise<Invocation | string> {
  const words = argv[0] === "help" || argv.length === 0 ? [...argv.slice(1), "--help"] : argv;
  const isCompletion = words[0] === completionOption;
  // The words to complete follow the option of yargs and the name of the program.
  const typed = isCompletion ? words.slice(2) : words;
  const place = await find(typed);
  const names = isCompletion ? await suggestions(typed, place, root) : [];
  // The list of commands needs all their modules.
  const isHelp = typed.some((word) => word === "--help" || word === "-h");
  const list = isHelp && place.group ? await listed(place.group, width) : "";
  const cli = describe(place, { names, list, width });
  let printed = "";
  try {
    const read = await cli.parseAsync([...words], {}, (_error, _values, text) => {
      printed ||= text;
    });
    if (printed !== "") return `${printed}\n`;
    const { _: all, ...values } = read;
    const args = all.slice(place.path.length).map(String);
    const { command, group } = place;
    const isUnknown = group !== undefined && args[0] !== undefined;
    if (command === undefined || isUnknown) throw unknownCommand(args[0], place);
    checkArguments(args, place, command.takes);
    return { command, args, values };
  } catch (error) {
    if (error instanceof UsageError || !(error instanceof Error)) throw error;
    throw withHelp(`${error.message}.`, place, meantOption(words, place));
  }
}

/** What the words of a command line name. */
interface Place {
  /** The names from the top to here: `state`, `resolve`. */
  readonly path: readonly string[];
  /** The command. If there is also a group, its default subcommand. */
  readonly command?: Command;
  /** The group, if the words name none of its commands. */
  readonly group?: CommandGroup;
}

const top: CommandGroup = {
  about:
    "Manage phone menus as YAML files in git: plan changes, then apply them to a telephony service.",
  subcommands: commands,
  examples: [],
};

/** Finds what the words name. Only the modules on the way there are loaded. */
async function find(words: readonly string[]): Promise<Place> {
  const { _: named } = parseWords([...words], {
    string: ["directory", "C", "env", "format"],
    boolean: ["no-color", "quiet", "verbose", "help", "h", "version"],
    configuration: parserConfiguration,
  });
  let found: Command | CommandGroup = top;
  const path: string[] = [];
  for (const name of named.map(String)) {
    if ("run" in found || !Object.hasOwn(found.subcommands, name)) break;
    const next: Command | CommandGroup | undefined = await found.subcommands[name]?.();
    if (next === undefined) break;
    found = next;
    path.push(name);
  }
  if ("run" in found) return { path, command: found };
  const { defaultSubcommand = "", subcommands } = found;
  const implied = await subcommands[defaultSubcommand]?.();
  return { path, group: found, ...(implied && "run" in implied && { command: implied }) };
}

/** Describes a command or a group to yargs: its help, its options, and the words that complete it. */
function describe(
  { path, command, group }: Place,
  { names, list, width }: { names: readonly string[]; list: string; width: number },
): Argv {
  const { about, flags = {}, examples } = group ?? command ?? top;
  const { arguments: described = {}, formats } = command ?? {};
  const takes = group === undefined ? command?.takes : path.length === 0 ? "COMMAND" : "SUBCOMMAND";
  const usage = ["ivrctl", ...path, takes ?? [], "[options]"].flat().join(" ");
  // yargs has no headings for commands, and would break long examples.
  const shown = examples.map(([line, what]) => `  ${line}\n      ${what}`);
  const more =
    group === top
      ? "Run `ivrctl COMMAND --help` for the options and examples of a command."
      : `Examples:\n${shown.join("\n")}`;
  const format = { ...globalFlags.format, ...(formats && { choices: formats }) };
  const every = Object.keys(globalFlags);
  const own = Object.keys(flags).filter((name) => !every.includes(name));
  // yargs counts the parameters: with four, it passes its own completion.
  const complete: CompletionFunction = (_word, _values, otherwise, done) => {
    if (names.length > 0) done([...names]);
    else otherwise();
  };
  const cli = yargs()
    .scriptName("ivrctl")
    .locale("en")
    .updateStrings({ "Positionals:": "Arguments:" })
    .parserConfiguration(parserConfiguration)
    // In a narrow terminal yargs would print types and choices without a space after the description.
    .usageConfiguration({ "hide-types": true })
    .usage(`Usage: ${usage}\n\n${about}`)
    .epilogue(list === "" ? more : `${list}\n${more}`)
    .options(optionsFor({ ...globalFlags, ...command?.flags, ...flags, format }))
    .group(own, "Options:")
    .group([...every, "help", "version"], "Options of every command:")
    .help("help", "Show this help")
    .alias("help", "h")
    .version(version)
    .describe("version", "Print the version of ivrctl")
    .completion("completion", false, complete)
    .exitProcess(false)
    .fail(false)
    .strictOptions()
    .wrap(width);
  for (const [name, text] of Object.entries(described)) {
    cli.positional(name, { describe: text, type: "string" });
  }
  return cli;
}

type CompletionFunction = (
  word: string,
  values: unknown,
  otherwise: () => void,
  done: (names: string[]) => void,
) => void;

/** The commands of a group, those of the first level under their headings. */
async function listed(group: CommandGroup, width: number): Promise<string> {
  const table = async (entries: Subcommands) => {
    const rows = Object.entries(entries).map(async ([name, load]) => {
      const { about } = await load();
      return [name.padEnd(10), about.replace(/\.?(?:\n|\. ).*|\.$/s, "")] as const;
    });
    return twoColumns(await Promise.all(rows), width);
  };
  if (group !== top) return `Commands:\n${await table(group.subcommands)}`;
  const parts = Object.entries(commandGroups).map(
    async ([heading, entries]) => `${heading}\n${await table(entries)}`,
  );
  const completion = "Print the completion script for the shell in $SHELL";
  return `${(await Promise.all(parts)).join("\n")}${twoColumns([["completion", completion]], width)}`;
}

/** The names that shell completion suggests. None: options or files, as yargs does. */
async function suggestions(
  words: readonly string[],
  { path, command, group }: Place,
  root: string,
): Promise<readonly string[]> {
  const [before = "", last = ""] = words.slice(-2);
  const { suggestNames } = await import("./suggest-names.ts");
  if (before === "--env") return suggestNames("environments", root);
  if (before === "--target") return suggestNames("menus", root);
  if (last.startsWith("-")) return [];
  if (group)
    return [...Object.keys(group.subcommands), ...(path.length === 0 ? ["completion"] : [])];
  return /KEY|PATH|OLD/.test(command?.takes ?? "") ? suggestNames("menus", root) : [];
}

/** yargs can count arguments too, but neither `-` nor those after `--`. */
function checkArguments(args: readonly string[], place: Place, takes = ""): void {
  const most = takes.includes("..") ? args.length : (takes.match(/[A-Z]+/g)?.length ?? 0);
  const extra = args[most];
  if (extra !== undefined) throw withHelp(`Unexpected argument \`${extra}\`.`, place);
  if (args.includes("")) {
    throw new UsageError("An argument is empty. Check the shell variables on the command line.");
  }
  if (args.length < (takes.match(/</g)?.length ?? 0)) {
    throw withHelp("An argument is missing.", place);
  }
}

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
function meantOption(words: readonly string[], { command }: Place): string | undefined {
  const names = [...Object.keys({ ...command?.flags, ...globalFlags }), "help", "version"];
  const unknown = words
    .map((word) => /^--([^=]+)/.exec(word)?.[1] ?? "help")
    .find((name) => !names.includes(name));
  return unknown && didYouMean(nearest(unknown, names).map((name) => `--${name}`));
}

function unknownCommand(word: string | undefined, place: Place): UsageError {
  const names = Object.keys((place.group ?? top).subcommands);
  if (word === undefined) return withHelp(`Name a command: ${joined(names, "or")}.`, place);
  const problem = `There is no command \`${[...place.path, word].join(" ")}\`.`;
  return withHelp(problem, place, didYouMean(nearest(word, names)));
}

/** What is wrong, what was probably meant, and where to look. */
function withHelp(problem: string, { path }: Place, meant?: string): UsageError {
  const words = [problem, meant ?? [], "For details, run:"].flat().join(" ");
  return new UsageError({ words, argv: [...path, "--help"] });
}
