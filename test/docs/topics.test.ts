import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { ivrctl } from "../support/commands.ts";
import { rules } from "../../src/rules/built-in/index.ts";

const root = join(import.meta.dirname, "../..");

test("every topic that a message, a page or a template names exists", async () => {
  const files = ["src", "docs", "templates"].flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && /\.(?:ts|md|ya?ml)$/.test(entry.name))
      .map((entry) => readFileSync(join(entry.parentPath, entry.name), "utf8")),
  );
  const words = /(?:ivrctl explain |"explain", ")([a-z][a-z0-9-]*)\b/g;
  const named = files.flatMap((text) => [...text.matchAll(words)].map(([, name = ""]) => name));
  const isRule = (name: string) => rules.some((rule) => rule.name === name);
  const topics = [...new Set(named)].filter((name) => !isRule(name)).sort();
  expect(topics).toContain("state-backends");
  for (const topic of topics) {
    const { exit, stdout } = await ivrctl(["explain", topic]);
    expect([topic, exit, stdout.split("\n")[0]]).toEqual([topic, 0, expect.stringMatching(/^# /)]);
    // Pictures and remarks for tests are of no use in a terminal.
    expect(stdout).not.toMatch(/^(?:!\[|<!--)/m);
  }
});

test("in a terminal, a page has neither links nor headings of Markdown, and is not too wide", async () => {
  const { stdout: list } = await ivrctl(["explain", "--no-color"], { columns: 60 });
  expect(list).toMatch(/^Start:\n {2}install +Install\n/);
  const names = [...list.matchAll(/^ {2}([a-z][a-z0-9-]+)/gm)].map(([, name = ""]) => name);
  expect(names.length).toBeGreaterThan(35);
  for (const name of names) {
    const { stdout, exit } = await ivrctl(["explain", name, "--no-color"], { columns: 60 });
    expect([name, exit]).toEqual([name, 0]);
    const text = stdout.replaceAll(/^ {4}.*$/gm, "");
    const words = text.replaceAll(/`[^`]*`/g, "");
    expect([name, words]).toEqual([name, expect.not.stringMatching(/\]\(|^#|^\||^```|\*\*/m)]);
    const wide = text.split("\n").filter((line) => line.length > 60 && / /.test(line.trim()));
    expect([name, wide]).toEqual([name, []]);
  }
});

test("docs/llms.txt lists every page of the index", async () => {
  const index = readFileSync(join(root, "docs/README.md"), "utf8");
  const [, ...groups] = index.split(/^\*\*/m);
  const lists = groups.map((group) => `## ${group.replace("**", "")}`);
  const about =
    "# ivrctl\n\n> Manage phone menus as YAML files in git: plan changes in a pull request, apply them to a cloud telephony service.\n\n`ivrctl explain TOPIC` prints a page. [With a coding agent](coding-agents.md) says which commands are safe.\n";
  await expect(`${about}\n${lists.join("")}`).toMatchFileSnapshot("../../docs/llms.txt");
});
