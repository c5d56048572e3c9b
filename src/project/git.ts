import { spawn } from "node:child_process";

/** The output of git, or why it failed. */
export type Ran =
  | { readonly kind: "done"; readonly stdout: Buffer }
  | { readonly kind: "failed"; readonly problem: string }
  | { readonly kind: "missing"; readonly problem: string };

/**
 * Runs git in a folder. Use it only for commands that read objects: they start no hook, filter or
 * pager, and change neither the index nor a file.
 */
export function runGit(folder: string, args: readonly string[], input = ""): Promise<Ran> {
  const child = spawn("git", ["--no-pager", "-C", folder, ...args], {
    stdio: ["pipe", "pipe", "pipe"],
    env: environment(),
  });
  const stdout: Buffer[] = [];
  let stderr = "";
  child.stdout.on("data", (chunk: Buffer) => stdout.push(chunk));
  child.stderr.setEncoding("utf8").on("data", (chunk: string) => {
    stderr = (stderr + chunk).slice(0, 2_000);
  });
  // git may exit before it has read everything. Its message says why.
  child.stdin.on("error", () => {}).end(input);
  return new Promise((resolve) => {
    child.on("error", (error) => resolve({ kind: "missing", problem: error.message }));
    child.on("close", (code, signal) => {
      if (code === 0) resolve({ kind: "done", stdout: Buffer.concat(stdout) });
      else
        resolve({
          kind: "failed",
          problem: messageIn(stderr) || `it exited with ${code ?? signal}`,
        });
    });
  });
}

function messageIn(stderr: string): string {
  const [first = ""] = stderr.split("\n");
  return first.replace(/^(?:fatal|error): /, "").replace(/\.$/, "");
}

/** The environment without the variables that a git hook sets for its own repository. */
function environment(): NodeJS.ProcessEnv {
  const { GIT_DIR, GIT_WORK_TREE, GIT_INDEX_FILE, GIT_PREFIX, ...rest } = process.env;
  return { ...rest, LC_ALL: "C", GIT_LITERAL_PATHSPECS: "1", GIT_OPTIONAL_LOCKS: "0" };
}

/** One object as `cat-file --batch --follow-symlinks` answers. */
export type Blob =
  | { readonly kind: "blob"; readonly content: Buffer }
  | { readonly kind: "none"; readonly why: string };

/** Reads the answers to a list of names. Each is a line with a size, followed by as many bytes. */
export function readBatch(stdout: Buffer, count: number): Blob[] {
  const blobs: Blob[] = [];
  let at = 0;
  while (blobs.length < count) {
    const end = stdout.indexOf("\n", at);
    if (end === -1) break;
    const line = stdout.toString("utf8", at, end);
    at = end + 1;
    const sized =
      /^(?:[0-9a-f]{40,64} (?<type>\w+)|(?<fate>symlink|dangling|loop|notdir)) (?<size>\d+)$/.exec(
        line,
      );
    if (sized?.groups === undefined) {
      blobs.push({ kind: "none", why: "there is no such file" });
      continue;
    }
    const { type, fate = "", size = "0" } = sized.groups;
    const content = stdout.subarray(at, at + Number(size));
    at += Number(size) + 1;
    blobs.push(
      type === "blob"
        ? { kind: "blob", content }
        : { kind: "none", why: fates[fate] ?? "it is not a file" },
    );
  }
  return blobs;
}

const fates: Readonly<Record<string, string>> = {
  symlink: "it is a link to a file outside the project",
  dangling: "it is a link to a file that does not exist",
  loop: "its links form a circle",
};
