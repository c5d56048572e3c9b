import { eventLines } from "../file-log.ts";
import { execFileSync } from "node:child_process";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { environment } from "../environment.ts";

const author = {
  GIT_AUTHOR_NAME: "Somebody",
  GIT_AUTHOR_EMAIL: "somebody@localhost",
  GIT_COMMITTER_NAME: "Somebody",
  GIT_COMMITTER_EMAIL: "somebody@localhost",
};

export function git(cwd: string, ...args: readonly string[]): string {
  const env = { ...environment(), ...author };
  return execFileSync("git", args, { cwd, env, encoding: "utf8", stdio: "pipe" }).trim();
}

/** The content of files by path. Null deletes a file. */
export type Changes = Readonly<Record<string, string | null>>;

/** How a pull request is merged. */
export type Merge = "merge" | "squash" | "rebase";

/** The repository of a project on a server (a folder), and a clone where people work. */
export class Repository {
  readonly bare: string;
  readonly clone: string;

  constructor(folder: string, name: string) {
    this.bare = join(folder, `${name}.git`);
    this.clone = join(folder, "clone");
    mkdirSync(this.bare, { recursive: true });
    git(this.bare, "init", "--quiet", "--template=", "--bare", "--initial-branch=main");
    git(folder, "clone", "--quiet", "--template=", this.bare, this.clone);
    git(this.clone, "checkout", "--quiet", "-b", "main");
    git(this.clone, "commit", "--quiet", "--allow-empty", "--message", "Begin");
  }

  /** Commits these files to a branch and pushes it. */
  commit(branch: string, files: Changes): string {
    if (branch !== "main" && git(this.clone, "branch", "--list", branch) === "") {
      git(this.clone, "checkout", "--quiet", "-b", branch, "main");
    } else git(this.clone, "checkout", "--quiet", branch, "--");
    for (const [name, text] of Object.entries(files)) {
      const path = join(this.clone, name);
      if (text === null) rmSync(path);
      else {
        mkdirSync(dirname(path), { recursive: true });
        writeFileSync(path, text);
      }
    }
    git(this.clone, "add", "--all");
    git(this.clone, "commit", "--quiet", "--allow-empty", "--message", `Change ${branch}`);
    git(this.clone, "push", "--quiet", "origin", branch);
    return this.head(branch);
  }

  head(branch: string): string {
    return git(this.bare, "rev-parse", `refs/heads/${branch}`);
  }

  /** Brings a branch to main, as GitHub and GitLab do. Returns the last commit of main. */
  merge(branch: string, how: Merge = "merge"): string {
    git(this.clone, "checkout", "--quiet", "main");
    if (how === "merge") git(this.clone, "merge", "--quiet", "--no-ff", "--no-edit", branch);
    if (how === "rebase") git(this.clone, "cherry-pick", `main..${branch}`);
    if (how === "squash") {
      git(this.clone, "merge", "--quiet", "--squash", branch);
      git(this.clone, "commit", "--quiet", "--message", `Change ${branch}`);
    }
    git(this.clone, "push", "--quiet", "origin", "main");
    return this.head("main");
  }

  /** Checks out a commit into a new folder, whose remote is at this address. */
  checkOut(workspace: string, commit: string, url: string): void {
    git(this.bare, "clone", "--quiet", "--template=", "--no-checkout", this.bare, workspace);
    git(workspace, "checkout", "--quiet", "--detach", commit);
    git(workspace, "remote", "set-url", "origin", url);
  }

  /** Does the same without any other commit. */
  checkOutShallow(workspace: string, commit: string, url: string): void {
    git(this.bare, "init", "--quiet", "--template=", workspace);
    git(workspace, "fetch", "--quiet", "--depth=1", `file://${this.bare}`, commit);
    git(workspace, "checkout", "--quiet", "--detach", commit);
    git(workspace, "remote", "add", "origin", url);
  }

  /** Does the same with the merge of main and a commit, as a runner does for a pull request. */
  checkOutMerge(workspace: string, head: string, url: string): string {
    this.checkOut(workspace, "origin/main", url);
    git(workspace, "merge", "--quiet", "--no-ff", "--no-edit", head);
    return git(workspace, "rev-parse", "HEAD");
  }

  /** Returns the events of an environment's state. Undefined if there is no state. */
  events(environment = "production", folder = ""): string | undefined {
    const blocks = this.#blocks(environment, folder);
    return blocks.length === 0 ? undefined : eventLines(blocks);
  }

  /** Whether a run holds the lock of the state, or has left it. */
  isLocked(environment = "production"): boolean {
    const kinds = this.#blocks(environment, "").map((block) => /"kind":"(\w+)"/.exec(block)?.[1]);
    return kinds.findLast((kind) => kind === "locked" || kind === "released") === "locked";
  }

  #blocks(environment: string, folder: string): readonly string[] {
    const log = `ivrctl-state-${environment}:${folder}${environment}/log`;
    try {
      const names = git(this.bare, "ls-tree", "-r", "--name-only", log).trim().split("\n");
      return names.sort().map((name) => `${git(this.bare, "show", `${log}/${name}`).trimEnd()}\n`);
    } catch {
      return [];
    }
  }
}
