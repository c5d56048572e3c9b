import { relative, resolve } from "node:path";
import { shellWord } from "../util/shell-word.ts";
import { visible } from "../util/visible.ts";
import { commands } from "./commands.ts";

/** A command to copy: a line with nothing but the command. Prose has other words after `ivrctl`. */
const commandLine = new RegExp(
  String.raw`^( +ivrctl)(?= (?:${Object.keys(commands).join("|")})(?: |$))(?!.* -C )`,
  "gm",
);

/** Adds the given `-C` to the commands in a text, so that they are for the same project. */
export function forSameProject(text: string, cwd: string, directory = ""): string {
  if (relative(cwd, resolve(cwd, directory)) === "") return text;
  const word = shellWord(visible(directory));
  return text.replaceAll(commandLine, (start) => `${start} -C ${word}`);
}
