import { resolve } from "node:path";
import { MenuNames } from "../project/menu-names.ts";
import { fromFolder, fromRoot, projectRoot } from "../project/root.ts";
import { UsageError } from "../util/usage-error.ts";
import { processTerminal } from "../views/terminal.ts";
import { type Command, type Completes, type Context, type Flags, globalFlags } from "./command.ts";
import { type Invocation, valuesOf } from "./read-command-line.ts";
import type { Values } from "./register.ts";

/**
 * Returns what a command gets when it runs. Finds the project, and makes paths relative to its root
 * and names of menus into keys or paths, so that a command works the same in every folder.
 */
export function contextOf({ command, values, args }: Invocation): Context {
  const { directory } = valuesOf(globalFlags, values);
  const folder = resolve(directory ?? ".");
  const isNamed = directory !== undefined || command.createsProject === true;
  const place = { folder, root: isNamed ? folder : projectRoot(folder) };
  const globals = { ...valuesOf(globalFlags, placed(globalFlags, values, place)), directory };
  const format = globals.format ?? command.formats[0];
  return {
    root: place.root,
    globals,
    flags: valuesOf(command.flags, placed(command.flags, values, place)),
    args: argumentsOf(command, args, place),
    format,
    terminal: processTerminal({
      color: !globals["no-color"],
      json: jsonFormats.has(format),
      variables: process.env,
      path: (path) => fromFolder(place.root, folder, path),
    }),
    variables: process.env,
  };
}

export const jsonFormats: ReadonlySet<string> = new Set(["json", "sarif"]);

/** The folder that paths on the command line are relative to, and the folder of the project. */
interface Folders {
  readonly folder: string;
  readonly root: string;
}

/** Returns the values with paths relative to the root, and with the keys of menus. */
function placed(flags: Flags, values: Values, { root, folder }: Folders): Values {
  const names = new MenuNames(root, folder);
  const changed = Object.entries(flags).flatMap(([name, { value = "", completes, multiple }]) => {
    const given = values[name];
    if (given === undefined) return [];
    const texts = [given].flat().map(String);
    if (isKey(completes)) {
      return [[name, texts.flatMap((word) => keysOf(word, names, multiple === true))]];
    }
    return isPath(value) ? [[name, texts.map((path) => fromRoot(root, folder, path))]] : [];
  });
  return { ...values, ...Object.fromEntries(changed) };
}

function argumentsOf(
  { takes = "", completes, maxArguments }: Command,
  args: readonly string[],
  { root, folder }: Folders,
): readonly string[] {
  const names = new MenuNames(root, folder);
  if (isKey(completes)) {
    return args.flatMap((word) => keysOf(word, names, maxArguments === undefined));
  }
  if (takes.includes("PATH")) return args.map((word) => names.path(word));
  return isPath(takes) ? args.map((path) => fromRoot(root, folder, path)) : args;
}

/** Whether a placeholder in the help stands for a path. */
function isPath(placeholder: string): boolean {
  return /FILE|DIR/.test(placeholder);
}

function isKey(completes: Completes | undefined): boolean {
  return completes === "key" || completes === "recorded key" || completes === "new key";
}

/** The keys that a word means. Refuses a file with several menus where only one can be named. */
function keysOf(word: string, names: MenuNames, allowsSeveral: boolean): readonly string[] {
  const keys = names.keys(word);
  if (allowsSeveral || keys.length === 1) return keys;
  throw new UsageError(`${word} has several menus. Name one of them: ${keys.join(", ")}`);
}
