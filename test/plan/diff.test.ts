import {
  appendFileSync,
  chmodSync,
  cpSync,
  mkdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { git } from "../support/ci/repository.ts";
import { exampleProject, folder, writeFiles } from "../support/cli.ts";
import { ivrctl } from "../support/commands.ts";
import { menu } from "../support/project.ts";

/** The example project with these menus in a git repository, with everything committed. */
function repository(menus: Readonly<Record<string, string>>, within = ".") {
  const top = folder({});
  const path = join(top, within);
  cpSync(exampleProject(), path, { recursive: true });
  rmSync(join(path, "ivrs/example.yaml"));
  const rules = "rules: { zero-not-operator: off, renumbered: off }\n";
  appendFileSync(join(path, "ivrctl.yaml"), rules);
  const write = (name: string, text: string) => writeFiles(path, { [name]: text });
  for (const [key, text] of Object.entries(menus)) write(`ivrs/${key}.yaml`, text);
  const inTop = (...args: string[]) => git(top, ...args);
  inTop("init", "-q");
  const commit = () => {
    inTop("add", "-A");
    inTop("commit", "-qm", "x");
  };
  commit();
  const run = (...args: string[]) => ivrctl(["diff", ...args], { cwd: path });
  return {
    top,
    path,
    git: inTop,
    commit,
    write,
    remove: (name: string) => rmSync(join(path, name)),
    run,
    json: async (...args: string[]) => {
      const { exit, stdout } = await run(...args, "--format", "json");
      return { exit, value: JSON.parse(stdout) };
    },
  };
}

const codesOf = (value: { diagnostics: { code: string }[] }) =>
  value.diagnostics.map(({ code }) => code);

describe("diff", () => {
  test("uses the list of the environment, also that of the revision", async () => {
    const { json, run, write, commit } = repository({ desk: menu("Desk", "Zoe Okafor") });
    const zoe = { id: 1, name: "Zoe Okafor", eid: "700", intercom: "7" };
    const desk = { id: 2, name: "Front Desk", eid: "701", intercom: "8" };
    write("agents.sandbox.lock.json", JSON.stringify([zoe, desk]));
    commit();
    write("ivrs/desk.yaml", menu("Desk", "Front Desk"));
    const before = await json();
    expect(codesOf(before.value)).toEqual([]);
    expect(before.value.changes[0].before.options[0].destination.eid).toBe("700");
    // Zoe leaves.
    write("agents.sandbox.lock.json", JSON.stringify([desk]));
    const after = await json();
    expect(codesOf(after.value)).toEqual(["IVR644"]);
    expect(after.value.diagnostics[0].file).toBe("agents.sandbox.lock.json");
    expect(after.value.changes[0].before.options[0].destination.eid).toBe("700");
    expect((await run("--format", "markdown")).stdout).toContain("agents.sandbox.lock.json");
  });

  test("finds a project in a folder of its repository", async () => {
    const within = "phone menus/é[1]*";
    const { path, write, top, git } = repository({ desk: menu("Desk") }, within);
    write("ivrs/desk.yaml", menu("Desk", "Front Desk"));
    const far = await ivrctl(["diff", "-C", path, "--format", "json"], { cwd: "/" });
    expect(JSON.parse(far.stdout).summary).toMatchObject({ update: 1, create: 0 });
    // With the variables that git sets for a hook.
    const hook = { GIT_DIR: git("rev-parse", "--absolute-git-dir"), GIT_INDEX_FILE: "nowhere" };
    const called = await ivrctl(["diff", "-C", within, "--format", "json"], {
      cwd: top,
      env: hook,
    });
    expect(JSON.parse(called.stdout).summary).toMatchObject({ update: 1, create: 0 });
  });

  test("runs neither hooks nor filters", async () => {
    const { run, git, write, path, top } = repository({ desk: menu("Desk") });
    const trap = join(top, "trap.sh");
    writeFileSync(trap, `#!/bin/sh\ntouch "${join(top, "sprung")}"\ncat\n`);
    chmodSync(trap, 0o755);
    for (const key of [
      "core.fsmonitor",
      "core.pager",
      "filter.t.smudge",
      "filter.t.clean",
      "diff.t.textconv",
    ]) {
      git("config", key, trap);
    }
    write(".gitattributes", "*.yaml filter=t diff=t\n");
    write("ivrs/desk.yaml", menu("Desk", "Front Desk"));
    expect((await run()).stdout).toContain("1 changed");
    expect(() => readFileSync(join(path, "sprung"))).toThrow("ENOENT");
  });

  test("uses the current agent list, and the old one for agents who have left", async () => {
    const { json, write, path } = repository({
      desk: menu("Desk"),
      other: menu("Other", "Front Desk"),
    });
    const snapshot = JSON.parse(readFileSync(join(path, "agents.lock.json"), "utf8"));
    const { agents } = snapshot;
    // A new extension is not a difference between the files.
    const moved = agents.map((agent: { name: string }) =>
      agent.name === "Front Desk" ? { ...agent, eid: "999" } : agent,
    );
    write("agents.lock.json", JSON.stringify({ ...snapshot, agents: moved }));
    expect((await json()).value.summary).toMatchObject({ unchanged: 2 });
    const without = agents.filter(({ name }: { name: string }) => name !== "Asha Rao");
    write("agents.lock.json", JSON.stringify({ ...snapshot, agents: without }));
    write("ivrs/desk.yaml", menu("Desk", "Front Desk"));
    const { exit, value } = await json();
    expect([exit, codesOf(value)]).toEqual([0, ["IVR644"]]);
    expect(value.diagnostics[0].message).toContain("`desk`");
    expect(value.changes).toMatchObject([
      { diff: [{ path: ["options", 0, "destination"], before: { eid: "500101" } }] },
    ]);
    rmSync(join(path, "agents.lock.json"));
    const none = await json();
    expect([none.exit, codesOf(none.value)]).toEqual([1, ["IVR311"]]);
  });
});

describe("diff with a problem in the revision", () => {
  test("warns if there was no project or environment, or if the configuration was invalid", async () => {
    const { json, path, write, commit, git } = repository({ desk: menu("Desk") });
    const config = readFileSync(join(path, "ivrctl.yaml"), "utf8");
    write("ivrctl.yaml", "version: [");
    commit();
    write(
      "ivrctl.yaml",
      config.replace("environments:\n", "environments:\n  fresh:\n    service: sandbox\n"),
    );
    const broken = await json("--env", "sandbox");
    expect([broken.exit, codesOf(broken.value)]).toEqual([0, ["IVR644"]]);
    expect(broken.value.changes).toMatchObject([{ action: "create", before: null }]);
    const fresh = await json("HEAD~1", "--env", "fresh");
    expect([fresh.exit, codesOf(fresh.value)]).toEqual([0, ["IVR644"]]);
    expect(fresh.value.changes).toMatchObject([{ action: "create", before: null }]);
    git("rm", "-q", "--cached", "ivrctl.yaml");
    git("commit", "-qm", "none");
    const none = await json();
    expect([none.exit, codesOf(none.value)]).toEqual([0, ["IVR644"]]);
    expect(none.value.changes).toMatchObject([{ action: "create" }]);
  });

  test("warns about links and submodules", async () => {
    const { json, path, commit, git, top } = repository({ desk: menu("Desk") });
    symlinkSync("desk.yaml", join(path, "ivrs/link.yaml"));
    const other = join(top, "ivrs/module");
    mkdirSync(other);
    git("-C", other, "init", "-q");
    git("-C", other, "commit", "-q", "--allow-empty", "-m", "x");
    commit();
    rmSync(join(path, "ivrs/link.yaml"));
    const { exit, value } = await json();
    expect(exit).toBe(0);
    expect(value.diagnostics.map(({ message }: { message: string }) => message)).toEqual([
      expect.stringContaining("ivrs/link.yaml is not a regular file or folder"),
      expect.stringContaining("ivrs/module is not a regular file or folder"),
    ]);
  });

  test("reads files with unusual names", async () => {
    const { json, write, remove, commit } = repository({ desk: menu("Desk") });
    const names = ["-x", "a b", "é", "tab\there", "line\nbreak", '"quoted"', ":(top)x"];
    for (const [at, name] of names.entries()) {
      write(`ivrs/${name}.yaml`, menu(`Odd ${at}`, "Asha Rao", `id: odd${at}`));
    }
    expect((await json()).value.summary).toMatchObject({ create: names.length, unchanged: 1 });
    commit();
    expect((await json()).value.summary).toMatchObject({ unchanged: names.length + 1 });
    for (const name of names) remove(`ivrs/${name}.yaml`);
    expect((await json()).value.summary).toMatchObject({ delete: names.length, unchanged: 1 });
  });
});

describe("diff fails", () => {
  test("outside a repository", async () => {
    const cwd = exampleProject();
    const { exit, stdout, stderr } = await ivrctl(["diff"], { cwd });
    expect({ exit, stdout }).toEqual({ exit: 1, stdout: "" });
    expect(stderr).toContain("error[IVR641]");
    const markdown = await ivrctl(["diff", "--format", "markdown"], { cwd });
    expect(markdown.stdout).toMatch(
      /^<!-- ivrctl:diff:sandbox -->\n\n### No diff for sandbox: 1 error/,
    );
  });
});
