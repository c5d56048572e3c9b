import { resolve } from "node:path";
import { projectRoot } from "../project/root.ts";
import { splitCommand } from "../util/split-command.ts";
import { UsageError } from "../util/usage-error.ts";
import { version } from "../util/version.ts";
import { failureIn } from "../views/failure.ts";
import { stderr, stdout } from "../views/output.ts";
import { type Terminal, processTerminal, visible, writeIn } from "../views/terminal.ts";
import { contextOf } from "./context.ts";
import { parse } from "./parse.ts";

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
  const read = await parse(argv, { width: plain.prose, root: projectRoot(resolve(".")) });
  if (typeof read !== "string") {
    const context = await contextOf(read);
    return read.command.run(context).catch((error: unknown) => fail(error, argv, context));
  }
  stdout.write(read);
  return 0;
}

function fail(
  error: unknown,
  argv: readonly string[],
  { format, terminal: { say } }: FailingCommand = unread,
): number {
  const message = error instanceof Error ? error.message : String(error);
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

interface FailingCommand {
  readonly format: string;
  readonly terminal: Pick<Terminal, "say">;
}

/** Before the command line is read, there is no format. */
const unread: FailingCommand = {
  format: "text",
  terminal: { say: (text) => stderr.write(text) },
};
