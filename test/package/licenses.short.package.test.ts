import { join } from "node:path";
import { rolldown } from "rolldown";
import { describe, expect, test } from "vitest";
import { licenses } from "../../build/licenses.ts";
import { folder } from "../support/cli.ts";

const manifest = (name: string) => JSON.stringify({ name, version: "1.2.3", license: "MIT" });

/** Builds each entry and returns the text of the license file. */
async function page(files: Record<string, string>, entries = ["main.js"]): Promise<string> {
  const cwd = folder(files);
  const plugin = licenses("LICENSES.txt");
  let text = "";
  for (const entry of entries) {
    await using build = await rolldown({ cwd, input: join(cwd, entry), plugins: [plugin] });
    const { output } = await build.generate();
    const asset = output.find(({ fileName }) => fileName === "LICENSES.txt");
    text = asset?.type === "asset" ? String(asset.source) : "";
  }
  return text;
}

/** A package with a side effect, so that the bundler keeps it. */
const library = (name: string, license: string, imports = "") => ({
  [`node_modules/${name}/package.json`]: manifest(name),
  [`node_modules/${name}/index.js`]: `${imports}console.log("${name}");`,
  [`node_modules/${name}/${license}`]: `License of ${name}\n`,
});

describe("the license file", () => {
  test("has the licenses of bundled packages only", async () => {
    const text = await page({
      "main.js": 'import "one";',
      ...library("one", "LICENSE.md", 'import "two";'),
      ...library("two", "licence"),
      ...library("three", "LICENSE"),
    });
    expect(text).toContain("\none 1.2.3 (MIT)\n\nLicense of one\n");
    expect(text).toContain("\ntwo 1.2.3 (MIT)\n\nLicense of two\n");
    expect(text).not.toContain("three");
  });

  test("has the license of a part once, under the name of its package", async () => {
    const text = await page({
      "main.js": 'import "one"; import "one/lib/a.js"; import "one/lib/b.js";',
      ...library("one", "LICENSE"),
      "node_modules/one/NOTICE": "Notice of one\n",
      "node_modules/one/lib/package.json": '{ "type": "module" }',
      "node_modules/one/lib/LICENSE": "License of a part\n",
      "node_modules/one/lib/a.js": 'console.log("a");',
      "node_modules/one/lib/b.js": 'console.log("b");',
    });
    expect(text.split("-".repeat(80)).slice(1)).toEqual([
      "\n\none 1.2.3 (MIT)\n\nLicense of one\n\nNotice of one\n\nLicense of a part\n",
    ]);
  });

  test("stops the build if a license is missing", async () => {
    const building = page({ "main.js": 'import "one";', ...library("one", "README.md") });
    await expect(building).rejects.toThrow("one 1.2.3 (MIT) has no license text");
  });
});
