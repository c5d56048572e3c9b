import { syncBuiltinESMExports } from "node:module";
import os from "node:os";
import { existsSync, readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { transcript } from "../support/transcript.ts";

// Each folder with a commands.txt is a project with the commands that a person types. output.txt has
// what they see; `npm run update` writes it. A case without an ivrctl.yaml uses the one in _commands.
const cases = join(import.meta.dirname, "..", "cases");
const names = readdirSync(cases).filter((name) => existsSync(join(cases, name, "commands.txt")));

const { hostname, userInfo } = os;
beforeAll(() => {
  Object.assign(os, { hostname: () => "office", userInfo: () => ({ username: "asha" }) });
  syncBuiltinESMExports();
});
afterAll(() => {
  Object.assign(os, { hostname, userInfo });
  syncBuiltinESMExports();
});

describe("transcripts", () => {
  test.each(names)("%s", async (name) => {
    const root = join(cases, name);
    const commands = readFileSync(join(root, "commands.txt"), "utf8");
    const shown = await transcript(commands, [join(cases, "_commands"), root]);
    await expect(shown).toMatchFileSnapshot(join(root, "output.txt"));
  });
});
