import { relative } from "node:path";
import { shellWord } from "../util/shell-word.ts";
import { visible } from "../util/visible.ts";
import { commands } from "./commands.ts";

interface Given {
  readonly directory: string | undefined;
  readonly config: string | undefined;
}

/** A command to copy: a line with nothing but the command. Prose has other words after `ivrctl`. */
const commandLine = new RegExp(
  String.raw`^( +ivrctl)(?= (?:${Object.keys(commands).join("|")})(?: |$))(?!.* -C )`,
  "gm",
);

/** Adds the given `-C` and `--config` to the commands in a text, so that they are for the same project. */
export function forSameProject(text: string, { directory = "", config }: Given): string {
  const options = [
    ...(relative("", directory) === "" ? [] : ["-C", directory]),
    ...(config === undefined ? [] : ["--config", config]),
  ];
  if (options.length === 0) return text;
  const words = options.map((word) => shellWord(visible(word))).join(" ");
  return text.replaceAll(commandLine, (start) => `${start} ${words}`);
}
