import { execFileSync } from "node:child_process";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { environment } from "../environment.ts";

const who = { NAME: "Somebody", EMAIL: "somebody@localhost" };
const author = {
  GIT_AUTHOR_NAME: who.NAME,
  GIT_AUTHOR_EMAIL: who.EMAIL,
  GIT_COMMITTER_NAME: who.NAME,
  GIT_COMMITTER_EMAIL: who.EMAIL,
};

const env = () => ({ ...environment(), ...author });

export function git(cwd: string, ...args: readonly string[]): string {
  return execFileSync("git", args, { cwd, env: env(), encoding: "utf8", stdio: "pipe" }).trim();
}

/** The repository of a project on a server (a folder), and a clone of it. */
export class Repository {
  readonly bare: string;
  readonly clone: string;

  constructor(folder: string, name: string) {
    this.bare = join(folder, `${name}.git`);
    this.clone = join(folder, "clone");
    mkdirSync(this.bare, { recursive: true });
    git(this.bare, "init", "--quiet", "--bare", "--initial-branch=main");
    git(folder, "clone", "--quiet", this.bare, this.clone);
    git(this.clone, "checkout", "--quiet", "-b", "main");
    git(this.clone, "commit", "--quiet", "--allow-empty", "--message", "Begin");
  }

  /** Commits these files to a branch and pushes it. Null deletes a file. */
  commit(branch: string, files: Readonly<Record<string, string | null>>, from = "main"): string {
    const exists = git(this.clone, "branch", "--list", branch) !== "";
    if (exists) git(this.clone, "checkout", "--quiet", branch);
    else git(this.clone, "checkout", "--quiet", "-b", branch, from);
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

  /** Merges a branch into main, as GitHub and GitLab do. */
  merge(branch: string): string {
    git(this.clone, "checkout", "--quiet", "main");
    git(this.clone, "merge", "--quiet", "--no-ff", "--no-edit", branch);
    git(this.clone, "push", "--quiet", "origin", "main");
    return this.head("main");
  }

  checkOut(workspace: string, commit: string): void {
    git(dirname(workspace), "clone", "--quiet", "--no-checkout", this.bare, workspace);
    git(workspace, "checkout", "--quiet", commit);
  }

  /** Checks out the merge of main and the branch, as a runner does for a pull request. */
  checkOutMerge(workspace: string, head: string): void {
    this.checkOut(workspace, "origin/main");
    git(workspace, "merge", "--quiet", "--no-ff", "--no-edit", head);
  }

  /** Returns a file of the state branch. Undefined if it does not exist. */
  kept(path: string, branch = "ivrctl-state"): string | undefined {
    try {
      return execFileSync("git", ["show", `${branch}:${path}`], {
        cwd: this.bare,
        env: env(),
        encoding: "utf8",
        stdio: "pipe",
      });
    } catch {
      return undefined;
    }
  }
}
