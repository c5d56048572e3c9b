import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { rules } from "../../src/rules/built-in/index.ts";
import { rulesPage } from "./rules-page.ts";
import { type Case, cases, compileCommand, projectOf, textIn } from "../support/cases.ts";
import { ivrctl } from "../support/commands.ts";

const page = join(import.meta.dirname, "../../docs/rules.md");

test("docs/rules.md is up to date (`npm run update` writes it)", async () => {
  const messages = new Map<string, string>();
  for (const { name, code } of rules) {
    const [, message] = (await reported(name)).split(`[${code} ${name}]: `);
    if (message === undefined) throw new Error(`The case ${name} does not report the rule.`);
    messages.set(name, message.replace(/\n.*/s, ""));
  }
  await expect(rulesPage(messages)).toMatchFileSnapshot(page);
});

test.each(rules)("$name accepts a menu without the problem", async ({ name }) => {
  expect(await reported(`${name}-fine`)).toBe("");
});

test("every rule has its own name and code", () => {
  expect(new Set(rules.map(({ name }) => name)).size).toBe(rules.length);
  expect(new Set(rules.map(({ code }) => code)).size).toBe(rules.length);
});

/** What ivrctl prints for the case of a rule. */
async function reported(name: string): Promise<string> {
  const testCase = cases.find((other) => /^(?:rules|agents)\/(.*)$/.exec(other.name)?.[1] === name);
  if (testCase === undefined) throw new Error(`There is no case rules/${name} or agents/${name}.`);
  const before = textIn(testCase, "before.yaml");
  if (before !== undefined) return reportOfChange(testCase, before);
  // Not what the case expects: `npm run update` writes the case and the page at the same time.
  const { words, variables } = compileCommand(testCase);
  const options = { cwd: projectOf(testCase), env: variables };
  return (await ivrctl(["validate", "--quiet", ...words.slice(2)], options)).stdout;
}

/** The problems that plan reports if the menu of a case replaces this one. */
async function reportOfChange(testCase: Case, before: string): Promise<string> {
  const cwd = projectOf(testCase);
  const file = join(cwd, "ivrs/menu.yaml");
  const run = (...args: string[]) =>
    ivrctl([...args, "--quiet", "--agents", "../_common/agents.json"], { cwd });
  writeFileSync(file, before);
  expect((await run("apply", "--auto-approve")).exit).toBe(0);
  writeFileSync(file, textIn(testCase, "ivrs/menu.yaml") ?? "");
  return (await run("plan")).stderr;
}
