import { throwingFile } from "../util/foreign-code.ts";
import type { Host } from "../util/host.ts";
import { commandText, hintParts } from "../util/suggest.ts";
import { UsageError } from "../util/usage-error.ts";
import { version } from "../util/version.ts";
import { failureJson } from "../views/json.ts";
import { type Outputs, openOutputs } from "../views/output.ts";
import { type Terminal, visible } from "../views/terminal.ts";
import type { Context } from "./command.ts";
import { commandContext } from "./context.ts";
import { parse } from "./parse.ts";
import { print } from "./printer.ts";

/** Runs the command that the command line names. Returns the exit code. */
export async function run(argv: readonly string[], host: Host): Promise<number> {
  const outputs = openOutputs(host);
  let context: Context | undefined;
  try {
    const read = await parse(argv, host);
    if (typeof read === "string") {
      outputs.stdout.write(read);
      return 0;
    }
    context = { ...(await commandContext(read, host, outputs)), run };
    return await print(await read.command.run(context), context);
  } catch (error) {
    return failed(error, argv, outputs, context?.terminal.command);
  }
}

/** Reports an error that no code of a command waits for. Returns the exit code. */
export function reportUncaught(error: unknown, argv: readonly string[], host: Host): number {
  return failed(error, argv, openOutputs(host));
}

function failed(
  error: unknown,
  argv: readonly string[],
  outputs: Outputs,
  commandOf: Terminal["command"] = commandText,
): number {
  const message = error instanceof Error ? error.message : String(error);
  // Some commands print only JSON, but a person who did not ask for it reads text.
  if (asksForJson(argv)) outputs.stdout.writeJson(failureJson(message));
  if (error instanceof UsageError) {
    const { words, command } = hintParts(error.hint, commandOf);
    // Messages of yargs can have several lines.
    const lines = [...words.split("\n"), command === undefined ? [] : `  ${command}`].flat();
    outputs.stderr.write(`ivrctl: ${lines.map(visible).join("\n")}\n`);
    return 1;
  }
  const verbose = argv.includes("--verbose");
  const plugin = error instanceof Error ? throwingFile(error) : undefined;
  if (plugin !== undefined) {
    outputs.stderr.write(
      `ivrctl: The plugin ${visible(plugin)} threw an error outside of its rules: ${visible(message)}\nFix the plugin, or remove it from \`plugins:\` in ivrctl.yaml.\n`,
    );
    return 1;
  }
  const detail = error instanceof Error && verbose ? error.stack : message;
  outputs.stderr.write(
    `ivrctl: Unexpected error, a bug in ivrctl ${version}: ${detail}\n${verbose ? "" : "Run the command again with --verbose, and report its output.\n"}`,
  );
  return 1;
}

/** Whether a command line, which may be wrong, asks for JSON. */
function asksForJson(argv: readonly string[]): boolean {
  const options = argv.slice(0, [...argv, "--"].indexOf("--"));
  return options.some(
    (word, at) => word === "--format=json" || (word === "json" && options[at - 1] === "--format"),
  );
}
