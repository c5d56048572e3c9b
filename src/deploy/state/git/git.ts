import { spawn } from "node:child_process";
import { failedWith } from "../../../util/disk.ts";
import { StateProblem } from "../store.ts";

export interface GitResult {
  /** Null if git was killed. */
  readonly exit: number | null;
  readonly stdout: Buffer;
  readonly stderr: string;
}

/** A setting of git: its name and its value. */
export type GitSetting = readonly [name: string, value: string];

export interface GitOptions {
  /** The repository. Undefined: the one that git finds from the folder. */
  readonly gitDir?: string;
  /** The only settings that git uses. Undefined: the user's. */
  readonly settings?: readonly GitSetting[];
  /** Set only in environments of tests. */
  readonly variables: Readonly<Record<string, string | undefined>>;
}

/** Milliseconds for one call of git. */
const timeLimit = 60_000;

/**
 * Runs the program `git`. It never asks a question, and it runs no hook. It has a session of
 * its own, so ssh finds no terminal to ask on, and Ctrl-C does not interrupt a push.
 */
export class Git {
  readonly #folder: string;
  readonly #options: GitOptions;

  constructor(folder: string, options: GitOptions) {
    this.#folder = folder;
    this.#options = options;
  }

  /** Runs git and returns what it printed, whatever its exit code. */
  async attempt(args: readonly string[], input: string | Buffer = ""): Promise<GitResult> {
    const { gitDir, settings } = this.#options;
    const place = gitDir === undefined ? [] : [`--git-dir=${gitDir}`];
    const child = spawn("git", ["-C", this.#folder, ...place, ...args], {
      env: { ...this.#environment(), ...(settings === undefined ? {} : only(settings)) },
      detached: true,
    });
    const timer = setTimeout(() => killGroup(child.pid), timeLimit);
    const stdout: Buffer[] = [];
    const stderr: Buffer[] = [];
    child.stdout.on("data", (chunk: Buffer) => stdout.push(chunk));
    child.stderr.on("data", (chunk: Buffer) => stderr.push(chunk));
    // git may end before it has read all of its input.
    child.stdin.on("error", () => {});
    child.stdin.end(input);
    return new Promise((resolve, reject) => {
      child.on("error", (error) => reject(cannotRun(error)));
      child.on("close", (exit) => {
        clearTimeout(timer);
        resolve({
          exit,
          stdout: Buffer.concat(stdout),
          stderr: Buffer.concat(stderr).toString("utf8"),
        });
      });
    });
  }

  /** Runs a command that needs no network and returns what it printed. Throws if it fails. */
  async bytes(args: readonly string[], input?: string | Buffer): Promise<Buffer> {
    const { exit, stdout, stderr } = await this.attempt(args, input);
    if (exit === 0) return stdout;
    throw new StateProblem("IVR672", `\`git ${args[0]}\` failed: ${firstLine(stderr)}`);
  }

  /** Does the same, and returns the text without the newline at its end. */
  async text(args: readonly string[], input?: string | Buffer): Promise<string> {
    return (await this.bytes(args, input)).toString("utf8").replace(/\n$/, "");
  }

  #environment(): NodeJS.ProcessEnv {
    const own = new Set(ofOneRepository);
    const inherited = Object.entries(this.#options.variables).filter(([name]) => !own.has(name));
    return { ...Object.fromEntries(inherited), GIT_TERMINAL_PROMPT: "0", LC_ALL: "C" };
  }
}

/** Kills git and the programs that it started, such as ssh. */
function killGroup(pid: number | undefined): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, "SIGKILL");
  } catch {
    // They have ended.
  }
}

/** Variables that name a repository. They are set when a hook or an alias of git runs ivrctl. */
const ofOneRepository = [
  "GIT_ALTERNATE_OBJECT_DIRECTORIES",
  "GIT_COMMON_DIR",
  "GIT_DIR",
  "GIT_GRAFT_FILE",
  "GIT_INDEX_FILE",
  "GIT_NAMESPACE",
  "GIT_OBJECT_DIRECTORY",
  "GIT_PREFIX",
  "GIT_QUARANTINE_PATH",
  "GIT_REPLACE_REF_BASE",
  "GIT_SHALLOW_FILE",
  "GIT_WORK_TREE",
];

/** The variables that make git use these settings and no others. They may hold a token, so they are not arguments. */
function only(settings: readonly GitSetting[]): NodeJS.ProcessEnv {
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

function cannotRun(error: Error): StateProblem {
  return failedWith(error, "ENOENT")
    ? new StateProblem("IVR671", "The program `git` was not found.", "Install git 2.32 or later.")
    : new StateProblem("IVR671", `The program \`git\` cannot be started: ${error.message}.`);
}

/** Returns the first line that git printed about a failure, without credentials in addresses. */
export function firstLine(stderr: string): string {
  const lines = stderr
    .replaceAll(/\/\/[^/@\s]+@/g, "//***@")
    .split("\n")
    .map((line) => line.replace(/^(?:fatal|error|remote):\s*/, "").trim());
  return lines.find((line) => line !== "") ?? "it printed no reason";
}
