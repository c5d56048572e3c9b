import { resolve } from "node:path";
import type { MenuNames } from "../project/menu-names.ts";
import { fromFolder, fromRoot, projectRoot } from "../project/root.ts";
import { UsageError } from "../util/usage-error.ts";
import { type Outputs, openTerminal } from "../views/terminal.ts";
import { type Context, type Flags, globalFlags } from "./command.ts";
import type { Invocation } from "./parse.ts";
import { visible } from "../util/visible.ts";
import type { Host } from "../util/host.ts";

/**
 * Returns what a command gets when it runs. Finds the project, and makes paths relative to its root
 * and names of menus into keys or paths, so that a command works the same in every folder.
 */
export async function commandContext(
  { command, args, values }: Invocation,
  host: Host,
  outputs: Outputs,
): Promise<Context> {
  const globals = valuesOf(globalFlags, values);
  const { directory } = globals;
  const folder = resolve(host.cwd, directory ?? ".");
  const isNamed = directory !== undefined || command.createsProject === true;
  const place = { folder, root: isNamed ? folder : projectRoot(folder, host) };
  const format = globals.format ?? command.formats[0];
  return {
    root: place.root,
    globals,
    flags: valuesOf(command.flags, await placed(command.flags, values, place)),
    args: await placedArguments(command.takes ?? "", args, place),
    format,
    terminal: openTerminal(host, outputs, {
      color: !globals["no-color"],
      format,
      quiet: globals.quiet,
      verbose: globals.verbose,
      path: (path) => fromFolder(place.root, folder, path),
      directory: folder === host.cwd ? undefined : directory && visible(directory),
    }),
    host,
  };
}

type Values = Invocation["values"];

/** The folder that paths on the command line are relative to, and the folder of the project. */
interface Folders {
  readonly folder: string;
  readonly root: string;
}

/** Returns the values of these flags, with the types that the flags declare. */
function valuesOf<F extends Flags>(flags: F, values: Record<string, unknown>): Context<F>["flags"] {
  const own = Object.entries(flags).map(([name, { type, multiple }]) => {
    const given = [values[name] ?? []].flat();
    if (type === "boolean") return [name, given.at(-1) === true];
    return [name, multiple ? given : given.at(-1)];
  });
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- made from F's own entries
  return Object.fromEntries(own) as Context<F>["flags"];
}

/** Returns the values with paths relative to the root, and with the keys of menus. */
async function placed(flags: Flags, values: Values, place: Folders): Promise<Values> {
  const changed: Record<string, readonly string[]> = {};
  for (const [name, { value = "" }] of Object.entries(flags)) {
    if (values[name] === undefined) continue;
    const words = [values[name]].flat().map(String);
    if (isKey(value)) changed[name] = keysOf(words, await namesIn(place), true);
    else if (isPath(value)) changed[name] = pathsOf(words, place);
  }
  return { ...values, ...changed };
}

async function placedArguments(
  takes: string,
  args: readonly string[],
  place: Folders,
): Promise<readonly string[]> {
  if (args.length === 0) return args;
  if (isKey(takes)) return keysOf(args, await namesIn(place), takes.includes(".."));
  if (takes.includes("PATH")) {
    const names = await namesIn(place);
    return args.map((word) => names.path(word));
  }
  return isPath(takes) ? pathsOf(args, place) : args;
}

/** Whether a placeholder in the help stands for a path. */
function isPath(placeholder: string): boolean {
  return /FILE|DIR/.test(placeholder);
}

/** Whether a placeholder stands for a menu. A follow-up can also be named by the key of its menu. */
function isKey(placeholder: string): boolean {
  return /KEY|OLD|ID/.test(placeholder);
}

function pathsOf(paths: readonly string[], { root, folder }: Folders): string[] {
  return paths.map((path) => fromRoot(root, folder, path));
}

/** The module is loaded only if a menu is named, because it loads the YAML parser. */
async function namesIn({ root, folder }: Folders): Promise<MenuNames> {
  const { MenuNames: Names } = await import("../project/menu-names.ts");
  return new Names(root, folder);
}

/** The keys that words mean. Refuses a file with several menus where only one can be named. */
function keysOf(words: readonly string[], names: MenuNames, allowsSeveral: boolean): string[] {
  return words.flatMap((word) => {
    // `state resolve` takes KEY=ID.
    const [name, id] = word.includes("=")
      ? [word.replace(/=.*/s, ""), word.replace(/^[^=]*/, "")]
      : [word, ""];
    const keys = names.keys(name);
    if (allowsSeveral || keys.length === 1) return keys.map((key) => key + id);
    throw new UsageError(`${word} has several menus. Name one of them: ${keys.join(", ")}`);
  });
}
