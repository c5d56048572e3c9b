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

/** The files of a folder in `src`, or of all. */
function filesIn(folder = ""): { readonly file: string; readonly text: string }[] {
  return readdirSync(join("src", folder), { recursive: true, encoding: "utf8" })
    .filter((name) => /\.tsx?$/.test(name))
    .map((name) => ({ file: name, text: readFileSync(join("src", folder, name), "utf8") }));
}

/** The folders in `src` that the files in each folder import, at their start or later. */
function importedFolders(): Map<string, Set<string>> {
  const folders = new Map<string, Set<string>>();
  for (const { file, text } of filesIn()) {
    const folder = folderOf(file);
    if (folder === "" || file === loader) continue;
    const imported = folders.get(folder) ?? new Set();
    folders.set(folder, imported);
    for (const [, path = ""] of text.matchAll(/\b(?:from |import |import\()"(\.[^"]+)"/g)) {
      const other = folderOf(join(dirname(file), path));
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

test("each folder imports only those below it, as ARCHITECTURE.md claims", () => {
  const folders = importedFolders();
  const lines = blockIn("ARCHITECTURE.md", "commands ");
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

test("schema/ uses only the type of a menu", () => {
  const using = filesIn("schema").filter(({ text }) => text.includes("/model/"));
  expect(using.length).toBeGreaterThan(0);
  const values = using.filter(({ text }) => /import (?!type ).*\/model\//.test(text));
  expect(values.map(({ file }) => file)).toEqual([]);
});

test("only deploy/service knows the form of a request, except the sandbox and import", () => {
  const knowing = filesIn().filter(({ text }) =>
    /\bPayload\b.* from "|^ {2}type Payload,/m.test(text),
  );
  const folders = new Set(knowing.map(({ file }) => folderOf(file)).filter(Boolean));
  expect([...folders].sort()).toEqual(["deploy/service", "import", "sandbox", "schema"]);
});

test("commands/ has only commands, in short files, and only cli/ loads them", () => {
  const files = filesIn("commands");
  expect(files.length).toBeGreaterThan(25);
  const exported = files.flatMap(({ text }) => text.match(/^export .*$/gm) ?? []);
  const isCommand = /^export (?:default (?:command\(\{|group;)|const \w+ = command\(\{)$/;
  expect(exported.filter((line) => !isCommand.test(line))).toEqual([]);
  expect(exported.length).toBeGreaterThan(files.length);
  expect(files.filter(({ text }) => text.split("\n").length > 150)).toEqual([]);
  const loading = filesIn()
    .filter(({ file }) => !file.startsWith("commands/"))
    .filter(({ text }) => /"(?:\.\.?\/)+commands\//.test(text));
  expect(loading.map(({ file }) => file)).toEqual([loader]);
});

test("operations/ knows nothing of a command line", () => {
  const files = filesIn("operations");
  expect(files.length).toBeGreaterThan(10);
  const wrong = files.filter(({ text }) => /\b(?:flags|argv|process)\b\.|\.\.\/cli\//.test(text));
  expect(wrong.map(({ file }) => file)).toEqual([]);
});
