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
