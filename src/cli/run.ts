import { splitCommand } from "../util/split-command.ts";
import { UsageError } from "../util/usage-error.ts";
import { version } from "../util/version.ts";
import { failureIn } from "../views/failure.ts";
import { stderr, stdout } from "../views/output.ts";
import { type Terminal, processTerminal, visible, writeIn } from "../views/terminal.ts";
import { contextOf } from "./context.ts";
import { readCommandLine } from "./read-command-line.ts";

/** Runs the command that the command line names. Only this function sets the exit code. */
export async function run(argv: readonly string[]): Promise<void> {
  let unprinted: Error | undefined;
  stdout.onError((error) => {
    // A closed pipe is normal, for example with `| head`.
    if (error.code !== "EPIPE") unprinted ??= error;
  });
  for (const event of ["uncaughtException", "unhandledRejection"] as const) {
    process.on(event, (error: unknown) => process.exit(fail(error, argv)));
  }
  const code = await perform(argv).catch((error: unknown) => fail(error, argv));
  process.exitCode = code;
  process.on("exit", () => {
    if (unprinted === undefined) return;
    stderr.write(`ivrctl: Cannot write to stdout: ${unprinted.message}\n`);
    if (code === 0) process.exitCode = 1;
  });
  // Node's own cleanup takes longer than many commands.
  if (stdout.isDone && stderr.isDone) process.exit();
}

async function perform(argv: readonly string[]): Promise<number> {
  const plain = processTerminal({ color: false, format: "text", variables: process.env });
  if (argv[0] === "completion" && argv[2] === "--words") {
    const { complete } = await import("./completion/complete.ts");
    return complete(argv, plain);
  }
  const read = await readCommandLine(argv, plain.prose);
  if (read.kind === "invocation") {
    const context = await contextOf(read);
    return read.command.run(context).catch((error: unknown) => fail(error, argv, context.terminal));
  }
  stdout.write(read.text);
  return 0;
}

function fail(
  error: unknown,
  argv: readonly string[],
  { say }: Pick<Terminal, "say"> = { say: (text) => stderr.write(text) },
): number {
  const message = error instanceof Error ? error.message : String(error);
  const format = formatIn(argv, error instanceof UsageError ? error.formats : undefined);
  writeIn(format, failureIn(format, message));
  if (error instanceof UsageError) {
    const { words, command } = splitCommand(message);
    const lines = [...words.split("\n"), ...(command === undefined ? [] : [`  ${command}`])];
    say(`ivrctl: ${lines.map(visible).join("\n")}\n`);
    return 1;
  }
  const verbose = argv.includes("--verbose");
  const detail = error instanceof Error && verbose ? error.stack : message;
  stderr.write(
    `ivrctl: Unexpected error, a bug in ivrctl ${version}: ${detail}\n${verbose ? "" : "Run the command again with --verbose, and report its output.\n"}`,
  );
  return 1;
}

/**
 * Finds the last `--format` without yargs, because the command line may be invalid. It must be one of
 * the formats of the command, if these are known.
 */
function formatIn(argv: readonly string[], formats: readonly string[] | undefined): string {
  const flag = "--format";
  const end = argv.includes("--") ? argv.indexOf("--") : argv.length;
  const options = argv.slice(0, end);
  const format = options
    .flatMap((word, at) => {
      if (word === flag) return options[at + 1] ?? [];
      return word.startsWith(`${flag}=`) ? word.slice(flag.length + 1) : [];
    })
    .at(-1);
  return format !== undefined && (formats?.includes(format) ?? true) ? format : "text";
}
