import { mkdirSync, realpathSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { fromRepository, projectAbove, projectRoot } from "../../src/project/root.ts";
import { folder } from "../support/cli.ts";
import { testHost } from "../support/host.ts";

/** Creates a folder with these files. Names that end in `/` are empty folders. */
function place(...names: string[]) {
  const files = names.filter((name) => !name.endsWith("/"));
  const top = realpathSync(folder(Object.fromEntries(files.map((name) => [name, ""]))));
  for (const name of names) if (name.endsWith("/")) mkdirSync(join(top, name), { recursive: true });
  return (path = "") => join(top, path);
}

describe("the root of a project", () => {
  const home = process.env["HOME"];
  beforeEach(() => void (process.env["HOME"] = "/nowhere"));
  afterEach(() => void (process.env["HOME"] = home));

  test("is the nearest folder with ivrctl.yaml", () => {
    const at = place("ivrctl.yaml", "a/b/", "inner/ivrctl.yaml", "inner/ivrs/x/");
    expect(projectRoot(at(), testHost())).toBe(at());
    expect(projectRoot(at("a/b"), testHost())).toBe(at());
    expect(projectRoot(at("inner/ivrs/x"), testHost())).toBe(at("inner"));
  });

  test("is the folder itself if there is no project", () => {
    const at = place("a/b/", "ivrs/x.yaml");
    expect(projectRoot(at("a/b"), testHost())).toBe(at("a/b"));
    expect(projectRoot(at("ivrs"), testHost())).toBe(at("ivrs"));
  });

  test("may have a folder of menus that is called ivrs", () => {
    const at = place("ivrctl.yaml", "ivrs/ivrs/x.yaml", "ivrs/a/ivrs/x.yaml");
    expect(projectRoot(at("ivrs"), testHost())).toBe(at());
    expect(projectRoot(at("ivrs/ivrs"), testHost())).toBe(at());
    expect(projectRoot(at("ivrs/a"), testHost())).toBe(at());
  });

  test("is not outside the git repository of the folder", () => {
    const at = place("ivrctl.yaml", "repo/.git/", "repo/a/", "tree/.git", "tree/a/");
    expect(projectRoot(at("repo/a"), testHost())).toBe(at("repo/a"));
    expect(projectRoot(at("repo"), testHost())).toBe(at("repo"));
    expect(projectRoot(at("tree/a"), testHost())).toBe(at("tree/a"));
    expect(projectAbove(at("repo"), testHost())).toBeUndefined();
  });

  test("is not above the home folder, also if that is a link", () => {
    const at = place("ivrctl.yaml", "home/a/");
    process.env["HOME"] = at("home");
    expect(projectRoot(at("home/a"), testHost())).toBe(at("home/a"));
    symlinkSync(at("home"), at("link"));
    process.env["HOME"] = at("link");
    expect(projectRoot(at("home/a"), testHost())).toBe(at("home/a"));
    process.env["HOME"] = at();
    expect(projectRoot(at("home/a"), testHost())).toBe(at());
  });

  test("has a project above it only if another folder has ivrctl.yaml", () => {
    const at = place("ivrctl.yaml", "a/b/");
    expect(projectAbove(at("a/b"), testHost())).toBe(at());
    expect(projectAbove(at(), testHost())).toBeUndefined();
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
