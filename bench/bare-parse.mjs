// @ts-check
// Reads and parses the files of a project, and nothing else: node bare-parse.mjs PROJECT
import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { LineCounter, parseDocument } from "yaml";

const [project = "."] = process.argv.slice(2);
const menus = join(project, "ivrs");
const values = readdirSync(menus, { recursive: true, encoding: "utf8" })
  .filter((path) => path.endsWith(".yaml"))
  .map((path) => {
    const text = readFileSync(join(menus, path), "utf8");
    return parseDocument(text, { lineCounter: new LineCounter() }).toJS();
  });
const agents = JSON.parse(readFileSync(join(project, "agents.lock.json"), "utf8"));
console.log(`${values.length} files, ${agents.length} agents`);
