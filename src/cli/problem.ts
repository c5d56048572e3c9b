import { type Flags, globalFlags } from "./command.ts";
import { UsageError } from "../util/usage-error.ts";
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
    const flags = { ...commandToRun(node)?.flags, ...globalFlags };
    return new UsageError(await word({ first, second, node, group, flags, args, words }));
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
  [/^empty-argument/, () => "One of the arguments is empty."],
  [/^missing-subcommand/, missingSubcommand],
  [/^Not enough arguments following: (.+)/s, missingValue],
  [/^Argument unexpected for: (.+)/s, (problem) => `${written(problem)} takes no value.`],
  [/^Missing required arguments?: (.+?)(?:, |$)/s, missingOption],
  [/^Invalid values:\s+Argument: (.+?), Given: "(.*?)", Choices: /s, invalidValue],
  [
    // yargs uses the second wording if its English texts are installed. They are not bundled.
    /^(?:Implications failed|Missing dependent arguments):\s+(\S+) -> (\S+)/s,
    ({ first, second }) => `--${first} needs --${second}: add --${second}.`,
  ],
  [
    /^Arguments (.+) and (.+) are mutually exclusive/s,
    ({ first, second }) => `--${first} and --${second} cannot be used together: choose one.`,
  ],
];

async function unknownOption(problem: Problem): Promise<string> {
  const { first, node, group, flags } = problem;
  const name = written(problem);
  const other = group && (await siblingWith(first, group));
  if (other !== undefined) return `${name} is not for ${node.path}, but for ${other}.`;
  const names = Object.keys(flags).map((known) => `--${known}`);
  return `There is no option ${name}. ${didYouMean(nearest(name, names)) ?? helpOn(node)}`;
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
  const near = didYouMean(nearest(first, names)) ?? helpOn(node);
  return `There is no ${node.path || "command"} ${first}. ${near}`;
}

function extraArgument({ node, args }: Problem): string {
  return `One argument too many: ${args[commandToRun(node)?.maxArguments ?? 0]}.`;
}

function missingArgument({ node }: Problem): string {
  const takes = commandToRun(node)?.takes ?? "";
  return `${node.path} needs ${takes}: ivrctl ${node.path} ${takes}`;
}

function missingSubcommand({ node: { path, children } }: Problem): string {
  const names = children.map(({ name }) => name);
  return `${path} needs a subcommand, say which: ${names.join(", ")}.`;
}

function missingValue(problem: Problem): string {
  const name = written(problem);
  const flag = Object.entries(problem.flags).find(([known, { short }]) =>
    [known, short].includes(problem.first),
  );
  return `${name} needs a value: ${name} ${flag?.[1].value ?? "VALUE"}.`;
}

function missingOption({ first, node, flags }: Problem): string {
  const { value, about } = flags[first] ?? {};
  return `${node.path} needs --${first} ${value ?? "VALUE"}: ${about}`;
}

function invalidValue({ first, second, node, flags }: Problem): string {
  const choices = (first === "format" ? commandToRun(node)?.formats : flags[first]?.choices) ?? [];
  if (choices.length === 1) return `The only --${first} here is ${choices[0]}; ${second} is not.`;
  const near = didYouMean(nearest(second, choices));
  return `--${first} is one of ${choices.join(", ")}; ${second} is not.${near ? ` ${near}` : ""}`;
}

/** The option as it is written: yargs reports `-x` and `--x` as `x`. */
function written({ first, words }: Problem): string {
  const short = words.some((word) => word === `-${first}` || word.startsWith(`-${first}=`));
  return short ? `-${first}` : `--${first}`;
}

function helpOn({ path }: CommandNode): string {
  return `Run \`ivrctl ${path === "" ? "" : `${path} `}--help\` for what there is.`;
}
