import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { globalFlags } from "../../src/cli/command.ts";
import { allCommands } from "../support/all-commands.ts";
import { playPage } from "../support/story-page.ts";

const docs = join(import.meta.dirname, "../../docs");

describe("the commands of a page work in order and print what the page shows", () => {
  test.each([
    "getting-started.md",
    "many-menus.md",
    "menu-flows.md",
    "unknown-outcomes.md",
    "roll-back.md",
  ])("%s", async (page) => {
    expect(await playPage(join(docs, page))).toBeGreaterThan(3);
  });
});

describe("commands that are not run are spelled right", () => {
  const lines = readdirSync(docs)
    .filter((name) => name.endsWith(".md"))
    .flatMap((name) =>
      [...readFileSync(join(docs, name), "utf8").matchAll(/^ *```text\n(.*?)^ *```/gms)].flatMap(
        ([, text = ""]) => text.split("\n").filter((line) => /^ *(?:npx )?ivrctl /.test(line)),
      ),
    );

  test.each(lines)("%s", async (line) => {
    const [, words = ""] = /ivrctl (.*)/.exec(line) ?? [];
    const all = await allCommands();
    const [, command] = all.find(([path]) => `${words} `.startsWith(`${path} `)) ?? [];
    expect(command).toBeDefined();
    const known = Object.keys({ ...globalFlags, ...command?.flags });
    for (const [, flag] of line.replace(/"[^"]*"/g, "").matchAll(/ --([\w-]+)/g)) {
      expect(known).toContain(flag);
    }
  });
});
