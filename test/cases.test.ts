import { existsSync, readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { ivrctl } from "./support/commands.ts";
import { allEntries } from "../src/diagnostics/texts.ts";

// Each folder is a project. What it compiles to stands in payloads.json, what
// is wrong with it in diagnostics.txt; `npm run update` writes both anew.
// Without an ivrctl.yaml of its own, or agents.lock.json, a case uses those in
// _common, or for a rule the configuration in _rules; case.json holds the
// environment and variables where they matter. Notes are told by `validate` alone.
const cases = join(import.meta.dirname, "cases");
const common = join(cases, "_common");
const ruled = join(cases, "_rules");
const names = readdirSync(cases)
  .filter((name) => /^\d{3}-/.test(name))
  .filter((name) => !existsSync(join(cases, name, "commands.txt")));

interface Case {
  readonly env?: string;
  readonly variables?: Record<string, string>;
  /** The case is about a project that lacks these. */
  readonly without?: readonly string[];
}

describe("cases", () => {
  test.each(names)("%s", async (name) => {
    const root = join(cases, name);
    const about = readCase(root);
    const given = (file: string) =>
      existsSync(join(root, file)) || about.without?.includes(file) === true;
    const config = join(name.startsWith("7") ? ruled : common, "ivrctl.yaml");
    const flags = [
      ...(given("ivrctl.yaml") ? [] : ["--config", config]),
      ...(about.env === undefined ? [] : ["--env", about.env]),
      ...(given("agents.lock.json") ? [] : ["--agents", join(common, "agents.json")]),
    ];
    const options = { cwd: root, env: about.variables ?? {} };
    const validated = await ivrctl(["validate", ...flags], options);
    const compiled = await ivrctl(["compile", ...flags], options);

    const clean = compiled.exit === 0;
    // Without a list `validate` passes over the agents; `compile` must not.
    if (about.without === undefined) expect(validated.exit).toBe(compiled.exit);
    if (clean) await expect(compiled.stdout).toMatchFileSnapshot(join(root, "payloads.json"));
    else expect(existsSync(join(root, "payloads.json"))).toBe(false);
    const { stderr } = name.startsWith("7") ? validated : compiled;
    if (stderr === "") expect(existsSync(join(root, "diagnostics.txt"))).toBe(false);
    else await expect(relativeTo(root, stderr)).toMatchFileSnapshot(join(root, "diagnostics.txt"));
  });

  test("every code has a case that produces it, or a test of another command that names it", () => {
    const texts = readdirSync(import.meta.dirname, { recursive: true, encoding: "utf8" })
      .filter((file) => /\.test\.ts$|^cases\/.*\/(?:diagnostics|output)\.txt$/.test(file))
      .map((file) => readFileSync(join(import.meta.dirname, file), "utf8"))
      .join("\n");
    const codes = allEntries().map(({ code }) => code);
    expect(codes.filter((code) => !texts.includes(code))).toEqual([]);
  });
});

function readCase(root: string): Case {
  const file = join(root, "case.json");
  return existsSync(file) ? (JSON.parse(readFileSync(file, "utf8")) as Case) : {};
}

function relativeTo(root: string, text: string): string {
  return text.replaceAll(root, "CASE").replaceAll(common, "_common").replaceAll(ruled, "_rules");
}
