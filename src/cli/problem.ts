import { type Flag, type Flags, globalFlags } from "./command.ts";
import { UsageError } from "../util/usage-error.ts";
import { joined } from "../util/many.ts";
import { didYouMean, nearest } from "../util/nearest.ts";
import { type CommandNode, commandToRun, isCommand } from "./tree.ts";

/** A message of yargs about an invalid command line, and how far yargs had read. */
export interface Failure {
  readonly message: string;
  /** The commands entered so far, the root first. */
  readonly nodes: readonly CommandNode[];
  readonly args: readonly string[];
}

/** Turns a message of yargs into an error that says what to do. */
export async function usageErrorFor(
  { message, nodes, args }: Failure,
  words: readonly string[],
): Promise<UsageError> {
  const [node, group] = nodes.toReversed();
  for (const [pattern, word] of wordings) {
    const found = pattern.exec(message);
    if (found === null || node === undefined) continue;
    const [, first = "", second = ""] = found;
    const command = commandToRun(node);
    const flags = { ...command?.flags, ...globalFlags };
    const problem = { first, second, node, group, flags, args, words };
    return new UsageError(await word(problem), command?.formats);
  }
  return new UsageError(message);
}

interface Problem {
  /** The names that the message of yargs mentions. */
  readonly first: string;
  readonly second: string;
  /** The command, and the group it is in. */
  readonly node: CommandNode;
  readonly group: CommandNode | undefined;
  readonly flags: Flags;
  readonly args: readonly string[];
  /** The whole command line. */
  readonly words: readonly string[];
}

type Wording = (problem: Problem) => string | Promise<string>;

/** Messages of yargs, and our wording for each. If yargs lists several names, we report the first. */
const wordings: readonly (readonly [RegExp, Wording])[] = [
  [/^Unknown arguments?: (.+?)(?:, |$)/s, unknownOption],
  [/^Unknown commands?: (.+?)(?:, |$)/s, unknownCommand],
  [/^extra-argument/, extraArgument],
  [/^missing-argument/, missingArgument],
  [/^empty-argument/, () => "An argument is empty. Check the shell variables on the command line."],
  [/^missing-subcommand/, missingSubcommand],
  [/^Not enough arguments following: (.+)/s, missingValue],
  [/^Argument unexpected for: (.+)/s, unexpectedValue],
  [/^Missing required arguments?: (.+?)(?:, |$)/s, missingOption],
  [/^Invalid values:\s+Argument: (.+?), Given: "(.*?)", Choices: /s, invalidValue],
  // yargs uses the second wording if its English texts are installed. They are not bundled.
  [/^(?:Implications failed|Missing dependent arguments):\s+(\S+) -> (\S+)/s, missingPartner],
  [/^Arguments (.+) and (.+) are mutually exclusive/s, conflict],
];

async function unknownOption(problem: Problem): Promise<string> {
  const { first, node, group, flags } = problem;
  const name = written(problem);
  const other = group && (await siblingWith(first, group));
  if (other !== undefined) {
    return `\`${node.path}\` has no option \`${name}\`, but \`${other}\` has. ${seeHelp(node)}`;
  }
  const names = Object.keys(flags).map((known) => `--${known}`);
  const help = didYouMean(nearest(name, names)) ?? seeHelp(node, "To list the options");
  return `There is no option \`${name}\`. ${help}`;
}

/** The subcommand of the same group that has this option. */
async function siblingWith(
  flag: string,
  { path, definition }: CommandNode,
): Promise<string | undefined> {
  if (definition === undefined || isCommand(definition)) return undefined;
  for (const [name, entry] of Object.entries(definition.subcommands)) {
    const command = await entry.load();
    if (isCommand(command) && Object.hasOwn(command.flags, flag)) return `${path} ${name}`;
  }
  return undefined;
}

function unknownCommand({ first, node }: Problem): string {
  const names = node.children.map(({ name }) => name);
  const [what, all] =
    node.path === ""
      ? [`command \`${first}\``, "commands"]
      : [`\`${node.path} ${first}\``, "subcommands"];
  const help = didYouMean(nearest(first, names)) ?? seeHelp(node, `To list the ${all}`);
  return `There is no ${what}. ${help}`;
}

function extraArgument({ node, args }: Problem): string {
  const extra = args[commandToRun(node)?.maxArguments ?? 0];
  return `Unexpected argument \`${extra}\`. ${seeHelp(node)}`;
}

function missingArgument({ node }: Problem): string {
  const usage = `ivrctl ${node.path} ${commandToRun(node)?.takes ?? ""}`;
  return `An argument is missing. Use the command like this: ${usage}`;
}

function missingSubcommand({ node }: Problem): string {
  const names = node.children.map(({ name }) => name);
  return `\`${node.path}\` needs a subcommand: ${joined(names, "or")}. ${seeHelp(node)}`;
}

function missingValue(problem: Problem): string {
  const { first, flags } = problem;
  const name = written(problem);
  const [long = first] =
    Object.entries(flags).find(([known, { short }]) => [known, short].includes(first)) ?? [];
  const choices = choicesOf(long, problem);
  const value =
    choices.length > 0 ? joined(choices, "or") : `\`${name} ${placeholder(flags[long])}\``;
  return `\`${name}\` needs a value: ${value}.`;
}

function unexpectedValue(problem: Problem): string {
  const name = written(problem);
  return `\`${name}\` takes no value. Write only \`${name}\`.`;
}

function missingOption({ first, node, flags }: Problem): string {
  return `\`${node.path}\` needs \`--${first} ${placeholder(flags[first])}\`. ${seeHelp(node)}`;
}

function invalidValue(problem: Problem): string {
  const { first, second } = problem;
  const choices = choicesOf(first, problem);
  const near = didYouMean(nearest(second, choices));
  const help =
    choices.length === 1 ? `The only choice is ${choices[0]}` : `Use ${joined(choices, "or")}`;
  return `\`--${first}\` cannot be \`${second}\`. ${near ? `${near} ` : ""}${help}.`;
}

function missingPartner({ first, second, flags }: Problem): string {
  const partner = flags[second];
  const value = partner?.type === "string" ? ` ${placeholder(partner)}` : "";
  return `\`--${first}\` works only with another option. Add \`--${second}${value}\`.`;
}

function conflict({ first, second }: Problem): string {
  return `\`--${first}\` and \`--${second}\` cannot be used together. Remove one of them.`;
}

/** The values that an option can have, if they are limited. */
function choicesOf(name: string, { node, flags }: Problem): readonly string[] {
  return (name === "format" ? commandToRun(node)?.formats : flags[name]?.choices) ?? [];
}

function placeholder(flag: Flag | undefined): string {
  return flag?.value ?? "VALUE";
}

/** The option as it is written: yargs reports `-x` and `--x` as `x`. */
function written({ first, words }: Problem): string {
  const short = words.some((word) => word === `-${first}` || word.startsWith(`-${first}=`));
  return short ? `-${first}` : `--${first}`;
}

function seeHelp({ path }: CommandNode, purpose = "For details"): string {
  return `${purpose}, run: ${["ivrctl", path, "--help"].filter(Boolean).join(" ")}`;
}
