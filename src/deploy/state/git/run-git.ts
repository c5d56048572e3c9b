import { type GitResult, git } from "../../../project/git.ts";
import type { Variables } from "../../../project/variables.ts";
import type { Host } from "../../../util/host.ts";
import { failedWith } from "../../../util/disk.ts";
import { StateProblem } from "../store.ts";

/** A setting of git: its name and its value. */
export type GitSetting = readonly [name: string, value: string];

export interface GitOptions {
  /** The repository. Undefined: the one that git finds from the folder. */
  readonly gitDir?: string;
  /** The only settings that git uses. Undefined: the user's. */
  readonly settings?: readonly GitSetting[];
  readonly host: Host;
}

/** Runs the program `git` for a state on a branch, and runs no hook. */
export class Git {
  readonly #folder: string;
  readonly #options: GitOptions;

  constructor(folder: string, options: GitOptions) {
    this.#folder = folder;
    this.#options = options;
  }

  /** Runs git and returns what it printed, whatever its exit code. */
  async attempt(args: readonly string[], input?: string | Buffer): Promise<GitResult> {
    const { gitDir, settings, host } = this.#options;
    const place = gitDir === undefined ? [] : [`--git-dir=${gitDir}`];
    const withSettings = settings === undefined ? host : { ...host, gitEnv: only(settings) };
    return git(["-C", this.#folder, ...place, ...args], withSettings, input).catch(
      (error: unknown) => {
        throw cannotRun(error);
      },
    );
  }

  /** Runs a command that needs no network and returns what it printed. Throws if it fails. */
  async bytes(args: readonly string[], input?: string | Buffer): Promise<Buffer> {
    const { exit, stdout, stderr } = await this.attempt(args, input);
    if (exit === 0) return stdout;
    throw new StateProblem("IVR604", `\`git ${args[0]}\` failed: ${firstLine(stderr)}`);
  }

  /** Does the same, and returns the text without the newline at its end. */
  async text(args: readonly string[], input?: string | Buffer): Promise<string> {
    return (await this.bytes(args, input)).toString("utf8").replace(/\n$/, "");
  }
}

/** The variables that make git use these settings and no others. They may hold a token, so they are not arguments. */
function only(settings: readonly GitSetting[]): Variables {
  const numbered = settings.flatMap(([name, value], at) => [
    [`GIT_CONFIG_KEY_${at}`, name],
    [`GIT_CONFIG_VALUE_${at}`, value],
  ]);
  return {
    ...Object.fromEntries(numbered),
    GIT_CONFIG_COUNT: String(settings.length),
    GIT_CONFIG_GLOBAL: "/dev/null",
    GIT_CONFIG_NOSYSTEM: "1",
    GIT_CONFIG_PARAMETERS: "",
  };
}

function cannotRun(error: unknown): StateProblem {
  return failedWith(error, "ENOENT")
    ? new StateProblem("IVR671", "The program `git` was not found.", "Install git 2.32 or later.")
    : new StateProblem("IVR671", `The program \`git\` cannot be started: ${String(error)}.`);
}

/** Returns the first line that git printed about a failure, without credentials in addresses. */
export function firstLine(stderr: string): string {
  const lines = stderr
    .replaceAll(/\/\/[^/@\s]+@/g, "//***@")
    .split("\n")
    .map((line) => line.replace(/^(?:fatal|error|remote):\s*/, "").trim());
  return lines.find((line) => line !== "") ?? "it printed no reason";
}
