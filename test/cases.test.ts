import { cpSync, existsSync, readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { folder } from "./support/cli.ts";
import { ivrctl } from "./support/commands.ts";
import { allCodes } from "../src/diagnostics/codes.ts";

// Each folder is a project. payloads.json has its payloads, and diagnostics.txt its problems;
// `npm run update` writes both. A case without its own ivrctl.yaml or agents.lock.json uses those in
// _common. A case of a rule uses the configuration in _rules. case.json can set the environment and
// variables. Only `validate` reports notes.
const cases = join(import.meta.dirname, "cases");
const common = join(cases, "_common");
const ruled = join(cases, "_rules");
const names = readdirSync(cases)
  .filter((name) => /^\d{3}-/.test(name))
  .filter((name) => !existsSync(join(cases, name, "commands.txt")));

interface Case {
  readonly env?: string;
  readonly variables?: Record<string, string>;
  /** Files that the project intentionally does not have. */
  readonly without?: readonly string[];
}

describe("cases", () => {
  test.each(names)("%s", async (name) => {
    const own = join(cases, name);
    const about = readCase(own);
    const given = (file: string) =>
      existsSync(join(own, file)) || about.without?.includes(file) === true;
    const isRule = name.startsWith("7");
    const root = given("ivrctl.yaml") ? own : copyOf(own, isRule ? ruled : common);
    const flags = [
      ...(about.env === undefined ? [] : ["--env", about.env]),
      ...(given("agents.lock.json") ? [] : ["--agents", join(common, "agents.json")]),
    ];
    const options = { cwd: root, env: about.variables ?? {} };
    const compiled = await ivrctl(["compile", ...flags], options);
    const clean = compiled.exit === 0;
    // Both commands read a project the same way, so for most errors one of them is enough.
    const validated =
      clean || isRule ? await ivrctl(["validate", "--quiet", ...flags], options) : undefined;

    if (validated !== undefined) expect(validated.exit).toBe(compiled.exit);
    if (clean) await expect(compiled.stdout).toMatchFileSnapshot(join(own, "payloads.json"));
    else expect(existsSync(join(own, "payloads.json"))).toBe(false);
    const problems = (isRule ? validated?.stdout : compiled.stderr) ?? "";
    const file = join(own, "diagnostics.txt");
    if (problems === "") expect(existsSync(file)).toBe(false);
    else await expect(relativeTo(root, problems)).toMatchFileSnapshot(file);
  });

  test("every code is in a golden case or in a test", () => {
    const texts = readdirSync(import.meta.dirname, { recursive: true, encoding: "utf8" })
      .filter((file) => /\.test\.ts$|^cases\/.*\/(?:diagnostics|output)\.txt$/.test(file))
      .map((file) => readFileSync(join(import.meta.dirname, file), "utf8"))
      .join("\n");
    expect(allCodes().filter((code) => !texts.includes(code))).toEqual([]);
  });
});

function readCase(root: string): Case {
  const file = join(root, "case.json");
  return existsSync(file) ? (JSON.parse(readFileSync(file, "utf8")) as Case) : {};
}

/** Copies a case, and adds the configuration of another folder. */
function copyOf(own: string, other: string): string {
  const root = folder({});
  cpSync(own, root, { recursive: true, verbatimSymlinks: true });
  cpSync(join(other, "ivrctl.yaml"), join(root, "ivrctl.yaml"));
  return root;
}

/** The output without the paths of this machine. */
function relativeTo(root: string, text: string): string {
  return text.replaceAll(root, "CASE").replaceAll(common, "_common");
}
