import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { isAffected, pushedCommits, reviewBase } from "../../src/workspace/changed-files.ts";
import { type Changes, Repository, git } from "../support/ci/repository.ts";
import { folder } from "../support/cli.ts";
import { testHost } from "../support/host.ts";

/** A repository whose branch `main` has one commit. */
function made() {
  const repository = new Repository(folder({}), "made");
  const { clone } = repository;
  return {
    path: clone,
    first: repository.head("main"),
    /** Commits these files to `main`, without those with null. Returns the commit. */
    commit: (files: Changes = {}) => repository.commit("main", files),
    /** Creates a branch with one commit. */
    branch: (name: string) => repository.commit(name, {}),
    merge: (name: string) => repository.merge(name),
    git: (...args: readonly string[]) => git(clone, ...args),
  };
}

describe("the base of a change", () => {
  test("is the target branch, if a merge of both is checked out", async () => {
    const repository = made();
    const old = repository.first;
    const head = repository.branch("change");
    const target = repository.commit();
    repository.merge("change");
    expect(await reviewBase(placeAt(repository.path), old, head)).toBe(target);
  });

  test("is where the branch started, if the change itself is checked out", async () => {
    const repository = made();
    const start = repository.first;
    const head = repository.branch("change");
    const target = repository.commit();
    repository.git("update-ref", "--no-deref", "HEAD", head);
    expect(await reviewBase(placeAt(repository.path), target, head)).toBe(start);
  });

  test("is the base of a merge queue, even if its last commit is a merge", async () => {
    const repository = made();
    const target = repository.first;
    repository.branch("change");
    repository.commit();
    const head = repository.merge("change");
    expect(await reviewBase(placeAt(repository.path), target, head)).toBe(target);
  });

  test("is the named commit, if a shallow clone does not have it", async () => {
    const repository = made();
    const target = repository.first;
    const head = repository.commit({ "ivrs/a.yaml": "" });
    const clone = join(folder({}), "clone");
    repository.git("clone", "--quiet", "--depth=1", `file://${repository.path}`, clone);
    expect(await reviewBase(placeAt(clone), target, head)).toBe(target);
    expect(await isAffected(placeAt(clone), "", target)).toBe(true);
  });
});

describe("the commits of a push", () => {
  test("are those of the branch, the oldest first, and merges count once", async () => {
    const repository = made();
    const before = repository.first;
    repository.branch("change");
    const merge = repository.merge("change");
    const last = repository.commit();
    expect(await pushedCommits(placeAt(repository.path), before, last)).toEqual([merge, last]);
  });

  test("are fetched, if the checkout is shallow, and unknown if they cannot be fetched", async () => {
    const repository = made();
    const before = repository.first;
    repository.branch("change");
    const merge = repository.merge("change");
    const last = repository.commit();
    const shallow = (depth: number) => {
      const clone = join(folder({}), "clone");
      const source = `file://${repository.path}`;
      repository.git("clone", "--quiet", `--depth=${depth}`, source, clone);
      return clone;
    };
    // Even if the checkout has the commit before, commits between may be missing.
    for (const depth of [1, 2]) {
      const place = placeAt(shallow(depth));
      expect(await pushedCommits(place, before, last)).toEqual([merge, last]);
    }
    const alone = shallow(1);
    git(alone, "remote", "set-url", "origin", "/nowhere");
    expect(await pushedCommits(placeAt(alone), before, last)).toBeUndefined();
    expect(await pushedCommits(placeAt(repository.path), "f".repeat(40), last)).toBeUndefined();
  });

  test.each([undefined, "", "0".repeat(40)])(
    "are only the last one, if the commit before is %s",
    async (before) => {
      const { path, first } = made();
      expect(await pushedCommits(placeAt(path), before, first)).toEqual([first]);
    },
  );

  test("are only the last one, if the branch was set back", async () => {
    const repository = made();
    const first = repository.first;
    const second = repository.commit();
    expect(await pushedCommits(placeAt(repository.path), second, first)).toEqual([first]);
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
    const repository = made();
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
    const repository = made();
    const before = repository.commit({ "desk/ivrctl.yaml": config });
    const after = repository.commit({ [file]: `${config}# changed\n` });
    repository.commit({ "desk/ivrs/later.yaml": "" });
    const place = placeAt(join(repository.path, "desk"));
    expect(await isAffected(place, "desk/", before, after)).toBe(expected);
  });

  test("concerns ivrctl if a menu was moved away or deleted", async () => {
    const repository = made();
    const before = repository.commit({ "ivrctl.yaml": config, "ivrs/a.yaml": "a", b: "b" });
    const after = repository.commit({ "ivrs/a.yaml": null, moved: "a" });
    expect(await isAffected(placeAt(repository.path), "", before, after)).toBe(true);
  });

  test("concerns ivrctl if git cannot tell", async () => {
    const { path, first } = made();
    expect(await isAffected(placeAt(path), "", `${first}^1`, first)).toBe(true);
    expect(await isAffected(placeAt(folder({})), "", "HEAD")).toBe(true);
  });
});
