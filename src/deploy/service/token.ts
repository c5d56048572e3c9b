import { execFile } from "node:child_process";
import type { TokenSource } from "../../project/service-settings.ts";
import { secrets } from "../../util/secrets.ts";
import type { Host } from "../../util/host.ts";

export type Token =
  | { readonly kind: "token"; readonly token: string }
  /** What is wrong, without the token. */
  | { readonly kind: "problem"; readonly problem: string };

const maxSeconds = 60;

/** Reads the token, or runs the command that prints it. The command runs in `folder`. */
export async function obtainToken(
  source: TokenSource,
  folder: string,
  env: Host["env"],
  signal?: AbortSignal,
): Promise<Token> {
  if (source.kind === "text") return checkToken(source.text, "The token");
  const printed = await run(source.command, { cwd: folder, env }, signal);
  // The line break at the end is not part of the token.
  return printed.kind === "problem"
    ? printed
    : checkToken(printed.token.replace(/\r?\n$/, ""), "The output of the token command");
}

function checkToken(text: string, what: string): Token {
  secrets.add(text);
  const problem = problemIn(text);
  return problem === undefined
    ? { kind: "token", token: text }
    : { kind: "problem", problem: `${what} ${problem}.` };
}

function problemIn(text: string): string | undefined {
  if (text === "") return "is empty";
  if (/\s/.test(text)) return "contains a space or a line break";
  return /^[\x21-\x7e]+$/.test(text)
    ? undefined
    : "contains a character that an HTTP header cannot have";
}

function run(
  [file, ...args]: readonly [string, ...string[]],
  place: { readonly cwd: string; readonly env: Host["env"] },
  signal: AbortSignal | undefined,
): Promise<Token> {
  const options = {
    ...place,
    ...(signal === undefined ? {} : { signal }),
    encoding: "utf8",
    timeout: maxSeconds * 1000,
    killSignal: "SIGKILL",
    maxBuffer: 64 * 1024,
    windowsHide: true,
  } as const;
  return new Promise<Token>((resolve) => {
    const child = execFile(file, args, options, (error, stdout) => {
      resolve(
        error === null
          ? { kind: "token", token: stdout }
          : { kind: "problem", problem: why(error) },
      );
    });
    child.stdin?.on("error", () => {}).end();
  }).catch(() => ({ kind: "problem", problem: "The token command cannot be run." }) as const);
}

/** Describes the error without its own message, which would repeat what the command printed. */
function why(error: Error & { code?: unknown; killed?: boolean; signal?: unknown }): string {
  if (error.name === "AbortError") return "The token command was interrupted.";
  if (error.code === "ENOENT") return "The token command was not found.";
  if (error.code === "EACCES") return "The token command is not executable.";
  if (error.code === "ERR_CHILD_PROCESS_STDIO_MAXBUFFER")
    return "The token command printed too much.";
  if (error.killed === true) return `The token command took more than ${maxSeconds} s.`;
  return typeof error.code === "number"
    ? `The token command failed with exit code ${error.code}.`
    : "The token command failed.";
}
