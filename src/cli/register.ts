import yargs, { type Argv, type Options } from "yargs";
import { type Command, type CommandGroup, type Flag, type Flags, globalFlags } from "./command.ts";
import { type CommandNode, commandToRun, isCommand } from "./tree.ts";

declare module "yargs" {
  // Missing in @types/yargs.
  interface Argv<T> {
    usageConfiguration(configuration: { readonly "hide-types": boolean }): Argv<T>;
  }
}

/** The values of options by name, as yargs returns them. */
export type Values = Readonly<Record<string, unknown>>;

/** Receives what yargs finds on the command line. */
export interface Listener {
  /** The command line names this command. */
  enter(node: CommandNode): void;
  /** The command line is valid and runs this command. */
  accept(command: Command, values: Values): void;
}

/** Returns a yargs parser for these commands, to parse these words. */
export function registerCommands(
  root: CommandNode,
  words: readonly string[],
  listener: Listener,
): Argv {
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
    .exitProcess(false)
    // yargs would also print its help if the last word is `help`, which may be a menu key.
    .help(false)
    .version(false)
    .strictCommands()
    .strictOptions()
    .options(mapFlags(globalFlags, (flag) => ({ ...optionOf(flag), group: globalGroup })))
    .usage(
      "Usage: ivrctl COMMAND [options]\n\nManage phone menus as YAML files in git: plan changes, then apply them to a telephony service.",
    )
    .epilogue("Run `ivrctl COMMAND --help` for the options and examples of a command.");
  addChildren(cli, root, words, listener);
  return cli;
}

export const globalGroup = "Options of every command:";

function addChildren(
  cli: Argv,
  { children }: CommandNode,
  [first, ...rest]: readonly string[],
  listener: Listener,
  known: Flags = {},
): void {
  // Usually a command comes first. Then yargs does not need the others, which takes it a while.
  const named = children.find(({ name }) => name === first);
  if (named !== undefined) {
    addCommand(cli, named, rest, listener);
    return;
  }
  // An option may come before its command, so the parser must know which options take a value.
  for (const flags of children.flatMap(flagsIn)) {
    const others = Object.entries(flags).filter(([name]) => !Object.hasOwn(known, name));
    cli.options(mapFlags(Object.fromEntries(others), hiddenOption));
  }
  for (const node of children) addCommand(cli, node, [], listener);
}

/** Adds a command. The words are those after its name, or none if an option comes before it. */
function addCommand(
  cli: Argv,
  node: CommandNode,
  words: readonly string[],
  listener: Listener,
): void {
  const { name, definition } = node;
  const build = (own: Argv) => {
    listener.enter(node);
    if (isCommand(definition)) describe(own, node, definition);
    else if (definition !== undefined) describeGroup(own, node, definition, words, listener);
  };
  const run = (values: Values) => {
    const command = commandToRun(node);
    if (command !== undefined) listener.accept(command, values);
  };
  // yargs has no headings for commands, so the help of ivrctl lists them itself.
  if (node.isListed) cli.command(name, false, build, run);
  else cli.command(name, node.about, build, run);
}

function flagsIn({ definition, children }: CommandNode): Flags[] {
  return isCommand(definition) ? [definition.flags] : children.flatMap(flagsIn);
}

function hiddenOption({ type }: Flag): Options {
  return { type, nargs: type === "boolean" ? 0 : 1, global: false, hidden: true };
}

function describeGroup(
  cli: Argv,
  node: CommandNode,
  group: CommandGroup,
  words: readonly string[],
  listener: Listener,
): void {
  const fallback = commandToRun(node);
  addChildren(cli, node, words, listener, fallback?.flags);
  cli.usage(
    `Usage: ivrctl ${node.path} ${fallback ? "[SUBCOMMAND]" : "SUBCOMMAND"} [options]\n\n${group.about}`,
  );
  if (fallback === undefined) cli.demandCommand(1, "missing-subcommand");
  else {
    cli.options(mapFlags(fallback.flags, (flag) => ({ ...optionOf(flag), global: false })));
    addFormat(cli, fallback);
  }
  cli.epilogue(
    `Run \`ivrctl ${node.path} SUBCOMMAND --help\` for the options and examples of a subcommand.`,
  );
}

function describe(cli: Argv, { path }: CommandNode, command: Command): void {
  const { takes, about, minArguments = 0, maxArguments = Number.POSITIVE_INFINITY } = command;
  const usage = ["ivrctl", path, takes ?? [], "[options]"].flat().join(" ");
  cli.usage(`Usage: ${usage}\n\n${about}`).strictCommands(false);
  for (const [name, what] of Object.entries(command.arguments ?? {})) {
    cli.positional(name, { describe: what });
  }
  cli.options(mapFlags(command.flags, optionOf));
  addFormat(cli, command);
  cli.demandCommand(minArguments, maxArguments, "missing-argument", "extra-argument");
  // An empty argument is probably a shell variable that is not set.
  cli.check(({ _: words }) => !words.includes("") || "empty-argument");
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
    // A boolean option takes no value: neither `--quiet=yes` nor the next word.
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

/** Returns the last value of an option that is given several times. */
function last(given: unknown): unknown {
  return Array.isArray(given) ? given.at(-1) : given;
}

function mapFlags(flags: Flags, option: (flag: Flag) => Options): Record<string, Options> {
  return Object.fromEntries(Object.entries(flags).map(([name, flag]) => [name, option(flag)]));
}
