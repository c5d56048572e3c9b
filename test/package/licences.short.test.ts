import { join } from "node:path";
import { rolldown } from "rolldown";
import { describe, expect, test } from "vitest";
import { licences } from "../../build/licences.ts";
import { folder } from "../support/cli.ts";

const manifest = (name: string) => JSON.stringify({ name, version: "1.2.3", license: "MIT" });

/** The page of a bundle of these files; each of these entries is a build of its own. */
async function page(files: Record<string, string>, entries = ["main.js"]): Promise<string> {
  const cwd = folder(files);
  const plugin = licences("LICENCES.txt");
  let text = "";
  for (const entry of entries) {
    await using build = await rolldown({ cwd, input: join(cwd, entry), plugins: [plugin] });
    const { output } = await build.generate();
    const asset = output.find(({ fileName }) => fileName === "LICENCES.txt");
    text = asset?.type === "asset" ? String(asset.source) : "";
  }
  return text;
}

/** A package that says something when it is loaded, so that nothing of it can be left out. */
const library = (name: string, licence: string, imports = "") => ({
  [`node_modules/${name}/package.json`]: manifest(name),
  [`node_modules/${name}/index.js`]: `${imports}console.log("${name}");`,
  [`node_modules/${name}/${licence}`]: `Licence of ${name}\n`,
});

describe("the licences of what is bundled", () => {
  test("of every package in it, and of none that is only installed", async () => {
    const text = await page({
      "main.js": 'import "one";',
      ...library("one", "LICENSE.md", 'import "two";'),
      ...library("two", "licence"),
      ...library("three", "LICENSE"),
    });
    expect(text).toContain("\none 1.2.3 (MIT)\n\nLicence of one\n");
    expect(text).toContain("\ntwo 1.2.3 (MIT)\n\nLicence of two\n");
    expect(text).not.toContain("three");
  });

  test("of a part with a licence of its own, once, and under the package's name", async () => {
    const text = await page({
      "main.js": 'import "one"; import "one/lib/a.js"; import "one/lib/b.js";',
      ...library("one", "LICENSE"),
      "node_modules/one/NOTICE": "Notice of one\n",
      "node_modules/one/lib/package.json": '{ "type": "module" }',
      "node_modules/one/lib/LICENSE": "Licence of a part\n",
      "node_modules/one/lib/a.js": 'console.log("a");',
      "node_modules/one/lib/b.js": 'console.log("b");',
    });
    expect(text.split("-".repeat(80)).slice(1)).toEqual([
      "\n\none 1.2.3 (MIT)\n\nLicence of one\n\nNotice of one\n\nLicence of a part\n",
    ]);
  });

  test("of several builds together", async () => {
    const text = await page(
      {
        "command.js": 'import "one";',
        "library.js": 'import "two";',
        ...library("one", "LICENSE"),
        ...library("two", "LICENSE"),
      },
      ["command.js", "library.js"],
    );
    expect(text).toMatch(/Licence of one.*Licence of two/s);
  });

  test("one that is missing stops the build", async () => {
    const building = page({ "main.js": 'import "one";', ...library("one", "README.md") });
    await expect(building).rejects.toThrow("one 1.2.3 (MIT) comes without a licence text");
  });
});
