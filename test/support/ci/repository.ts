import { execFileSync } from "node:child_process";
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { readBatch } from "../../../src/project/git.ts";
import { environment } from "../environment.ts";

const settings = {
  GIT_AUTHOR_NAME: "Somebody",
  GIT_AUTHOR_EMAIL: "somebody@localhost",
  GIT_COMMITTER_NAME: "Somebody",
  GIT_COMMITTER_EMAIL: "somebody@localhost",
  // No command looks for garbage.
  GIT_CONFIG_COUNT: "1",
  GIT_CONFIG_KEY_0: "maintenance.auto",
  GIT_CONFIG_VALUE_0: "false",
};

export function git(cwd: string, ...args: readonly string[]): string {
  return run(cwd, args).toString("utf8").trim();
}

function run(cwd: string, args: readonly string[], input = ""): Buffer {
  const env = { ...environment(), ...settings };
  return execFileSync("git", args, { cwd, env, input, stdio: "pipe" });
}

/** The content of files by path. Null deletes a file. */
export type Changes = Readonly<Record<string, string | null>>;

/** How a pull request is merged. */
export type Merge = "merge" | "squash" | "rebase" | "fast-forward";

interface Merging {
  readonly how?: Merge | undefined;
  readonly into?: string;
}

/** The repository of a project on a server (a folder), and a work tree of it where people commit. */
export class Repository {
  readonly bare: string;
  readonly clone: string;

  constructor(folder: string, name: string) {
    this.bare = join(folder, `${name}.git`);
    this.clone = join(folder, "clone");
    mkdirSync(this.bare, { recursive: true });
    const options = ["--initial-branch=main", `--separate-git-dir=${this.bare}`];
    git(folder, "init", "--quiet", "--template=", ...options, this.clone);
    // Nor does the server after a push.
    appendFileSync(join(this.bare, "config"), "[receive]\n\tautogc = false\n");
    git(this.clone, "commit", "--quiet", "--allow-empty", "--message", "Begin");
  }

  /** Commits these files to a branch. */
  commit(branch: string, files: Changes): string {
    if (existsSync(this.#ref(branch))) git(this.clone, "checkout", "--quiet", branch, "--");
    else git(this.clone, "checkout", "--quiet", "-b", branch, "main");
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
    return this.head(branch);
  }

  head(branch: string): string {
    return readFileSync(this.#ref(branch), "utf8").trim();
  }

  /** Brings a branch to main or another one, as GitHub and GitLab do. Returns the last commit there. */
  merge(branch: string, { how = "merge", into = "main" }: Merging = {}): string {
    git(this.clone, "checkout", "--quiet", into);
    if (how === "fast-forward") git(this.clone, "merge", "--quiet", "--ff-only", branch);
    if (how === "merge") git(this.clone, "merge", "--quiet", "--no-ff", "--no-edit", branch);
    if (how === "rebase") git(this.clone, "cherry-pick", `${into}..${branch}`);
    if (how === "squash") {
      git(this.clone, "merge", "--quiet", "--squash", branch);
      git(this.clone, "commit", "--quiet", "--message", `Change ${branch}`);
    }
    return this.head(into);
  }

  /** Checks out a commit into a new folder, whose remote is at this address. */
  checkOut(workspace: string, commit: string, url: string): void {
    git(this.bare, "clone", "--quiet", "--template=", "--no-checkout", this.bare, workspace);
    git(workspace, "checkout", "--quiet", "--detach", commit);
    const config = join(workspace, ".git/config");
    writeFileSync(
      config,
      readFileSync(config, "utf8").replace(/url = .*/, () => `url = ${url}`),
    );
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

  /** Returns the blocks of an environment's state on its branch, for a project in this folder. */
  blocks(environment: string, folder: string): readonly string[] {
    const branch = `ivrctl-state-${environment}`;
    if (!existsSync(this.#ref(branch))) return [];
    const prefix = `${folder}${environment}/`;
    const names = git(this.bare, "ls-tree", "-r", "--name-only", branch, prefix).split("\n");
    // Each state of the environment has a folder.
    const paths = names.filter((name) => name.includes("/log/")).sort();
    const input = paths.map((path) => `${branch}:${path}\n`).join("");
    const printed = run(this.bare, ["cat-file", "--batch"], input);
    return readBatch(printed, paths.length).map((content) => String(content ?? ""));
  }

  #ref(branch: string): string {
    return join(this.bare, "refs/heads", branch);
  }
}
