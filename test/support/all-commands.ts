import type { Command, Subcommands } from "../../src/cli/command.ts";
import { commands } from "../../src/cli/commands.ts";

/** The commands, without subcommands. */
export const commandNames = Object.keys(commands);

/** Returns every command and subcommand with its full name, for example `state resolve`. */
export async function allCommands(
  entries: Subcommands = commands,
  above: readonly string[] = [],
): Promise<readonly (readonly [string, Command])[]> {
  const found = await Promise.all(
    Object.entries(entries).map(async ([name, load]) => {
      const path = [...above, name];
      const definition = await load();
      if ("run" in definition) return [[path.join(" "), definition] as const];
      return allCommands(definition.subcommands, path);
    }),
  );
  return found.flat();
}
