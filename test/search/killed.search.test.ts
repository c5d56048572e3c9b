import { cpSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { folder } from "../support/cli.ts";
import { menu, project, service, token } from "../support/project.ts";
import { deaths, killAtEveryWrite } from "./every-write.ts";
import { runOnce } from "./process.ts";
import { findings, patience, seed, thorough } from "./settings.ts";

test.each([
  ["state init", "init"],
  ["the first apply of a state", "first"],
  ["a later apply", "later"],
  ["an apply that updates menus", "updating"],
] as const)(
  "%s keeps every promise if it is killed at any write",
  { timeout: patience },
  async (name, which) => {
    const searched = await killAtEveryWrite(seed, thorough, which);
    expect(findings("killed", `${name}, killed at every write`, searched)).toBe("");
  },
);

test(
  "state push leaves nothing or the whole history if it is killed at any write",
  { timeout: patience },
  async () => {
    const { url } = await service();
    const newProject = project(url, { day: menu("Day"), night: menu("Night") });
    expect((await newProject.run("apply", "--auto-approve")).exit).toBe(0);
    expect((await newProject.run("state", "pull", "--out", "seed.jsonl")).exit).toBe(0);
    const pushed = readFileSync(join(newProject.path, "seed.jsonl"), "utf8");
    let kills = 0;
    for (let at = 1; ; at += thorough ? 1 : 5) {
      const cwd = folder({});
      cpSync(newProject.path, cwd, {
        recursive: true,
        filter: (path) => !path.endsWith("/.ivrctl"),
      });
      const run = (args: readonly string[], disturbance?: object) =>
        runOnce(args, { cwd, token, variables: newProject.env, disturbance });
      const mode = deaths[at % deaths.length];
      const { signal } = await run(["state", "push", "seed.jsonl"], { mode, at });
      if (signal === null) break;
      kills += 1;
      const found = await run(["state", "pull"]);
      expect([`${mode} at ${at}`, found.stdout]).toEqual([
        `${mode} at ${at}`,
        found.exit === 0 ? pushed : "",
      ]);
      expect((await run(["state", "push", "seed.jsonl"])).exit).toBe(0);
      expect((await run(["state", "pull"])).stdout).toBe(pushed);
    }
    expect(kills).toBeGreaterThan(3);
  },
);
