import { resolve } from "node:path";
import type { Offer, Offers } from "../../views/completion.ts";
import { type Command, type Completes, type Flag, type Flags, globalFlags } from "../command.ts";
import { commands } from "../index.ts";
import type { Place } from "./names.ts";

type Variables = Readonly<Record<string, string | undefined>>;

/** What can stand at the last of these words, by the register of commands alone. */
export async function offersFor(
  words: readonly string[],
  variables: Variables,
): Promise<Offers | undefined> {
  const current = words.at(-1) ?? "";
  const before = words.slice(0, -1);
  const [name] = read(before, globalFlags).args;
  const entry = name !== undefined && Object.hasOwn(commands, name) ? commands[name] : undefined;
  const command = await entry?.load();
  const flags: Flags = { ...globalFlags, ...command?.flags };
  const line = read(before, flags);
  const place = {
    root: resolve(line.values.get("directory") ?? "."),
    config: line.values.get("config"),
    environment: line.values.get("env") ?? (variables["IVRCTL_ENV"] || undefined),
    agents: line.values.get("agents"),
  };
  if (line.waiting !== undefined) return valueOffers(line.waiting, command, place, "");
  if (!line.ended && current.startsWith("-")) {
    const [given, flag] = withValue(current, flags);
    if (flag !== undefined) return valueOffers(flag, command, place, given);
    return { kind: "words", words: flagOffers(command, line) };
  }
  if (name === undefined || name === "help") {
    const deep = name === "help" && line.args.length > 1;
    const all = Object.entries(commands).map(([value, { about }]) => ({ value, about }));
    return { kind: "words", words: deep ? [] : all };
  }
  return command && argumentOffers(command, line.args.slice(1), place);
}

interface Line {
  readonly args: readonly string[];
  readonly values: ReadonlyMap<string, string>;
  /** The flag whose value comes next. */
  readonly waiting: NamedFlag | undefined;
  /** `--` was there: no flag comes any more. */
  readonly ended: boolean;
}

type NamedFlag = Flag & { readonly name: string };

function read(words: readonly string[], flags: Flags): Line {
  const args: string[] = [];
  const values = new Map<string, string>();
  let waiting: NamedFlag | undefined;
  let ended = false;
  for (const word of words) {
    if (waiting !== undefined) {
      values.set(waiting.name, word);
      waiting = undefined;
    } else if (ended || !word.startsWith("-") || word === "-") args.push(word);
    else if (word === "--") ended = true;
    else {
      const [given, valued] = withValue(word, flags);
      const flag = valued ?? named(word, flags);
      if (flag === undefined) continue;
      if (valued !== undefined) values.set(flag.name, word.slice(given.length));
      else if (flag.type === "string") waiting = flag;
      else values.set(flag.name, "");
    }
  }
  return { args, values, waiting, ended };
}

function named(word: string, flags: Flags): NamedFlag | undefined {
  const found = Object.entries(flags).find(
    ([name, { short }]) => word === `--${name}` || (short !== undefined && word === `-${short}`),
  );
  return found && { name: found[0], ...found[1] };
}

/** `--format=js`: what stands before the value, and its flag. */
function withValue(word: string, flags: Flags): readonly [string, NamedFlag | undefined] {
  const [given = ""] = /^--[^=]+=/.exec(word) ?? [];
  const flag = given === "" ? undefined : named(given.slice(0, -1), flags);
  return [given, flag?.type === "string" ? flag : undefined];
}

function flagOffers(command: Command | undefined, { args, values }: Line): Offer[] {
  const own = Object.entries(command?.flags ?? {});
  const subcommand = command?.subcommands?.[args[1] ?? ""];
  const fitting = own.filter(([name]) => subcommand?.flags.includes(name) ?? true);
  const all: readonly (readonly [string, Flag])[] = [...fitting, ...Object.entries(globalFlags)];
  return all
    .filter(([name, { multiple, hidden }]) => !hidden && (multiple || !values.has(name)))
    .map(([name, { about }]) => ({ value: `--${name}`, about }));
}

async function valueOffers(
  flag: NamedFlag,
  command: Command | undefined,
  place: Place,
  before: string,
): Promise<Offers> {
  const completes = flag.name === "format" ? command?.formats : flag.completes;
  const offers = await namesOffers(completes, flag.value ?? "", place);
  if (offers.kind !== "words") return offers;
  return { kind: "words", words: offers.words.map(({ value }) => ({ value: before + value })) };
}

function argumentOffers(
  command: Command,
  args: readonly string[],
  place: Place,
): Offers | Promise<Offers> {
  const { subcommands, maxArguments = Number.POSITIVE_INFINITY } = command;
  if (subcommands !== undefined) {
    const [first] = args;
    if (first === undefined) {
      return { kind: "words", words: Object.keys(subcommands).map((value) => ({ value })) };
    }
    return namesOffers(subcommands[first]?.completes, "", place);
  }
  if (args.length >= maxArguments) return { kind: "words", words: [] };
  return namesOffers(command.completes, command.takes ?? "", place);
}

/** `called`: as the help calls it, which tells files from other values. */
async function namesOffers(
  completes: Completes | undefined,
  called: string,
  place: Place,
): Promise<Offers> {
  if (completes === undefined) {
    if (/FILE|PATH/.test(called)) return { kind: "files" };
    return called === "DIR" ? { kind: "folders" } : { kind: "words", words: [] };
  }
  if (typeof completes !== "string") return wordsOf(completes);
  const { namesFor } = await import("./names.ts");
  return wordsOf(await namesFor(completes, place));
}

function wordsOf(values: readonly string[]): Offers {
  return { kind: "words", words: [...new Set(values)].map((value) => ({ value })) };
}
