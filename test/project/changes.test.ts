import { execFileSync } from "node:child_process";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { baseOf, isAffected, mostCommits, pushedCommits } from "../../src/project/changes.ts";
import { folder } from "../support/cli.ts";

/** A repository with one commit on `main`. */
class Repository {
  readonly path = folder({});
  #commits = 0;

  constructor() {
    this.git("init", "--quiet", "--initial-branch=main");
    this.commit({ "README.md": "" });
  }

  git(...args: readonly string[]): string {
    const who = ["-c", "user.name=A", "-c", "user.email=a@example.com"];
    return execFileSync("git", [...who, ...args], { cwd: this.path, encoding: "utf8" }).trim();
  }

  get head(): string {
    return this.git("rev-parse", "HEAD");
  }

  /** Writes files, or deletes those with null. Returns the commit. */
  commit(files: Readonly<Record<string, string | null>>): string {
    for (const [name, text] of Object.entries(files)) {
      const file = join(this.path, name);
      mkdirSync(dirname(file), { recursive: true });
      if (text === null) rmSync(file);
      else writeFileSync(file, text);
    }
    // Otherwise two empty commits in one second would be the same commit.
    this.#commits += 1;
    this.git("add", "--all");
    this.git("commit", "--quiet", "--allow-empty", `--message=${this.#commits}`);
    return this.head;
  }

  /** Adds empty commits. Two processes for each of them would take seconds. */
  commitOften(count: number): void {
    const commits = Array.from(
      { length: count },
      (_, at) =>
        `commit refs/heads/main\ncommitter A <a@example.com> ${at} +0000\ndata 0\n${at === 0 ? `from ${this.head}\n` : ""}\n`,
    );
    execFileSync("git", ["fast-import", "--quiet"], { cwd: this.path, input: commits.join("") });
  }

  /** Creates a branch with one commit, and returns to `main`. */
  branch(name: string, files: Readonly<Record<string, string>> = {}): string {
    this.git("switch", "--quiet", "--create", name);
    const commit = this.commit(files);
    this.git("switch", "--quiet", "main");
    return commit;
  }

  merge(name: string): string {
    this.git("merge", "--quiet", "--no-ff", "--no-edit", name);
    return this.head;
  }
}

describe("the base of a change", () => {
  test("is the target branch, if a merge of both is checked out", async () => {
    const repository = new Repository();
    const old = repository.head;
    const head = repository.branch("change");
    const target = repository.commit({});
    repository.merge("change");
    expect(await baseOf(repository.path, old, head)).toBe(target);
  });

  test("is where the branch started, if the change itself is checked out", async () => {
    const repository = new Repository();
    const start = repository.head;
    const head = repository.branch("change");
    const target = repository.commit({});
    repository.git("switch", "--quiet", "--detach", head);
    expect(await baseOf(repository.path, target, head)).toBe(start);
  });

  test("is the base of a merge queue, even if its last commit is a merge", async () => {
    const repository = new Repository();
    const target = repository.head;
    repository.branch("change");
    const head = repository.merge("change");
    expect(await baseOf(repository.path, target, head)).toBe(target);
  });

  test("is the named commit, if a shallow clone does not have it", async () => {
    const repository = new Repository();
    const target = repository.head;
    const head = repository.commit({ "ivrs/a.yaml": "" });
    const clone = join(folder({}), "clone");
    repository.git("clone", "--quiet", "--depth=1", `file://${repository.path}`, clone);
    expect(await baseOf(clone, target, head)).toBe(target);
    expect(await pushedCommits(clone, target, head)).toEqual([head]);
    expect(await isAffected(placeAt(clone), "", target)).toBe(true);
  });
});

describe("the commits of a push", () => {
  test("are those of the branch, the oldest first, and merges count once", async () => {
    const repository = new Repository();
    const before = repository.head;
    repository.branch("change");
    const merge = repository.merge("change");
    const last = repository.commit({});
    expect(await pushedCommits(repository.path, before, last)).toEqual([merge, last]);
  });

  test.each([undefined, "", "0".repeat(40), "f".repeat(40)])(
    "are only the last one, if the commit before is %s",
    async (before) => {
      const { path, head } = new Repository();
      expect(await pushedCommits(path, before, head)).toEqual([head]);
    },
  );

  test("are only the last one, if the branch was set back", async () => {
    const repository = new Repository();
    const first = repository.head;
    const second = repository.commit({});
    expect(await pushedCommits(repository.path, second, first)).toEqual([first]);
  });

  test("are the newest, and one more, if there are many", async () => {
    const repository = new Repository();
    const before = repository.head;
    repository.commitOften(mostCommits + 5);
    const commits = await pushedCommits(repository.path, before, repository.head);
    expect(commits).toHaveLength(mostCommits + 1);
    expect(commits.at(-1)).toBe(repository.head);
  });
});

function placeAt(root: string) {
  return { root, globals: { config: undefined, env: "staging,production" }, variables: {} };
}

describe("a change", () => {
  const config =
    "version: 1\nenvironments: { a: {} }\nrules: { plugins: [rules/own.mjs, top.mjs] }\n";

  test.each([
    ["ivrs/a.yaml", true],
    ["ivrs/sub/a.test.yaml", true],
    ["ivrctl.yaml", true],
    ["agents.lock.json", true],
    ["agents.production.lock.json", true],
    ["rules/helper.mjs", true],
    ["top.mjs", true],
    ["package-lock.json", true],
    [".github/workflows/ivrctl.yml", true],
    [".gitlab-ci.yml", true],
    [".gitlab/ivrctl.yml", true],
    ["README.md", false],
    ["docs/ivrs/a.yaml", false],
    ["ivrs-old/a.yaml", false],
    ["other.mjs", false],
    ["agents.lock.json.bak", false],
    ['ü "quoted"\n.md', false],
  ])("of %j concerns ivrctl: %j", async (file, expected) => {
    const repository = new Repository();
    const before = repository.commit({ "ivrctl.yaml": config });
    repository.commit({ [file]: `${config}# changed\n` });
    expect(await isAffected(placeAt(repository.path), "", before)).toBe(expected);
  });

  test.each([
    ["desk/ivrs/a.yaml", true],
    ["desk/ivrctl.yaml", true],
    ["desk/rules/helper.mjs", true],
    ["package-lock.json", true],
    ["ivrs/a.yaml", false],
    ["ivrctl.yaml", false],
    ["other/ivrs/a.yaml", false],
  ])("of %j concerns the project in the folder desk: %j", async (file, expected) => {
    const repository = new Repository();
    const before = repository.commit({ "desk/ivrctl.yaml": config });
    const after = repository.commit({ [file]: `${config}# changed\n` });
    repository.commit({ "desk/ivrs/later.yaml": "" });
    const place = placeAt(join(repository.path, "desk"));
    expect(await isAffected(place, "desk/", before, after)).toBe(expected);
  });

  test("concerns ivrctl if a menu was moved away or deleted", async () => {
    const repository = new Repository();
    const before = repository.commit({ "ivrctl.yaml": config, "ivrs/a.yaml": "a", b: "b" });
    const after = repository.commit({ "ivrs/a.yaml": null, moved: "a" });
    expect(await isAffected(placeAt(repository.path), "", before, after)).toBe(true);
  });

  test("concerns ivrctl if git cannot tell", async () => {
    const { path, head } = new Repository();
    expect(await isAffected(placeAt(path), "", `${head}^1`, head)).toBe(true);
    expect(await isAffected(placeAt(folder({})), "", "HEAD")).toBe(true);
  });
});
