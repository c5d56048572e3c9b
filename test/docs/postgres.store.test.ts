import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { exampleProject, folder } from "../support/cli.ts";
import { ivrctl } from "../support/commands.ts";
import { postgres } from "../support/postgres.ts";
import { environment } from "../support/environment.ts";

const server = postgres();
const root = join(import.meta.dirname, "../..");
const page = readFileSync(join(root, "docs/state-postgres.md"), "utf8");

/** The first code block with this language after a heading. */
function fence(heading: string, kind: string): string {
  const section = page.slice(page.indexOf(`## ${heading}\n`));
  return new RegExp(`^\`\`\`${kind}\\n(.*?)^\`\`\``, "ms").exec(section)?.[1] ?? "";
}

/** The environments in the example, with their states in the database. */
function project(): string {
  const config = readFileSync(join(root, "ivrctl.yaml"), "utf8");
  return exampleProject({
    "ivrctl.yaml": config.replaceAll(
      /^ {4}(?:service: sandbox|max_creates: .*)\n/gm,
      '$&    state: { backend: postgres, url: "${STATE_URL}" }\n',
    ),
  });
}

test("the setup in the docs works: one role can apply and no more, another can only read", async () => {
  const cwd = folder({ "grants.sql": fence("Setup", "sql") });
  mkdirSync(join(cwd, "node_modules"));
  symlinkSync(root, join(cwd, "node_modules/ivrctl"));
  const env = {
    ...environment(),
    PGHOST: server().folder,
    PGPORT: String(server().port),
    PGUSER: "postgres",
  };
  const shell = (lines: string) =>
    execFileSync("sh", ["-ec", lines], { cwd, env, stdio: "pipe", encoding: "utf8" });
  shell(fence("Setup", "text"));

  const applying = server().url("ivrctl_apply", "ivrctl");
  const planning = server().url("ivrctl_plan", "ivrctl");
  const projectFolder = project();
  const run = (url: string, ...args: string[]) =>
    ivrctl(args, {
      cwd: projectFolder,
      env: { STATE_URL: url, TELEPHONY_BASE_URL: "https://api.example.com" },
    });
  expect((await run(applying, "apply", "--auto-approve")).exit).toBe(0);
  expect((await run(planning, "plan", "--detailed-exitcode")).exit).toBe(0);
  expect((await run(planning, "state", "history")).exit).toBe(0);
  const refused = await run(planning, "state", "rm", "example", "--auto-approve");
  expect(refused.exit).toBe(1);
  expect(refused.stderr).toContain("IVR604");
  expect(refused.stderr).toContain("permission denied");
  expect((await run(applying, "state", "rm", "example", "--auto-approve")).exit).toBe(0);
  expect((await run(applying, "state", "resolve", "example", "--created")).exit).toBe(0);
  const init = ["state", "init", "--env", "production"] as const;
  expect((await run(planning, ...init)).stderr).toContain("permission denied");
  expect((await run(applying, ...init)).exit).toBe(0);
  expect((await run(planning, "state", "list", "--env", "production")).exit).toBe(0);
  for (const deed of [
    "DELETE FROM ivrctl.blocks",
    "UPDATE ivrctl.blocks SET content = ''",
    "TRUNCATE ivrctl.blocks",
    "ALTER TABLE ivrctl.blocks DISABLE TRIGGER ALL",
    "UPDATE ivrctl.version SET version = 0",
  ]) {
    expect(() => shell(`psql --username=ivrctl_apply --dbname=ivrctl --command="${deed}"`)).toThrow(
      /permission denied|must be owner/,
    );
  }

  // Make a backup, change the state, and restore the backup.
  const [dump = "", restore = ""] = fence("Backup and restore", "text").split("\n");
  shell(dump);
  const before = await run(planning, "state", "pull");
  expect((await run(applying, "state", "mv", "example", "elsewhere")).exit).toBe(0);
  expect((await run(planning, "state", "pull", "--out", "newest.jsonl")).exit).toBe(0);
  shell(restore);
  expect((await run(planning, "plan")).stderr).toContain("IVR629");
  rmSync(join(projectFolder, ".ivrctl/seen/sandbox.json"));
  expect((await run(planning, "state", "pull")).stdout).toBe(before.stdout);
  expect((await run(applying, "state", "push", "newest.jsonl")).exit).toBe(0);
  expect((await run(planning, "state", "show", "elsewhere")).exit).toBe(0);
});
