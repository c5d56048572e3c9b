import type { Command, CommandEntry, CommandGroup } from "./command.ts";
import { commands } from "./commands.ts";

/** A command in the tree that yargs gets. */
export interface Node {
  readonly name: string;
  /** `state resolve` */
  readonly path: string;
  readonly about: string;
  /** Absent if the command line does not name it: then only its line in a list is needed. */
  readonly definition?: Command | CommandGroup;
  readonly children: readonly Node[];
}

/** The root of all commands. Those that these words name are loaded. */
export async function loadTree(words: readonly string[]): Promise<Node> {
  return { name: "", path: "", about: "", children: await load(commands, words) };
}

async function load(
  entries: Readonly<Record<string, CommandEntry>>,
  words: readonly string[],
  above: readonly string[] = [],
): Promise<readonly Node[]> {
  return Promise.all(
    Object.entries(entries).map(([name, entry]) => nodeOf(name, entry, words, [...above, name])),
  );
}

async function nodeOf(
  name: string,
  entry: CommandEntry,
  words: readonly string[],
  path: readonly string[],
): Promise<Node> {
  const known = { name, path: path.join(" "), about: entry.about };
  if (!words.includes(name)) return { ...known, children: [] };
  const definition = await entry.load();
  if (isCommand(definition)) return { ...known, definition, children: [] };
  const { subcommands, standard = [] } = definition;
  const children = await load(subcommands, [...words, standard].flat(), path);
  return { ...known, definition, children };
}

export function isCommand(definition: Command | CommandGroup | undefined): definition is Command {
  return definition !== undefined && "run" in definition;
}

/** What runs if the words end with this node. */
export function runBy({ definition, children }: Node): Command | undefined {
  if (definition === undefined || isCommand(definition)) return definition;
  const standard = children.find(({ name }) => name === definition.standard)?.definition;
  return isCommand(standard) ? standard : undefined;
}
