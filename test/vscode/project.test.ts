import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { matchesGlob } from "node:path/posix";
import { describe, expect, test } from "vitest";
import { asGlob, menuFile, projectOf } from "../../editors/vscode/src/project.ts";
import { folder } from "../support/cli.ts";

describe("the project of a file", () => {
  const files = { "ivrctl.yaml": "", "work/a/ivrctl.yaml": "", "work/a/ivrs/b/ivrctl.yaml": "" };

  test.each([
    ["work/a/ivrctl.yaml", "work/a"],
    ["work/a/ivrs/main.yaml", "work/a"],
    ["work/a/ivrs/deep/er/main.test.yaml", "work/a"],
    ["work/a/ivrs/b/ivrs/main.yaml", "work/a/ivrs/b"],
    // Not a file that ivrctl reads.
    ["work/a/README.md", undefined],
    ["work/a/other/main.yaml", undefined],
    ["work/a/ivrs/main.yml", undefined],
    // The workspace folder is trusted, its parent is not.
    ["work/ivrs/main.yaml", undefined],
    ["elsewhere/ivrs/main.yaml", undefined],
  ])("%s: %s", (file, expected) => {
    const top = folder(files);
    mkdirSync(join(top, "elsewhere"));
    const root = projectOf(join(top, file), join(top, "work"));
    expect(root).toBe(expected === undefined ? undefined : join(top, expected));
  });

  test("is found from the root of the disk", () => {
    const top = folder(files);
    expect(projectOf(join(top, "work/a/ivrs/main.yaml"), "/")).toBe(join(top, "work/a"));
  });
});

test.each([
  ["/p/ivrs/main.yaml", "/p/ivrs/main.yaml"],
  ["/p/ivrs/main.test.yaml", "/p/ivrs/main.yaml"],
  ["/p/ivrs/_defaults.yaml", undefined],
  ["/p/ivrctl.yaml", undefined],
])("the menu of %s: %s", (file, expected) => {
  expect(menuFile(file)).toBe(expected);
});

test("a folder as a glob pattern matches only itself", () => {
  for (const path of ["/a/[b]", "/a/b*", "/a/?", "/a/plain"]) {
    expect(matchesGlob(path, asGlob(path))).toBe(true);
  }
  expect(matchesGlob("/a/b", asGlob("/a/[b]"))).toBe(false);
  expect(matchesGlob("/a/bc", asGlob("/a/b*"))).toBe(false);
});
