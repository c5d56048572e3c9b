import * as z from "zod/mini";

interface Printed {
  readonly exit: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/**
 * Throws if a command with `--format json` printed something that its published schema does not allow.
 * Ignores commands without a schema, those that were killed, and those that yargs refused: there is no
 * format before the command line is read.
 */
export async function checkOutput(
  args: readonly string[],
  { exit, stdout, stderr }: Printed,
): Promise<void> {
  const [command = "", subcommand] = args;
  const isJson = args.includes("--format=json") || args[args.indexOf("--format") + 1] === "json";
  if (!isJson || exit === null || args.includes("--help")) return;
  if (exit === 1 && stdout === "" && stderr.startsWith("ivrctl: ")) return;
  // Most commands print text, and do not need the schemas.
  const { isOutputName, outputs } = await import("../../src/schema/output/index.ts");
  const { Failure } = await import("../../src/schema/output/shared-fields.ts");
  const isGroup = command === "state" || command === "agents";
  const name = `${isGroup ? `${command}-${subcommand}` : command}-output`;
  if (!isOutputName(name)) return;
  const value: unknown = JSON.parse(stdout);
  const isFailure = typeof value === "object" && value !== null && "error" in value;
  const { error } = z.safeParse(isFailure ? Failure : outputs[name], value);
  if (error === undefined) return;
  throw new Error(
    `ivrctl ${args.join(" ")}: the output does not match schema/${name}.schema.json:\n${z.prettifyError(error)}`,
  );
}
