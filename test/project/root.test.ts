import { mkdirSync, realpathSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { fromRepository, projectAbove, projectRoot } from "../../src/project/root.ts";
import { folder } from "../support/cli.ts";

/** Creates a folder with these files. Names that end in `/` are empty folders. */
function place(...names: string[]) {
  const files = names.filter((name) => !name.endsWith("/"));
  const top = realpathSync(folder(Object.fromEntries(files.map((name) => [name, ""]))));
  for (const name of names) if (name.endsWith("/")) mkdirSync(join(top, name), { recursive: true });
  return (path = "") => join(top, path);
}

describe("the root of a project", () => {
  test("is the nearest folder with ivrctl.yaml", () => {
    const at = place("ivrctl.yaml", "a/b/", "inner/ivrctl.yaml", "inner/ivrs/x/");
    expect(projectRoot(at())).toBe(at());
    expect(projectRoot(at("a/b"))).toBe(at());
    expect(projectRoot(at("inner/ivrs/x"))).toBe(at("inner"));
  });

  test("is the folder itself if there is no project", () => {
    const at = place("a/b/", "ivrs/x.yaml");
    expect(projectRoot(at("a/b"))).toBe(at("a/b"));
    expect(projectRoot(at("ivrs"))).toBe(at("ivrs"));
  });

  test("may have a folder of menus that is called ivrs", () => {
    const at = place("ivrctl.yaml", "ivrs/ivrs/x.yaml", "ivrs/a/ivrs/x.yaml");
    expect(projectRoot(at("ivrs"))).toBe(at());
    expect(projectRoot(at("ivrs/ivrs"))).toBe(at());
    expect(projectRoot(at("ivrs/a"))).toBe(at());
  });

  test("is not outside the git repository of the folder", () => {
    const at = place("ivrctl.yaml", "repo/.git/", "repo/a/", "tree/.git", "tree/a/");
    expect(projectRoot(at("repo/a"))).toBe(at("repo/a"));
    expect(projectRoot(at("repo"))).toBe(at("repo"));
    expect(projectRoot(at("tree/a"))).toBe(at("tree/a"));
    expect(projectAbove(at("repo"))).toBeUndefined();
  });

  test("has a project above it only if another folder has ivrctl.yaml", () => {
    const at = place("ivrctl.yaml", "a/b/");
    expect(projectAbove(at("a/b"))).toBe(at());
    expect(projectAbove(at())).toBeUndefined();
  });
});

describe("the path from the repository to a project", () => {
  test.each([
    ["", "", ""],
    ["a/b", "", "a/b/"],
    ["repo", "repo/.git/config", ""],
    ["repo/a/b", "repo/.git/config", "a/b/"],
    ["repo/a", ".git/config", "repo/a/"],
    ["submodule/a", "submodule/.git", "submodule/a/"],
  ])("of %j, with %j, is %j", (root, repository, path) => {
    const at = place(`${root}/`, ...(repository === "" ? [] : [repository]));
    expect(fromRepository(at(), at(root))).toBe(path);
    expect(fromRepository(`${at()}/`, at(root))).toBe(path);
  });

  test("is undefined outside of the workspace", () => {
    const at = place("repo/.git/config", "workspace/");
    expect(fromRepository(at("workspace"), at("repo"))).toBeUndefined();
  });
});
