import { existsSync, readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { rules } from "../../src/rules/built-in/index.ts";
import { type Example, rulePage, rulesPage } from "./rules-page.ts";
import { cases, saidOfChange } from "../support/rules.ts";

const docs = join(import.meta.dirname, "../../docs");

test("docs/rules.md is the list of rules as it stands; `npm run update` writes it anew", async () => {
  await expect(rulesPage()).toMatchFileSnapshot(join(docs, "rules.md"));
});

test.each(rules)("docs/rules/$name.md is made from the rule and its cases", async (rule) => {
  const folder = `${rule.code.slice(3)}-${rule.name}`;
  const trips = await exampleIn(folder);
  const fine = await exampleIn(`${folder}-fine`);
  expect(trips.found).toContain(`[${rule.code} ${rule.name}]`);
  expect(fine.found).toBe("");
  const page = rulePage(rule, { trips, fine });
  await expect(page).toMatchFileSnapshot(join(docs, `rules/${rule.name}.md`));
});

test("there is a page for every rule, and none beside", () => {
  const pages = readdirSync(join(docs, "rules"));
  expect(pages).toEqual(rules.map(({ name }) => `${name}.md`).sort());
});

test("every rule has its severity, code and name to itself", () => {
  expect(new Set(rules.map(({ name }) => name)).size).toBe(rules.length);
  expect(new Set(rules.map(({ code }) => code)).size).toBe(rules.length);
});

/** The project of a case: its configuration if it has one, and its menus. */
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
    found: before
      ? await saidOfChange(read("before.yaml"), read(menu))
      : existsSync(join(folder, "diagnostics.txt"))
        ? read("diagnostics.txt")
        : "",
  };
}
