import { resolve } from "node:path";
import { fromFolder, fromRoot, projectRoot } from "../project/root.ts";
import { UsageError } from "../util/usage-error.ts";
import { type Outputs, openTerminal } from "../views/terminal.ts";
import { type Context, type Flag, type Flags, globalFlags, argumentNames } from "./command.ts";
import type { Invocation } from "./parse.ts";
import { joined } from "../util/many.ts";
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
): Promise<Omit<Context, "run">> {
  const globals = await valuesOf(globalFlags, values, { folder: host.cwd, root: host.cwd });
  const { directory } = globals;
  const folder = resolve(host.cwd, directory ?? ".");
  const isNamed = directory !== undefined || command.createsProject === true;
  const place = { folder, root: isNamed ? folder : projectRoot(folder) };
  const format = globals.format ?? command.formats?.[0] ?? "text";
  const takes = argumentNames(command);
  return {
    root: place.root,
    globals,
    flags: await valuesOf(command.flags ?? {}, values, place),
    // A menu key before other words is one menu.
    args: await placed(takes, args, place, /^\S*\.\./.test(takes)),
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

/** The folder that paths on the command line are relative to, and the folder of the project. */
interface Folders {
  readonly folder: string;
  readonly root: string;
}

/** Returns the values of these flags, with the types that the flags declare. */
async function valuesOf<F extends Flags>(
  flags: F,
  values: Invocation["values"],
  place: Folders,
): Promise<Context<F>["flags"]> {
  const typed: Record<string, unknown> = {};
  for (const [name, flag] of Object.entries(flags)) {
    const texts = [values[name] ?? []].flat();
    typed[name] =
      flag.value === undefined
        ? texts.at(-1) === true
        : await valueOf(name, flag, texts.map(String), place);
  }
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- made from F's own entries
  return typed as Context<F>["flags"];
}

/** The values that an unset shell variable would make empty. */
const mustHaveText: ReadonlySet<string> = new Set(["ADDRESS", "NAME", "TEXT", "WHO"]);

async function valueOf(
  name: string,
  { multiple, list, max, value = "NAME" }: Flag,
  texts: readonly string[],
  place: Folders,
): Promise<unknown> {
  if (list !== undefined) {
    const words = texts.flatMap((text) => text.split(",")).map((word) => word.trim());
    const wrong = words.find((word) => !list.includes(word));
    if (wrong === undefined) return words;
    throw new UsageError(`--${name} takes ${joined(list, "or")}, not ${wrong}.`);
  }
  if (mustHaveText.has(value) && texts.some((text) => text.trim() === "")) {
    throw new UsageError(`\`--${name}\` is empty. Check the shell variables on the command line.`);
  }
  if (value !== "N" && value !== "SECONDS") {
    const words = await placed(value, texts, place, true);
    return multiple ? words : words.at(-1);
  }
  const number = texts.at(-1);
  if (number === undefined) return undefined;
  if (/^\d+$/.test(number) && Number(number) <= (max ?? Number.MAX_SAFE_INTEGER))
    return Number(number);
  const range = max === undefined ? ", 0 or more" : ` from 0 to ${max}`;
  throw new UsageError(`\`--${name}\` must be a whole number${range}, not \`${number}\`.`);
}

/**
 * Returns words with paths relative to the root, and with the keys of menus. The placeholder in the
 * help says what they are. A follow-up can also be named by the key of its menu.
 */
async function placed(
  placeholder: string,
  words: readonly string[],
  { root, folder }: Folders,
  allowsSeveral: boolean,
): Promise<readonly string[]> {
  if (words.length === 0) return words;
  const [meaning] = /\b(?:KEY|OLD|ID|PATH|FILE|DIR)\b/.exec(placeholder) ?? [];
  if (meaning === undefined) return words;
  if (meaning === "FILE" || meaning === "DIR") {
    return words.map((path) => fromRoot(root, folder, path));
  }
  // Loaded only if a menu is named, because it loads the YAML parser.
  const { MenuNames } = await import("../workspace/select-files.ts");
  const names = new MenuNames(root, folder);
  if (meaning === "PATH") return words.map((word) => names.path(word));
  return words.flatMap((word) => {
    // `state resolve` takes KEY=ID.
    const [, name = "", id = ""] = /^([^=]*)(.*)$/s.exec(word) ?? [];
    const keys = names.keys(name);
    if (allowsSeveral || keys.length === 1) return keys.map((key) => key + id);
    throw new UsageError(`${word} has several menus. Choose one of them: ${keys.join(", ")}`);
  });
}
