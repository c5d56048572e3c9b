import { chmodSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { findInstalled, isOlder, oldest } from "../../editors/vscode/src/installed.ts";
import manifest from "../../package.json" with { type: "json" };
import { folder } from "../support/cli.ts";

/** A program that prints a version. */
const version = (number: string) => `#!/bin/sh\necho ${number}\n`;

const [own, shared] = ["work/shop/node_modules/.bin/ivrctl", "work/node_modules/.bin/ivrctl"];
const [outside, inPath, other] = ["node_modules/.bin/ivrctl", "bin/ivrctl", "other/tool"];

/** Creates a workspace `work` with these programs, and finds the ivrctl of its project `shop`. TOP is its parent. */
async function find(
  programs: Readonly<Record<string, string>>,
  { setting = "", path = "TOP/bin" }: { readonly setting?: string; readonly path?: string } = {},
) {
  const top = folder({ "work/shop/ivrctl.yaml": "", ...programs });
  for (const program of Object.keys(programs)) chmodSync(join(top, program), 0o755);
  const found = await findInstalled({
    root: join(top, "work/shop"),
    workspaceFolder: join(top, "work"),
    setting: setting.replaceAll("TOP", top),
    path: path.replaceAll("TOP", top),
  });
  return JSON.parse(JSON.stringify(found).replaceAll(top, "TOP"));
}

describe("the ivrctl of a project", () => {
  const all = [own, shared, other, inPath].map((file) => [file, version("1.2.3")] as const);

  test.each([
    ["the project's", 0, own],
    ["that of a folder above", 1, shared],
    ["the setting", 2, other],
    ["that in PATH", 3, inPath],
  ])("is %s, if it comes first", async (_, from, expected) => {
    const setting = from <= 2 ? "TOP/other/tool" : "";
    const found = await find(Object.fromEntries(all.slice(from)), { setting });
    expect(found).toEqual({ kind: "found", command: `TOP/${expected}`, version: "1.2.3" });
  });

  test("can be named in the setting", async () => {
    const found = await find({ "bin/tool": version("1.2.3") }, { setting: "tool" });
    expect(found).toMatchObject({ kind: "found", command: "TOP/bin/tool" });
  });

  test("is never a program from outside the workspace that PATH does not name", async () => {
    expect(await find({ [outside]: version("1.2.3") })).toMatchObject({ kind: "missing" });
  });

  test.each([
    ["a relative folder in PATH", { path: "node_modules/.bin:bin" }],
    ["an empty PATH", { path: "" }],
  ])("is not found in %s", async (_, asked) => {
    expect(await find({ "work/shop/bin/ivrctl": version("1.2.3") }, asked)).toMatchObject({
      kind: "missing",
    });
  });

  test("cannot be a relative path, which would be a file of the project", async () => {
    const found = await find({ "work/shop/tool": version("1.2.3") }, { setting: "./tool" });
    expect(found).toMatchObject({ kind: "unusable" });
  });

  test.each([
    ["is too old", version("0.9.9"), `has version 0.9.9. This extension needs ivrctl ${oldest} `],
    ["fails", "#!/bin/sh\necho no node >&2\nexit 127\n", "does not run: no node"],
    ["prints no version", version("hello"), "does not run: hello"],
    ["is no program", "#!/nowhere\n", "does not run: "],
  ])("is not replaced by one in PATH if it %s", async (_, local, why) => {
    const found = await find({ [own]: local, [inPath]: version("1.2.3") });
    expect(found).toEqual({ kind: "unusable", why: expect.stringContaining(`TOP/${own} ${why}`) });
  });

  test("of this repository is new enough", () => {
    expect(isOlder(manifest.version, oldest)).toBe(false);
  });
});

test.each([
  ["0.9.9", true],
  ["0.10.0", true],
  ["1.0.0", false],
  ["1.0.0-beta.1", false],
  ["1.0.1", false],
  ["10.0.0", false],
])("whether %s is older than 1.0.0: %s", (text, expected) => {
  expect(isOlder(text, "1.0.0")).toBe(expected);
});
