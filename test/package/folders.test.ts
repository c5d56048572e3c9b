import { readFileSync, readdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";

/** `views`, or for the largest folder `deploy/plan`. Empty for a file that is in none. */
function folderOf(file: string): string {
  const [first = "", second = "", ...rest] = file.split("/");
  if (second === "") return "";
  return first === "deploy" && rest.length > 0 ? `${first}/${second}` : first;
}

/** The folders in `src` that the files in each folder import. `cli` loads commands only when they run. */
function importedFolders(): Map<string, Set<string>> {
  const folders = new Map<string, Set<string>>();
  for (const name of readdirSync("src", { recursive: true, encoding: "utf8" })) {
    const folder = folderOf(name);
    if (folder === "" || !/\.tsx?$/.test(name)) continue;
    const imported = folders.get(folder) ?? new Set();
    folders.set(folder, imported);
    for (const [, path = ""] of readFileSync(join("src", name), "utf8").matchAll(
      /\bfrom "(\.[^"]+)"/g,
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

/** Each folder imports only those before it. */
const order = ["reasons", "service", "state", "listed", "plan", "apply", "matters"];

test("the folders of deploy/ are in the order that docs/architecture.md claims", () => {
  const folders = importedFolders();
  const inDeploy = [...folders.keys()].filter((folder) => folder.startsWith("deploy/"));
  expect(inDeploy.map((folder) => folder.slice(7)).sort()).toEqual(order.toSorted());
  for (const [at, name] of order.entries()) {
    const later = order.slice(at).map((one) => `deploy/${one}`);
    const imported = folders.get(`deploy/${name}`) ?? new Set();
    expect(later.filter((one) => imported.has(one))).toEqual([]);
  }
});
