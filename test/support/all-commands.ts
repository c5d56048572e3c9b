import type { Command, CommandGroup } from "../../src/cli/command.ts";
import { commands } from "../../src/cli/commands.ts";

/** The commands, without subcommands. */
export const commandNames = Object.keys(commands);

/** Returns every command and subcommand with its full name, for example `state resolve`. */
export async function allCommands(): Promise<readonly (readonly [string, Command])[]> {
  const found = Object.entries(commands).map(async ([name, load]) => within(name, await load()));
  return (await Promise.all(found)).flat();
}

function within(path: string, definition: Command | CommandGroup): (readonly [string, Command])[] {
  if ("run" in definition) return [[path, definition]];
  return Object.entries(definition.subcommands).flatMap(([name, inner]) =>
    within(`${path} ${name}`, inner),
  );
}
