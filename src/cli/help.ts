import { twoColumns, wrap } from "../views/text.ts";
import {
  type Command,
  type CommandGroup,
  type Flags,
  globalFlags,
  argumentNames,
} from "./command.ts";
import { commandGroups, firstSubcommands } from "./commands.ts";

/** A command, and the words that name it: `state`, `resolve`. */
export interface CommandNode {
  readonly path: readonly string[];
  readonly definition: Command | CommandGroup;
}

/** The command inside a group, or undefined. */
export function childOf({ path, definition }: CommandNode, name: string): CommandNode | undefined {
  const inside = "run" in definition ? {} : definition.subcommands;
  const child = Object.hasOwn(inside, name) ? inside[name] : undefined;
  return child && { path: [...path, name], definition: child };
}

/** The command that these words name: `state resolve`. */
export function nodeIn(words: readonly string[], top: CommandNode): CommandNode {
  return words.reduce((node, word) => childOf(node, word) ?? node, top);
}

/** Returns the help of a command, or of ivrctl if the node is the top. */
export function helpText(node: CommandNode, width: number): string {
  const { path, definition } = node;
  if (path.length === 0) return overview(node, width);
  const command = "run" in definition ? definition : definition.standard;
  const takes = "run" in definition ? argumentNames(definition) : "SUBCOMMAND";
  const usage = ["ivrctl", ...path, takes, "[options]"].filter((word) => word !== "").join(" ");
  const taken = Object.entries(command?.arguments ?? {}).map(
    ([name, about]) => [name.replaceAll(/[^A-Z]/g, ""), about] as const,
  );
  const formats: Flags | undefined = command?.formats && {
    format: { value: "FORMAT", about: `Print in this format: ${command.formats.join(", ")}` },
  };
  const subcommands = "run" in definition ? [] : Object.keys(definition.subcommands);
  // A command is never broken, so that it can be copied.
  const examples = definition.examples.map(
    ([line, what]) => `  ${line}\n${wrap(what, "      ", width)}\n`,
  );
  return [
    intro(usage, definition.about, width),
    section("Commands:", rowsOf(node, subcommands), width),
    section("Arguments:", taken, width),
    section("Options:", optionRows({ ...definition.flags, ...formats }), width),
    `\nExamples:\n${examples.join("")}`,
    `\n${wrap("`ivrctl --help` lists the options of every command, such as --env.", "", width)}\n`,
  ].join("");
}

/** All commands under their headings, and the options that they share. */
function overview(top: CommandNode, width: number): string {
  const groups = Object.entries(commandGroups).map(([heading, group]) => {
    const first = (firstSubcommands[heading] ?? []).flatMap((words) => {
      const node = nodeIn(words, top);
      return [[words.join(" "), firstSentence(node.definition)] as const];
    });
    return section(heading, [...first, ...rowsOf(top, Object.keys(group))], width, 10);
  });
  const standard = {
    help: { short: "h", about: "Show this help" },
    version: { about: "Print the version of ivrctl" },
  };
  return [
    intro("ivrctl COMMAND [options]", top.definition.about, width),
    ...groups,
    section("Options of every command:", optionRows({ ...globalFlags, ...standard }), width),
    `\n${wrap("Run `ivrctl COMMAND --help` for the options and examples of a command, and `ivrctl explain` for a list of topics to read.", "", width)}\n`,
  ].join("");
}

function intro(usage: string, description: string, width: number): string {
  const lines = description.split("\n").map((line) => wrap(line, "", width));
  return `Usage: ${usage}\n\n${lines.join("\n")}\n`;
}

type Rows = readonly (readonly [string, string])[];

function section(heading: string, rows: Rows, width: number, left = 0): string {
  const padded = rows.map(([word, meaning]) => [word.padEnd(left), meaning] as const);
  return rows.length === 0 ? "" : `\n${heading}\n${twoColumns(padded, width)}`;
}

function rowsOf(parent: CommandNode, names: readonly string[]): Rows {
  return names.flatMap((name) => {
    const child = childOf(parent, name);
    return child ? [[name, firstSentence(child.definition)] as const] : [];
  });
}

/** The options as the help shows them: `-C, --directory DIR`. */
function optionRows(flags: Flags): Rows {
  return Object.entries(flags).map(([name, { short, value, choices, required, about }]) => {
    const start = short === undefined ? "   " : `-${short},`;
    const left = `${start} --${name}${value === undefined ? "" : ` ${value}`}`;
    const words = [about, choices && `: ${choices.join(", ")}`, required && " (required)"];
    return [left, words.filter(Boolean).join("")];
  });
}

function firstSentence({ about }: CommandNode["definition"]): string {
  return about.replace(/\.?(?:\n|\. ).*|\.$/s, "");
}
