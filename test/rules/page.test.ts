import { existsSync, readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { rules } from "../../src/rules/built-in/index.ts";
import { type Example, rulePage, rulesPage } from "./rules-page.ts";
import { cases, reportOfChange } from "../support/rules.ts";

const docs = join(import.meta.dirname, "../../docs");

test("docs/rules.md is up to date (`npm run update` writes it)", async () => {
  await expect(rulesPage()).toMatchFileSnapshot(join(docs, "rules.md"));
});

test.each(rules)("docs/rules/$name.md is up to date", async (rule) => {
  const folder = `${rule.code.slice(3)}-${rule.name}`;
  const invalid = await exampleIn(folder);
  const valid = await exampleIn(`${folder}-fine`);
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
  const folder = join(cases, name);
  const read = (file: string) => readFileSync(join(folder, file), "utf8");
  const menus = readdirSync(join(folder, "ivrs")).map((file) => `ivrs/${file}`);
  const before = existsSync(join(folder, "before.yaml"));
  const config = existsSync(join(folder, "ivrctl.yaml")) ? ["ivrctl.yaml"] : [];
  const [menu = ""] = menus;
  return {
    files: before
      ? { "Before: ivrs/menu.yaml": read("before.yaml"), "Now: ivrs/menu.yaml": read(menu) }
      : Object.fromEntries([...config, ...menus].map((file) => [file, read(file)])),
    output: before
      ? await reportOfChange(read("before.yaml"), read(menu))
      : existsSync(join(folder, "diagnostics.txt"))
        ? read("diagnostics.txt")
        : "",
  };
}
