import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import {
  mergeBase,
  isAffected,
  mostCommits,
  pushedCommits,
} from "../../src/project/changed-files.ts";
import { folder } from "../support/cli.ts";
import { testHost } from "../support/host.ts";

/** A repository with one commit on `main`. The checkout has only the given files. */
class Repository {
  readonly path: string;
  #commits = 0;

  constructor(files: Readonly<Record<string, string>> = {}) {
    this.path = folder(files);
    this.git("init", "--quiet", "--initial-branch=main");
    this.commit({ "README.md": "" });
  }

  git(...args: readonly string[]): string {
    return execFileSync("git", args, { cwd: this.path, encoding: "utf8" }).trim();
  }

  get head(): string {
    return this.git("rev-parse", "HEAD");
  }

  /** Commits these files to `main`, without those with null. Returns the commit. */
  commit(files: Readonly<Record<string, string | null>>): string {
    const changes = Object.entries(files).map(([name, text]) =>
      text === null
        ? `D ${JSON.stringify(name)}\n`
        : `M 100644 inline ${JSON.stringify(name)}\ndata ${Buffer.byteLength(text)}\n${text}\n`,
    );
    return this.#import("main", [changes.join("")]);
  }

  /** Adds empty commits to `main`. */
  commitOften(count: number): void {
    this.#import(
      "main",
      Array.from({ length: count }, () => ""),
    );
  }

  /** Creates a branch with one commit. */
  branch(name: string): string {
    this.git("branch", name);
    return this.#import(name, [""]);
  }

  merge(name: string): string {
    return this.#import("main", [`merge refs/heads/${name}^0\n`]);
  }

  /** Adds commits with these changes to a branch in one process. Returns the last one. */
  #import(branch: string, changes: readonly string[]): string {
    const ref = `refs/heads/${branch}`;
    const commits = changes.map((change, at) => {
      const from = at === 0 && this.#commits > 0 ? `from ${ref}^0\n` : "";
      // Otherwise two empty commits in one second would be the same commit.
      this.#commits += 1;
      const committer = `A <a@example.com> ${this.#commits} +0000`;
      return `commit ${ref}\nmark :1\ncommitter ${committer}\ndata 0\n${from}${change}\n`;
    });
    const input = `${commits.join("")}get-mark :1\n`;
    const options = { cwd: this.path, input, encoding: "utf8" } as const;
    return execFileSync("git", ["fast-import", "--quiet"], options).trim();
  }
}

describe("the base of a change", () => {
  test("is the target branch, if a merge of both is checked out", async () => {
    const repository = new Repository();
    const old = repository.head;
    const head = repository.branch("change");
    const target = repository.commit({});
    repository.merge("change");
    expect(await mergeBase(placeAt(repository.path), old, head)).toBe(target);
  });

  test("is where the branch started, if the change itself is checked out", async () => {
    const repository = new Repository();
    const start = repository.head;
    const head = repository.branch("change");
    const target = repository.commit({});
    repository.git("update-ref", "--no-deref", "HEAD", head);
    expect(await mergeBase(placeAt(repository.path), target, head)).toBe(start);
  });

  test("is the base of a merge queue, even if its last commit is a merge", async () => {
    const repository = new Repository();
    const target = repository.head;
    repository.branch("change");
    repository.commit({});
    const head = repository.merge("change");
    expect(await mergeBase(placeAt(repository.path), target, head)).toBe(target);
  });

  test("is the named commit, if a shallow clone does not have it", async () => {
    const repository = new Repository();
    const target = repository.head;
    const head = repository.commit({ "ivrs/a.yaml": "" });
    const clone = join(folder({}), "clone");
    repository.git("clone", "--quiet", "--depth=1", `file://${repository.path}`, clone);
    expect(await mergeBase(placeAt(clone), target, head)).toBe(target);
    expect(await pushedCommits(placeAt(clone), target, head)).toEqual([head]);
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
    expect(await pushedCommits(placeAt(repository.path), before, last)).toEqual([merge, last]);
  });

  test.each([undefined, "", "0".repeat(40), "f".repeat(40)])(
    "are only the last one, if the commit before is %s",
    async (before) => {
      const { path, head } = new Repository();
      expect(await pushedCommits(placeAt(path), before, head)).toEqual([head]);
    },
  );

  test("are only the last one, if the branch was set back", async () => {
    const repository = new Repository();
    const first = repository.head;
    const second = repository.commit({});
    expect(await pushedCommits(placeAt(repository.path), second, first)).toEqual([first]);
  });

  test("are the newest, and one more, if there are many", async () => {
    const repository = new Repository();
    const before = repository.head;
    repository.commitOften(mostCommits + 5);
    const commits = await pushedCommits(placeAt(repository.path), before, repository.head);
    expect(commits).toHaveLength(mostCommits + 1);
    expect(commits.at(-1)).toBe(repository.head);
  });
});

function placeAt(root: string) {
  return { root, globals: { env: "staging,production" }, host: testHost() };
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
    const repository = new Repository({ "ivrctl.yaml": config });
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
    const repository = new Repository({ "desk/ivrctl.yaml": config });
    const before = repository.commit({ "desk/ivrctl.yaml": config });
    const after = repository.commit({ [file]: `${config}# changed\n` });
    repository.commit({ "desk/ivrs/later.yaml": "" });
    const place = placeAt(join(repository.path, "desk"));
    expect(await isAffected(place, "desk/", before, after)).toBe(expected);
  });

  test("concerns ivrctl if a menu was moved away or deleted", async () => {
    const repository = new Repository({ "ivrctl.yaml": config });
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
