import { readFileSync, readdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";

/** `views`, or for the largest folder `deploy/plan`. Empty for a file that is in none. */
function folderOf(file: string): string {
  const [first = "", second = "", ...rest] = file.split("/");
  if (second === "") return "";
  return first === "deploy" && rest.length > 0 ? `${first}/${second}` : first;
}

/** Names the commands, which `cli` loads when they run. */
const loader = "cli/commands.ts";

/** The folders in `src` that the files in each folder import, at their start or later. */
function importedFolders(): Map<string, Set<string>> {
  const folders = new Map<string, Set<string>>();
  for (const name of readdirSync("src", { recursive: true, encoding: "utf8" })) {
    const folder = folderOf(name);
    if (folder === "" || name === loader || !/\.tsx?$/.test(name)) continue;
    const imported = folders.get(folder) ?? new Set();
    folders.set(folder, imported);
    for (const [, path = ""] of readFileSync(join("src", name), "utf8").matchAll(
      /\b(?:from |import |import\()"(\.[^"]+)"/g,
    )) {
      const other = folderOf(join(dirname(name), path));
      if (other !== folder) imported.add(other);
    }
  }
  return folders;
}

/** The folders that import each other, in a circle of any length. */
function circles(folders: ReadonlyMap<string, ReadonlySet<string>>): string[] {
  const reachable = (from: string) => {
    const found = new Set<string>();
    const visit = (folder: string) => {
      for (const next of folders.get(folder) ?? []) {
        if (found.has(next)) continue;
        found.add(next);
        visit(next);
      }
    };
    visit(from);
    return found;
  };
  return [...folders.keys()].filter((folder) => reachable(folder).has(folder));
}

test("folders import each other in one direction, except the fields of a menu and its type", () => {
  const folders = importedFolders();
  expect(folders.size).toBeGreaterThan(20);
  expect(folders.get("model")).toContain("schema");
  expect(circles(folders)).toEqual(["model", "schema"]);
  folders.get("util")?.add("views");
  expect(circles(folders)).toContain("views");
});

/** The block of a page that begins with this line. */
function blockIn(page: string, first: string): string[] {
  const blocks = readFileSync(page, "utf8").split(/^```(?:text)?\n/m);
  const block = blocks.find((text) => text.startsWith(first)) ?? "";
  return block.trimEnd().split("\n");
}

/** The folders that `deploy/` consists of. */
const parts = (line: string) => line.split(" → ").map((name) => `deploy/${name}`);

test("each folder imports only those below it, as docs/architecture.md claims", () => {
  const folders = importedFolders();
  const lines = blockIn("docs/architecture.md", "commands ");
  const layers = lines.flatMap((line) =>
    line.startsWith("deploy: ") ? parts(line.slice(8)).map((name) => [name]) : [line.split(/\s+/)],
  );
  expect(layers.flat().toSorted()).toEqual([...folders.keys()].toSorted());
  const broken = layers.flatMap((layer, at) => {
    const above = new Set(layers.slice(0, at).flat());
    return layer.flatMap((name) =>
      [...(folders.get(name) ?? [])].flatMap((other) =>
        above.has(other) ? `${name} → ${other}` : [],
      ),
    );
  });
  expect(broken).toEqual([]);
});

/** The files directly in a folder of `src`. */
function filesIn(folder: string): { readonly file: string; readonly text: string }[] {
  return readdirSync(join("src", folder), { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".ts"))
    .map((name) => ({ file: name, text: readFileSync(join("src", folder, name), "utf8") }));
}

test("commands/ has only commands, in short files, and only cli/ loads them", () => {
  const files = filesIn("commands");
  expect(files.length).toBeGreaterThan(25);
  const exported = files.flatMap(({ text }) => text.match(/^export .*$/gm) ?? []);
  const isCommand = /^export (?:default (?:command\(\{|group;)|const \w+ = command\(\{)$/;
  expect(exported.filter((line) => !isCommand.test(line))).toEqual([]);
  expect(exported.length).toBeGreaterThan(files.length);
  expect(files.filter(({ text }) => text.split("\n").length > 150)).toEqual([]);
  const loading = readdirSync("src", { recursive: true, encoding: "utf8" })
    .filter((name) => /\.tsx?$/.test(name) && !name.startsWith("commands/"))
    .filter((name) => /"(?:\.\.?\/)+commands\//.test(readFileSync(join("src", name), "utf8")));
  expect(loading).toEqual([loader]);
});

test("operations/ knows nothing of a command line", () => {
  const files = filesIn("operations");
  expect(files.length).toBeGreaterThan(10);
  const known = files.filter(({ text }) => /\b(?:flags|argv|process)\b\.|\.\.\/cli\//.test(text));
  expect(known.map(({ file }) => file)).toEqual([]);
});
