import type { Command, CommandEntry, CommandGroup } from "./command.ts";
import { commands } from "./commands.ts";

/** A command in the tree that is registered with yargs. */
export interface CommandNode {
  readonly name: string;
  /** The names from the root to here: `state resolve`. */
  readonly path: string;
  readonly about: string;
  /** The help lists it under a heading, so yargs does not list it. */
  readonly isListed?: boolean;
  /** Absent if the command line does not name the command. Then the help only lists it. */
  readonly definition?: Command | CommandGroup;
  readonly children: readonly CommandNode[];
}

/** The tree of all commands. Only the modules of commands that these words name are loaded. */
export async function loadTree(words: readonly string[]): Promise<CommandNode> {
  return { name: "", path: "", about: "", children: await load(commands, words) };
}

export function isCommand(definition: Command | CommandGroup | undefined): definition is Command {
  return definition !== undefined && "run" in definition;
}

/** The command that runs if the command line ends with this node. */
export function commandToRun({ definition, children }: CommandNode): Command | undefined {
  if (definition === undefined || isCommand(definition)) return definition;
  const fallback = children.find(({ name }) => name === definition.defaultSubcommand)?.definition;
  return isCommand(fallback) ? fallback : undefined;
}

async function load(
  entries: Readonly<Record<string, CommandEntry>>,
  words: readonly string[],
  above: readonly string[] = [],
): Promise<readonly CommandNode[]> {
  return Promise.all(
    Object.entries(entries).map(([name, entry]) => nodeOf(name, entry, words, [...above, name])),
  );
}

async function nodeOf(
  name: string,
  entry: CommandEntry,
  words: readonly string[],
  path: readonly string[],
): Promise<CommandNode> {
  const listed = { name, path: path.join(" "), about: entry.about };
  if (!words.includes(name)) return { ...listed, children: [] };
  const definition = await entry.load();
  if (isCommand(definition)) return { ...listed, definition, children: [] };
  const { subcommands, defaultSubcommand = [] } = definition;
  const children = await load(subcommands, [...words, defaultSubcommand].flat(), path);
  return { ...listed, definition, children };
}
