import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { globalFlags } from "../../src/cli/command.ts";
import { allCommands } from "../support/all-commands.ts";
import { playPage } from "../support/story-page.ts";

const docs = join(import.meta.dirname, "../../docs");

describe("a page that is one story goes as it is told", () => {
  test.each(["getting-started.md", "three-in-the-morning.md"])("%s", async (page) => {
    expect(await playPage(join(docs, page))).toBeGreaterThan(20);
  });
});

describe("what cannot be run is at least spelt right", () => {
  const lines = readdirSync(docs)
    .filter((name) => name.endsWith(".md"))
    .flatMap((name) =>
      [...readFileSync(join(docs, name), "utf8").matchAll(/^```text\n(.*?)^```/gms)].flatMap(
        ([, text = ""]) => text.split("\n").filter((line) => /^(?:npx )?ivrctl /.test(line)),
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
