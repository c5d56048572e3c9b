import { readdirSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { rules } from "../../src/rules/built-in/index.ts";
import { type Example, rulePage, rulesPage } from "./rules-page.ts";
import { cases, textIn } from "../support/cases.ts";
import { reportOfChange } from "../support/rules.ts";

const docs = join(import.meta.dirname, "../../docs");

test("docs/rules.md is up to date (`npm run update` writes it)", async () => {
  await expect(rulesPage()).toMatchFileSnapshot(join(docs, "rules.md"));
});

test.each(rules)("docs/rules/$name.md is up to date", async (rule) => {
  const invalid = await exampleIn(rule.name);
  const valid = await exampleIn(`${rule.name}-fine`);
  expect(invalid.output).toContain(`[${rule.code} ${rule.name}]`);
  expect(valid.output).toBe("");
  const page = rulePage(rule, { invalid, valid });
  await expect(page).toMatchFileSnapshot(join(docs, `rules/${rule.name}.md`));
});

test("every rule has a page, and there are no other pages", () => {
  const pages = readdirSync(join(docs, "rules"));
  expect(pages).toEqual(rules.map(({ name }) => `${name}.md`).sort());
});

test("every rule has its own name and code", () => {
  expect(new Set(rules.map(({ name }) => name)).size).toBe(rules.length);
  expect(new Set(rules.map(({ code }) => code)).size).toBe(rules.length);
});

/** The configuration and the menus of a case, and what ivrctl prints for it. */
async function exampleIn(name: string): Promise<Example> {
  const one = cases.find((other) => /^(?:rules|agents)\/(.*)$/.exec(other.name)?.[1] === name);
  if (one === undefined) throw new Error(`There is no case rules/${name} or agents/${name}.`);
  const paths = [...one.files.keys()].filter((path) => /^ivrctl\.yaml$|^ivrs\//.test(path));
  const files = Object.fromEntries(paths.map((path) => [path, textIn(one, path) ?? ""]));
  const before = textIn(one, "before.yaml");
  if (before === undefined) return { files, output: one.expected["diagnostics.txt"] ?? "" };
  const now = files["ivrs/menu.yaml"] ?? "";
  return {
    files: { "Before: ivrs/menu.yaml": before, "Now: ivrs/menu.yaml": now },
    output: await reportOfChange(before, now),
  };
}
