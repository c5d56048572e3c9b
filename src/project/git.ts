import { spawn } from "node:child_process";
import { dirname, join } from "node:path";
import { pathExists } from "../util/disk.ts";
import type { Host } from "../util/host.ts";
import type { Variables } from "./environment-variables.ts";

export interface GitResult {
  /** Null if git was killed. */
  readonly exit: number | null;
  readonly stdout: Buffer;
  readonly stderr: string;
}

/** Milliseconds for one call of git. */
const timeLimit = 60_000;

/**
 * Runs git and returns what it printed, whatever its exit code. Rejects if it cannot be started. It
 * never asks a question. It has a session of its own, so ssh finds no terminal to ask on, and Ctrl-C
 * does not interrupt a push.
 */
export function git(
  args: readonly string[],
  host: Host,
  input: string | Buffer = "",
): Promise<GitResult> {
  const child = spawn("git", ["--no-pager", ...args], {
    env: environment({ ...host.env, ...host.gitEnv }),
    detached: true,
  });
  const cancel = host.clock.after(timeLimit, () => killGroup(child.pid, host));
  const stdout: Buffer[] = [];
  const stderr: Buffer[] = [];
  child.stdout.on("data", (chunk: Buffer) => stdout.push(chunk));
  child.stderr.on("data", (chunk: Buffer) => stderr.push(chunk));
  // git may end before it has read all of its input. Its message says why.
  child.stdin.on("error", () => {}).end(input);
  return new Promise<GitResult>((resolve, reject) => {
    child.on("error", reject);
    child.on("close", (exit) => {
      resolve({
        exit,
        stdout: Buffer.concat(stdout),
        stderr: Buffer.concat(stderr).toString("utf8"),
      });
    });
  }).finally(cancel);
}

/** Kills git and the programs that it started, such as ssh. */
function killGroup(pid: number | undefined, { machine }: Host): void {
  if (pid === undefined) return;
  try {
    machine.kill(-pid, "SIGKILL");
  } catch {
    // They have ended.
  }
}

function environment(variables: Variables): NodeJS.ProcessEnv {
  const dropped = new Set(ofOneRepository);
  const inherited = Object.entries(variables).filter(([name]) => !dropped.has(name));
  return { ...Object.fromEntries(inherited), GIT_TERMINAL_PROMPT: "0", LC_ALL: "C" };
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

/** The output of git, or why it failed. */
export type Ran =
  | { readonly kind: "done"; readonly stdout: Buffer }
  | { readonly kind: "failed"; readonly problem: string; readonly exit: number | null }
  | { readonly kind: "missing"; readonly problem: string };

/**
 * Runs git in a folder. Use it only for commands that read objects or fetch them: they start no
 * hook, filter or pager, and change neither the index nor a file.
 */
export async function runGit(
  folder: string,
  args: readonly string[],
  host: Host,
  input: string | Buffer = "",
): Promise<Ran> {
  // Starting git only to hear this takes longer than many commands.
  if (!isInRepository(folder)) {
    return { kind: "failed", problem: "this is not a git repository", exit: 128 };
  }
  const env = { ...host.env, GIT_LITERAL_PATHSPECS: "1", GIT_OPTIONAL_LOCKS: "0" };
  try {
    const { exit, stdout, stderr } = await git(["-C", folder, ...args], { ...host, env }, input);
    if (exit === 0) return { kind: "done", stdout };
    const killed = exit === null ? "it was killed" : `it exited with ${exit}`;
    return { kind: "failed", problem: messageIn(stderr) || killed, exit };
  } catch (error) {
    return { kind: "missing", problem: error instanceof Error ? error.message : String(error) };
  }
}

function isInRepository(folder: string): boolean {
  const above = dirname(folder);
  return pathExists(join(folder, ".git")) || (above !== folder && isInRepository(above));
}

/**
 * Fetches from the remote into FETCH_HEAD: no ref of the checkout moves, no hook runs, and no history
 * is cut off.
 */
export function fetch(
  { root, host }: { readonly root: string; readonly host: Host },
  ref: string,
  ...options: readonly string[]
): Promise<Ran> {
  const settings = ["-c", "core.hooksPath=/dev/null", "-c", "http.followRedirects=false"];
  const fixed = [
    "--quiet",
    // Later commands have no login, so a partial clone could not fetch the contents then.
    "--no-filter",
    "--no-tags",
    "--no-prune",
    "--no-auto-maintenance",
    "--recurse-submodules=no",
    "--refmap=",
  ];
  return runGit(root, [...settings, "fetch", ...fixed, ...options, "--", "origin", ref], host);
}

/** The default branch of the remote, as far as this clone knows it. */
export async function defaultBranch({
  root,
  host,
}: {
  readonly root: string;
  readonly host: Host;
}): Promise<string | undefined> {
  const head = "refs/remotes/origin/HEAD";
  const read = await runGit(root, ["symbolic-ref", "--quiet", "--short", head], host);
  if (read.kind !== "done") return undefined;
  return read.stdout
    .toString("utf8")
    .trim()
    .replace(/^origin\//, "");
}

/** Reduces the addresses in a text to scheme, host and path. A remote may have a token in the rest. */
export function withoutSecrets(text: string): string {
  return text.replaceAll(/(\w:\/\/)(?:[^\s'"?#]*@)?([^\s'"?#]*)(?:[?#][^\s'"]*)?/g, "$1$2");
}

function messageIn(stderr: string): string {
  const [first = ""] = withoutSecrets(stderr).split("\n");
  return first.replace(/^(?:fatal|error): /, "").replace(/\.$/, "");
}

/**
 * Reads what `cat-file --batch` answers to a list of objects: for each a line with its size, followed by
 * as many bytes. Undefined for one that is not a blob.
 */
export function readBatch(stdout: Buffer, count: number): (Buffer | undefined)[] {
  const contents: (Buffer | undefined)[] = [];
  for (let at = 0; contents.length < count;) {
    const end = stdout.indexOf("\n", at);
    if (end === -1) break;
    const [, type, size] = / (\w+) (\d+)$/.exec(stdout.toString("utf8", at, end)) ?? [];
    const start = end + 1;
    contents.push(type === "blob" ? stdout.subarray(start, start + Number(size)) : undefined);
    at = size === undefined ? start : start + Number(size) + 1;
  }
  return contents;
}
