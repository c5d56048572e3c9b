import { resolve } from "node:path";
import { type ParseArgsConfig, parseArgs } from "node:util";
import {
  type Command,
  type Context,
  type Flags,
  UsageError,
  globalFlags,
} from "./commands/command.ts";
import { commands } from "./commands/index.ts";
import { version } from "./version.ts";
import { failureIn } from "./views/failure.ts";
import { stderr, stdout } from "./views/output.ts";
import { processTerminal, visible } from "./views/terminal.ts";

async function main(argv: readonly string[]): Promise<number> {
  if (argv[0] === "--version") return print(`${version}\n`);
  const [first, second] = wordsOf(argv);
  const asksHelp = first === "help";
  const name = asksHelp ? second : first;
  if (name === undefined) {
    await parse(argv, {});
    const { helpMap } = await import("./views/help.ts");
    return print(helpMap(commands, globalFlags, proseWidth()));
  }
  const entry = Object.hasOwn(commands, name) ? commands[name] : undefined;
  if (entry === undefined) {
    throw new UsageError(
      `There is no command ${name}.${await suggest(name, Object.keys(commands))}`,
    );
  }
  const command = await entry.load();
  const { values, args } = await parse(argv, command.flags);
  if (asksHelp || values["help"] === true) {
    const { helpCommand } = await import("./views/help.ts");
    return print(helpCommand(name, command, globalFlags, proseWidth()));
  }
  return command.run(contextOf(command, values, args.slice(1)));
}

function proseWidth(): number {
  return processTerminal({ color: false, json: false, variables: process.env }).prose;
}

const jsonFormats: ReadonlySet<string> = new Set(["json", "sarif"]);

type Values = Readonly<Record<string, string | boolean | readonly string[] | undefined>>;

function contextOf(command: Command, values: Values, args: readonly string[]): Context {
  const [standard] = command.formats;
  const format = values["format"] ?? standard;
  if (typeof format !== "string" || !command.formats.includes(format)) {
    throw new UsageError(
      command.formats.length === 1
        ? `The only --format here is ${standard}; ${String(format)} is not.`
        : `--format is one of ${command.formats.join(", ")}; ${String(format)} is not.`,
    );
  }
  if (command.maxArguments !== undefined && args.length > command.maxArguments) {
    throw new UsageError(`One argument too many: ${args[command.maxArguments]}.`);
  }
  const globals = valuesOf(globalFlags, values);
  return {
    root: resolve(globals.directory ?? "."),
    globals,
    flags: valuesOf(command.flags, values),
    args,
    format,
    terminal: processTerminal({
      color: !globals["no-color"],
      json: jsonFormats.has(format),
      variables: process.env,
    }),
    variables: process.env,
  };
}

/** What was given for these flags, in the types they promise. */
function valuesOf<F extends Flags>(flags: F, values: Values): Context<F>["flags"] {
  const own = Object.entries(flags).map(([name, { type, multiple }]) => [
    name,
    type === "boolean" ? values[name] === true : (values[name] ?? (multiple ? [] : undefined)),
  ]);
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- made from F's own entries
  return Object.fromEntries(own) as Context<F>["flags"];
}

/** What is neither a flag nor the value of one; the first is the command. */
function wordsOf(argv: readonly string[]): string[] {
  const { tokens } = tokenize(argv, globalFlags);
  return tokens.flatMap((token) => (token.kind === "positional" ? [token.value] : []));
}

async function parse(argv: readonly string[], own: Flags) {
  const flags: Flags = { ...globalFlags, ...own };
  const { tokens, positionals } = tokenize(argv, flags);
  const values: Record<string, string | boolean | readonly string[]> = {};
  for (const token of tokens) {
    if (token.kind !== "option") continue;
    const flag = Object.hasOwn(flags, token.name) ? flags[token.name] : undefined;
    if (flag === undefined) {
      const names = Object.keys(flags).map((known) => `--${known}`);
      throw new UsageError(
        `There is no option ${token.rawName}.${await suggest(token.rawName, names)}`,
      );
    }
    if (flag.type === "boolean") {
      if (token.value !== undefined) throw new UsageError(`${token.rawName} takes no value.`);
      values[token.name] = true;
    } else if (token.value === undefined) {
      throw new UsageError(
        `${token.rawName} needs a value: ${token.rawName} ${flag.value ?? "VALUE"}.`,
      );
    } else if (flag.multiple) {
      const before = values[token.name];
      values[token.name] = [...(Array.isArray(before) ? before : []), token.value];
    } else values[token.name] = token.value;
  }
  return { values, args: positionals };
}

function tokenize(argv: readonly string[], flags: Flags) {
  const options: NonNullable<ParseArgsConfig["options"]> = {};
  for (const [name, { type, short }] of Object.entries(flags)) {
    options[name] = short === undefined ? { type } : { type, short };
  }
  return parseArgs({
    args: [...argv],
    options,
    strict: false,
    allowPositionals: true,
    tokens: true,
  });
}

async function suggest(word: string, known: readonly string[]): Promise<string> {
  const { didYouMean, nearest } = await import("./compile/nearest.ts");
  return ` ${didYouMean(nearest(word, known)) ?? "`ivrctl --help` shows what there is."}`;
}

/** As written, for where the call itself may be wrong; of several the last, as in a right one. */
function formatIn(argv: readonly string[]): string | undefined {
  const flag = "--format";
  return argv
    .flatMap((word, at) => {
      if (word === flag) return argv[at + 1] ?? [];
      return word.startsWith(`${flag}=`) ? word.slice(flag.length + 1) : [];
    })
    .at(-1);
}

function print(text: string): 0 {
  stdout.write(text);
  return 0;
}

function fail(error: unknown, argv: readonly string[]): number {
  const format = formatIn(argv);
  const failure = failureIn(format, error instanceof Error ? error.message : String(error));
  if (format !== undefined && jsonFormats.has(format)) stdout.writeJson(failure);
  else print(failure);
  if (error instanceof UsageError) {
    stderr.write(`ivrctl: ${error.message.split("\n").map(visible).join("\n")}\n`);
    return 1;
  }
  const verbose = argv.includes("--verbose");
  const detail = error instanceof Error ? (verbose ? error.stack : error.message) : String(error);
  stderr.write(
    `ivrctl: this is a bug in ivrctl ${version}: ${detail}\n${verbose ? "" : "Please report it with what --verbose shows.\n"}`,
  );
  return 1;
}

/** What was printed and did not arrive; whoever closed the pipe (`| head`) has seen enough. */
let unprinted: Error | undefined;
stdout.onError((error) => {
  if (error.code !== "EPIPE") unprinted ??= error;
});

const argv = process.argv.slice(2);
for (const event of ["uncaughtException", "unhandledRejection"] as const) {
  process.on(event, (error: unknown) => process.exit(fail(error, argv)));
}
void main(argv)
  .catch((error: unknown) => fail(error, argv))
  .then((code) => {
    process.exitCode = code;
    process.on("exit", () => {
      if (unprinted === undefined) return;
      stderr.write(`ivrctl: the result could not be printed: ${unprinted.message}\n`);
      if (code === 0) process.exitCode = 1;
    });
    // Node would tidy up first, which takes longer than many a command.
    if (stdout.isDone && stderr.isDone) process.exit();
  });
