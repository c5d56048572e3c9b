import { resolve } from "node:path";
import { type Completes, type Flag, type Flags, globalFlags } from "../command.ts";
import type { Offer, Offers } from "../../views/completion.ts";
import { fromRoot, projectRoot } from "../../project/root.ts";
import { registerCommands } from "../register.ts";
import { type CommandNode, loadTree, commandToRun } from "../tree.ts";
import type { Place } from "./names.ts";

type Variables = Readonly<Record<string, string | undefined>>;

/** Returns what can complete the last word: commands and options from yargs, names from the project. */
export async function offersFor(words: readonly string[], variables: Variables): Promise<Offers> {
  const line = words[0] === "help" ? words.slice(1) : words;
  const read = readLine(onlyNamed(await loadTree(line.slice(0, -1)), line.slice(0, -1)), line);
  return (await ownOffers(read, variables)) ?? { kind: "words", words: read.offered };
}

/**
 * The tree with only the first command that the line names. yargs would also enter a command with the
 * name of a subcommand: `show` for `state show`.
 */
function onlyNamed(root: CommandNode, words: readonly string[]): CommandNode {
  const named = words.find((word) => root.children.some(({ name }) => name === word));
  if (named === undefined) return root;
  return { ...root, children: root.children.filter(({ name }) => name === named) };
}

/** An unfinished command line, as yargs reads it. */
interface Line {
  readonly words: readonly string[];
  /** The last command that it names. */
  readonly node: CommandNode;
  readonly values: Readonly<Record<string, unknown>> & { readonly _: readonly unknown[] };
  /** The commands and options that can follow. */
  readonly offered: readonly Offer[];
}

function readLine(root: CommandNode, words: readonly string[]): Line {
  let line: Line = { words, node: root, values: { _: [] }, offered: [] };
  const enter = (node: CommandNode) => void (line = { ...line, node });
  const cli = registerCommands(root, [], { enter, accept: () => {} }).completion(
    // yargs adds a command with this name, so it must differ from our commands.
    "yargs-completion",
    false,
    // yargs calls this for every command on the line. The last call knows all options.
    // yargs passes `complete` only to a function that declares four parameters.
    (_current: string, values: Line["values"], complete: Complete, _done: unknown) => {
      line = { ...line, values };
      complete((_error, found) => {
        line = { ...line, offered: (found ?? []).flatMap(offerOf) };
      });
    },
  );
  cli.fail((message, error) => {
    throw message === null ? error : new Unfinished();
  });
  try {
    // The option takes a value, which is the name of the program.
    cli.parseSync(["--get-yargs-completions", "ivrctl", ...words], {}, () => {});
  } catch (error) {
    if (!(error instanceof Unfinished)) throw error;
  }
  return line;
}

type Complete = (then: (error: Error | null, found: readonly string[] | undefined) => void) => void;

/** Thrown to stop yargs, which would also validate the unfinished line. */
class Unfinished extends Error {}

function offerOf(line: string): Offer[] {
  const [value = "", about] = line.split("\t");
  // yargs offers `--C` in addition to `--directory`.
  if (/^--.$/.test(value)) return [];
  return [{ value, ...(about === undefined ? {} : { about }) }];
}

/** Returns the values that can come next. Undefined if a command or an option comes next. */
async function ownOffers(line: Line, variables: Variables): Promise<Offers | undefined> {
  const { words, node, values } = line;
  const command = commandToRun(node);
  const flags: Flags = { ...command?.flags, ...globalFlags };
  const current = words.at(-1) ?? "";
  const place = placeOf(values, variables);
  if (!words.slice(0, -1).includes("--")) {
    const [before = ""] = /^--[^=]+=/.exec(current) ?? [];
    const named =
      before === "" ? flagNamed(words.at(-2), flags) : flagNamed(before.slice(0, -1), flags);
    if (named !== undefined) {
      const [name, flag] = named;
      const choices = name === "format" ? command?.formats : (flag.choices ?? flag.completes);
      return offersOf(choices, flag.value ?? "", place, before);
    }
    if (current.startsWith("-")) return undefined;
  }
  // The first word is the program, and the last one is unfinished.
  const args = values._.length - depthOf(node) - 2;
  if (node.children.length > 0) return args > 0 ? none : undefined;
  if (command === undefined || args >= (command.maxArguments ?? Number.POSITIVE_INFINITY))
    return none;
  return offersOf(command.completes, command.takes ?? "", place);
}

const none: Offers = { kind: "words", words: [] };

function flagNamed(word: string | undefined, flags: Flags): readonly [string, Flag] | undefined {
  return Object.entries(flags).find(
    ([name, { type, short }]) =>
      type === "string" && (word === `--${name}` || word === `-${short}`),
  );
}

function depthOf({ path }: CommandNode): number {
  return path === "" ? 0 : path.split(" ").length;
}

function placeOf(values: Line["values"], variables: Variables): Place {
  const text = (name: string) => {
    const value = values[name];
    return typeof value === "string" && value !== "" ? value : undefined;
  };
  const folder = resolve(text("directory") ?? ".");
  const root = text("directory") === undefined ? projectRoot(folder) : folder;
  const path = (name: string) => {
    const value = text(name);
    return value === undefined ? undefined : fromRoot(root, folder, value);
  };
  return {
    root,
    environment: text("env") ?? (variables["IVRCTL_ENV"] || undefined),
    agents: path("agents"),
  };
}

/** Returns the offers for a value. `called` is its placeholder in the help, for example FILE. */
async function offersOf(
  completes: Completes | undefined,
  called: string,
  place: Place,
  before = "",
): Promise<Offers> {
  if (completes === undefined && !called.includes("PATH")) {
    if (called.includes("FILE")) return { kind: "files", words: [] };
    return called === "DIR" ? { kind: "folders", words: [] } : none;
  }
  const { menuKeys, namesFor } = await import("./names.ts");
  if (completes === undefined) {
    return { kind: "files", words: menuKeys(place).map((value) => ({ value })) };
  }
  const names = typeof completes === "string" ? await namesFor(completes, place) : completes;
  return { kind: "words", words: [...new Set(names)].map((name) => ({ value: before + name })) };
}
