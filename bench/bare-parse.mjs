// @ts-check
// node bare-parse.mjs PROJECT: what no reader of these files can do without, and nothing else.
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
const agents = JSON.parse(readFileSync(join(project, "agents.json"), "utf8"));
console.log(`${values.length} files, ${agents.length} agents`);
