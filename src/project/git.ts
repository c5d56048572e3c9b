import { spawn } from "node:child_process";

/** What git printed, or why it did not. */
export type Ran =
  | { readonly kind: "done"; readonly stdout: Buffer }
  | { readonly kind: "failed"; readonly problem: string }
  | { readonly kind: "missing"; readonly problem: string };

/**
 * Runs git in a folder. Only commands that read objects are run: they start no
 * hook, no filter and no pager, and touch neither the index nor a file.
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
  // git may end before it has read everything. Then its message says why.
  child.stdin.on("error", () => {}).end(input);
  return new Promise((resolve) => {
    child.on("error", (error) => resolve({ kind: "missing", problem: error.message }));
    child.on("close", (code, signal) => {
      if (code === 0) resolve({ kind: "done", stdout: Buffer.concat(stdout) });
      else
        resolve({
          kind: "failed",
          problem: messageIn(stderr) || `it ended with ${code ?? signal}`,
        });
    });
  });
}

function messageIn(stderr: string): string {
  const [first = ""] = stderr.split("\n");
  return first.replace(/^(?:fatal|error): /, "").replace(/\.$/, "");
}

/** Removes the variables with which a git hook names its own repository: the folder decides. */
function environment(): NodeJS.ProcessEnv {
  const { GIT_DIR, GIT_WORK_TREE, GIT_INDEX_FILE, GIT_PREFIX, ...rest } = process.env;
  return { ...rest, LC_ALL: "C", GIT_LITERAL_PATHSPECS: "1", GIT_OPTIONAL_LOCKS: "0" };
}

/** One object as `cat-file --batch --follow-symlinks` answers. */
export type Blob =
  | { readonly kind: "blob"; readonly content: Buffer }
  | { readonly kind: "none"; readonly why: string };

/** Reads the answers to a list of names. Each is a line with a size, then as many bytes. */
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
  symlink: "it is a link that leaves the project",
  dangling: "it is a link to what is not there",
  loop: "its links go in a circle",
};
