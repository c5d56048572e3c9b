import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { exampleProject } from "../support/cli.ts";
import { ivrctl } from "../support/commands.ts";
import { payload } from "../support/import.ts";
import { menu } from "../support/project.ts";

const name = "##[add-mask]Desk section_start:1:a";
const plain = "##\\[add-mask]Desk section_start\\:1:a";

/** A project with a menu that names an agent like a command to a runner. */
function hostileProject(): string {
  const cwd = exampleProject();
  writeFileSync(join(cwd, "ivrs", "hostile.yaml"), menu("Desk", '"::error::Nobody"'));
  return cwd;
}

describe("in the log of a pipeline", () => {
  test.each(["GITHUB_ACTIONS", "GITLAB_CI", "TF_BUILD"])(
    "names are no commands: %s",
    async (variable) => {
      const cwd = hostileProject();
      const env = { [variable]: "true" };
      const invalid = await ivrctl(["validate"], { cwd, env });
      const all = invalid.stdout + invalid.stderr;
      expect(all).toContain("::error::Nobody");
      expect(all).not.toMatch(/^\s*::/m);
      writeFileSync(join(cwd, "ivrs", "hostile.yaml"), menu(`"${name}"`));
      const call = await ivrctl(["call", "hostile", "--press", "1"], { cwd, env });
      expect(call.stdout).toContain(plain);
      expect(call.stdout).not.toContain(name);
      const usage = await ivrctl(["validate", "--##[error]"], { cwd, env });
      expect(usage.stderr).toContain("##\\[error]");
    },
  );

  test("the first column of a table starts no command", async () => {
    const cwd = exampleProject();
    const file = join(cwd, "agents.lock.json");
    writeFileSync(file, readFileSync(file, "utf8").replaceAll("Asha Rao", "::error::Asha"));
    const { stdout } = await ivrctl(["agents", "list"], { cwd, env: { GITHUB_ACTIONS: "true" } });
    expect(stdout).toMatch(/^:\\:error::Asha /m);
    expect(stdout).not.toMatch(/^\s*::/m);
  });

  test("formats for programs stay as they are", async () => {
    const cwd = hostileProject();
    for (const args of [
      ["validate", "--format", "json"],
      ["validate", "--format", "github"],
      ["validate", "--format", "sarif"],
      ["plan", "--format", "markdown"],
      ["import", "--out", "-", "payload.json"],
      ["completion", "bash"],
    ]) {
      writeFileSync(join(cwd, "payload.json"), JSON.stringify({ ...payload, name }));
      const outside = await ivrctl(args, { cwd });
      const inside = await ivrctl(args, { cwd, env: { GITHUB_ACTIONS: "true" } });
      expect(outside.stdout).not.toBe("");
      expect(inside.stdout).toBe(outside.stdout);
    }
  });
});
