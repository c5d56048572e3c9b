import { isAbsolute, relative, resolve } from "node:path";
import * as z from "zod";
import { type Command, argumentNames } from "../cli/command.ts";
import { UsageError } from "../util/usage-error.ts";

/** A command as a tool: what it is called, and which of its options a coding agent may set. */
export interface Tool {
  readonly name: string;
  /** The command, with the options that it always has. */
  readonly words: readonly string[];
  readonly command: Pick<Command, "about" | "arguments" | "flags" | "formats">;
  readonly options: readonly string[];
  /** Options that the command needs, because there is no terminal. */
  readonly required?: readonly string[];
}

/** The values of a call: of arguments by the names in the help, and of options. */
export type ToolInput = Readonly<Record<string, unknown>>;

const maxLength = 1000;
const maxWords = 200;

/** The input of a tool, made from the description of its command. */
export function inputSchema({ command, options, required = [] }: Tool) {
  const shape: Record<string, z.ZodType> = {};
  for (const { name, several, isRequired, about } of argumentsOf(command)) {
    const value = several ? words() : word();
    shape[name] = (isRequired ? value : value.optional()).describe(about);
  }
  for (const name of options) {
    const flag = command.flags?.[name];
    if (flag === undefined) throw new Error(`there is no option ${name}`);
    const value = flag.value === undefined ? z.boolean() : flag.multiple ? words() : word();
    shape[name] = (required.includes(name) ? value : value.optional()).describe(flag.about);
  }
  shape["env"] = word()
    .optional()
    .describe("Environment of ivrctl.yaml (default: default_environment)");
  return z.strictObject(shape);
}

const word = () => z.string().max(maxLength);
const words = () => z.array(word()).max(maxWords);

/** The command line of a call. Throws a UsageError if it would leave the project. */
export function commandLine(tool: Tool, input: ToolInput, root: string): string[] {
  const formats = tool.command.formats ?? [];
  const options = [...tool.options, "env"].flatMap((name) =>
    input[name] === true ? [`--${name}`] : textsOf(input[name]).map((text) => `--${name}=${text}`),
  );
  const args = argumentsOf(tool.command).flatMap(({ name, isPath }) => {
    const values = textsOf(input[name]);
    if (isPath) for (const path of values) refuseOutside(path, root);
    if (name === "ref" && values.includes("live")) {
      throw new UsageError(
        "`diff live` asks the service, which needs a token. A person can run it.",
      );
    }
    return values;
  });
  const format = formats.some((name: string) => name === "json") ? ["--format=json"] : [];
  return [...tool.words, ...format, ...options, "--", ...args];
}

/** The words of a value, which its schema has checked. */
function textsOf(value: unknown): string[] {
  return [value].flat().filter((text) => typeof text === "string");
}

function refuseOutside(path: string, root: string): void {
  const inside = relative(root, resolve(root, path));
  if (inside !== ".." && !/^\.\.[\\/]/.test(inside) && !isAbsolute(inside)) return;
  throw new UsageError(`${path} is outside of the project ${root}.`);
}

/** The arguments of a command: `<KEY>` is called `key`, and `[PATH..]` is called `paths`. */
function argumentsOf(command: Tool["command"]) {
  return Object.entries(command.arguments ?? {}).map(([written, about]) => {
    const [, kind = ""] = /([A-Z]+)/.exec(written) ?? [];
    const several = written.includes("..");
    return {
      name: kind.toLowerCase() + (several ? "s" : ""),
      several,
      isRequired: argumentNames(command).includes(`<${kind}`),
      isPath: kind === "PATH" || kind === "KEY",
      about,
    };
  });
}
