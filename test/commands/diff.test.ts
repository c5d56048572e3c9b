import { execFileSync } from "node:child_process";
import { chmodSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { exampleProject, folder } from "../support/cli.ts";
import { ivrctl } from "../support/commands.ts";
import { menu } from "../support/project.ts";

/** The example project under git, perhaps in a folder of its repository, with nothing uncommitted. */
function repository(menus: Readonly<Record<string, string>>, within = ".") {
  const top = folder({});
  const path = join(top, within);
  const example = exampleProject();
  mkdirSync(path, { recursive: true });
  writeFileSync(join(path, "agents.lock.json"), readFileSync(join(example, "agents.lock.json")));
  const config = readFileSync(join(example, "ivrctl.yaml"), "utf8");
  writeFileSync(
    join(path, "ivrctl.yaml"),
    `${config}rules: { zero-not-operator: off, renumbered: off }\n`,
  );
  const write = (name: string, text: string) => {
    mkdirSync(dirname(join(path, name)), { recursive: true });
    writeFileSync(join(path, name), text);
  };
  for (const [key, text] of Object.entries(menus)) write(`ivrs/${key}.yaml`, text);
  const git = (...args: string[]) =>
    execFileSync("git", ["-c", "user.name=T", "-c", "user.email=t@t.example", ...args], {
      cwd: top,
      encoding: "utf8",
      stdio: ["ignore", "pipe", "ignore"],
    }).trim();
  git("init", "-q");
  const commit = () => {
    git("add", "-A");
    git("commit", "-qm", "x");
  };
  commit();
  const run = (...args: string[]) => ivrctl(["diff", ...args], { cwd: path });
  return {
    top,
    path,
    git,
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
  test("shows what changes for callers since HEAD, in words that know no state", async () => {
    const { run, write, remove, git } = repository({
      desk: menu("Desk"),
      fax: menu("Fax"),
      old: menu("Help"),
      same: menu("Same"),
    });
    const head = git("rev-parse", "--short=7", "HEAD");
    expect((await run()).stdout).toBe(`As at HEAD (${head}): 4 unchanged.\n`);
    write("ivrs/desk.yaml", menu("Desk", "Front Desk"));
    remove("ivrs/fax.yaml");
    remove("ivrs/old.yaml");
    write("ivrs/new/key.yaml", menu("Help", "Asha Rao", "moved_from: old"));
    write("ivrs/night.yaml", menu("Night"));
    const { exit, stdout, stderr } = await run();
    expect(exit).toBe(0);
    expect(stdout.replace(head, "COMMIT")).toMatchInlineSnapshot(`
      "~ replace  desk  “Desk”
          key 1: Asha Rao → Front Desk

      - forget   fax  “Fax”
          key 1:   Asha Rao
          invalid: Front Desk
          timeout: Front Desk
          note:    No file any more.

      > move     new/key  “Help”, from old
          note: Only the key changes.

      + create   night  “Night”
          plays:   10
          key 1:   Asha Rao
          invalid: Front Desk, after 11 and 2 retries
          timeout: Front Desk, after waiting 5, 12, 2 retries and 13

      Against HEAD (COMMIT): 1 new, 1 changed, 1 moved, 1 gone; 1 unchanged.
      "
    `);
    expect(stderr).toBe(
      "Both sides with the agents in `agents.lock.json` as it is now; no state, no service.\n",
    );
    expect((await run("--verbose")).stdout).toContain('-     "extension||500101"');
  });

  test("prints the JSON of a plan, without a state and with the revision", async () => {
    const { json, write, remove, git } = repository({ desk: menu("Desk"), fax: menu("Fax") });
    write("ivrs/desk.yaml", menu("Desk", "Front Desk"));
    remove("ivrs/fax.yaml");
    const { exit, value } = await json();
    expect(exit).toBe(0);
    expect(value).toMatchObject({
      format_version: "1.0",
      environment: "sandbox",
      revision: { ref: "HEAD", commit: git("rev-parse", "HEAD") },
      state: { lineage: null, serial: 0 },
      summary: { create: 0, replace: 1, move: 0, forget: 1, restore: 0, unknown: 0, unchanged: 0 },
      changes: [
        {
          key: "desk",
          action: "replace",
          before: { name: "Desk" },
          after: { name: "Desk" },
          diff: [
            { field: "destination.1", before: "extension||500101", after: "extension||500104" },
          ],
        },
        { key: "fax", name: "Fax", action: "forget", before: { name: "Fax" }, after: null },
      ],
      follow_ups: [],
      diagnostics: [],
    });
  });

  test("prints a comment, under a marker of its own", async () => {
    const { run, write } = repository({ desk: menu("Desk") });
    write("ivrs/desk.yaml", menu("Desk", "Front Desk"));
    const { stdout, stderr } = await run("--format", "markdown");
    expect(stdout).toMatch(
      /^<!-- ivrctl:diff:sandbox -->\n\n### Changes since HEAD \(.*: 1 changed/,
    );
    expect(stdout).toContain("changed#58; Asha Rao → Front Desk");
    expect(stdout).not.toMatch(/second record|follow/i);
    expect(stderr).toBe("");
  });

  test("exits with 2 for a difference only where that was asked", async () => {
    const { run, write } = repository({ desk: menu("Desk") });
    expect((await run("--detailed-exitcode")).exit).toBe(0);
    write("ivrs/desk.yaml", menu("Desk", "Front Desk"));
    expect((await run()).exit).toBe(0);
    expect((await run("--detailed-exitcode")).exit).toBe(2);
    write("ivrs/desk.yaml", "name: [");
    const { exit, stderr } = await run("--detailed-exitcode");
    expect([exit, stderr.includes("IVR101")]).toEqual([1, true]);
  });

  test("takes any name of a commit: branches, tags, ids, steps back", async () => {
    const { run, write, commit, git } = repository({ desk: menu("Desk") });
    git("tag", "-am", "one", "v1");
    git("branch", "base");
    write("ivrs/desk.yaml", menu("Desk", "Front Desk"));
    commit();
    for (const ref of ["v1", "base", "HEAD~1", git("rev-parse", "v1^{commit}"), ":/x"]) {
      const { exit, stdout } = await run(ref);
      expect([ref, exit, stdout.includes(ref === ":/x" ? "unchanged" : "1 changed")]).toEqual([
        ref,
        0,
        true,
      ]);
    }
  });

  test("sees what an alias or a default in the configuration changes", async () => {
    const { json, write, path } = repository({
      desk: menu("Desk").replace('recording: "10"', "recording: welcome"),
    });
    const config = readFileSync(join(path, "ivrctl.yaml"), "utf8");
    write("ivrctl.yaml", config.replaceAll("19549", "777"));
    const { value } = await json();
    expect(value.changes).toMatchObject([
      { diff: [{ field: "recording", before: "recording||19549", after: "recording||777" }] },
    ]);
  });

  test("finds a project in a folder of its repository, from anywhere", async () => {
    const within = "phone menus/é[1]*";
    const { path, write, top, git } = repository({ desk: menu("Desk") }, within);
    write("ivrs/desk.yaml", menu("Desk", "Front Desk"));
    const far = await ivrctl(["diff", "-C", path, "--format", "json"], { cwd: "/" });
    expect(JSON.parse(far.stdout).summary).toMatchObject({ replace: 1, create: 0 });
    // As a hook of the repository would call it.
    const hook = { GIT_DIR: git("rev-parse", "--absolute-git-dir"), GIT_INDEX_FILE: "nowhere" };
    const called = await ivrctl(["diff", "-C", within, "--format", "json"], {
      cwd: top,
      env: hook,
    });
    expect(JSON.parse(called.stdout).summary).toMatchObject({ replace: 1, create: 0 });
  });

  test("takes --config from the repository, or from outside for both sides", async () => {
    const { run, path, top, write, commit } = repository({ desk: menu("Desk") }, "p");
    const config = readFileSync(join(path, "ivrctl.yaml"), "utf8");
    writeFileSync(join(top, "shared.yaml"), config);
    commit();
    write("ivrs/desk.yaml", menu("Desk", "Front Desk"));
    const elsewhere = join(folder({ "other.yaml": config }), "other.yaml");
    for (const named of ["../shared.yaml", "ivrctl.yaml", elsewhere]) {
      const { exit, stdout } = await run("--config", named);
      expect([named, exit, stdout.includes("1 changed; 0 unchanged")]).toEqual([named, 0, true]);
    }
  });

  test("reads neither hooks nor filters, and writes nothing", async () => {
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

  test("an agent list of now is used for both sides, and one of then for who has left since", async () => {
    const { json, write, path } = repository({
      desk: menu("Desk"),
      other: menu("Other", "Front Desk"),
    });
    const snapshot = JSON.parse(readFileSync(join(path, "agents.lock.json"), "utf8"));
    const { agents } = snapshot;
    // A new extension is no difference between the files.
    const moved = agents.map((agent: { name: string }) =>
      agent.name === "Front Desk" ? { ...agent, eid: "999" } : agent,
    );
    write("agents.lock.json", JSON.stringify({ ...snapshot, agents: moved }));
    expect((await json()).value.summary).toMatchObject({ unchanged: 2 });
    const without = agents.filter(({ name }: { name: string }) => name !== "Asha Rao");
    write("agents.lock.json", JSON.stringify({ ...snapshot, agents: without }));
    write("ivrs/desk.yaml", menu("Desk", "Front Desk"));
    const { exit, value } = await json();
    expect([exit, codesOf(value)]).toEqual([0, ["IVR645"]]);
    expect(value.diagnostics[0].message).toContain("`desk`");
    expect(value.changes).toMatchObject([
      { diff: [{ field: "destination.1", before: "extension||500101" }] },
    ]);
    // A list that is named takes the snapshot's place.
    write("list.json", JSON.stringify(agents));
    expect(codesOf((await json("--agents", "list.json")).value)).toEqual([]);
    rmSync(join(path, "agents.lock.json"));
    const none = await json();
    expect([none.exit, codesOf(none.value)]).toEqual([1, ["IVR311"]]);
  });
});

describe("a revision that is not as it should be", () => {
  test("a menu that was at fault is shown whole, with a warning", async () => {
    const { run, json, write, remove, commit } = repository({
      agent: menu("Agent", "Nobody Known"),
      syntax: "name: [",
      gone: menu("Gone", "Nobody Known"),
      fine: menu("Fine"),
    });
    write("ivrs/agent.yaml", menu("Agent"));
    write("ivrs/syntax.yaml", menu("Syntax"));
    remove("ivrs/gone.yaml");
    const { exit, value } = await json();
    expect(exit).toBe(0);
    expect(codesOf(value)).toEqual(["IVR644", "IVR644", "IVR644"]);
    expect(value.diagnostics[0]).toMatchObject({
      severity: "warning",
      file: "ivrs/agent.yaml",
      message: expect.stringContaining("At HEAD this file was at fault, line 4: "),
    });
    expect(value.changes).toMatchObject([
      { key: "agent", action: "replace", before: null, after: { name: "Agent" }, diff: [] },
      { key: "gone", name: "Gone", action: "forget", before: null, after: null },
      { key: "syntax", action: "replace", before: null, after: { name: "Syntax" } },
    ]);
    const { stdout } = await run();
    expect(stdout).toContain("Its file was at fault then");
    expect((await run("--format", "markdown")).stdout).toContain("changed#58; “Agent”");
    commit();
    expect(codesOf((await json()).value)).toEqual([]);
  });

  test("no project yet, no such environment yet, a configuration at fault", async () => {
    const { json, path, write, commit, git } = repository({ desk: menu("Desk") });
    const config = readFileSync(join(path, "ivrctl.yaml"), "utf8");
    write("ivrctl.yaml", "version: [");
    commit();
    write(
      "ivrctl.yaml",
      config.replace("environments:\n", "environments:\n  fresh:\n    service: sandbox\n"),
    );
    const broken = await json("--env", "sandbox");
    expect([broken.exit, codesOf(broken.value)]).toEqual([0, ["IVR646"]]);
    expect(broken.value.changes).toMatchObject([{ action: "replace", before: null }]);
    const fresh = await json("HEAD~1", "--env", "fresh");
    expect([fresh.exit, codesOf(fresh.value)]).toEqual([0, ["IVR646"]]);
    expect(fresh.value.changes).toMatchObject([{ action: "create", before: null }]);
    git("rm", "-q", "--cached", "ivrctl.yaml");
    git("commit", "-qm", "none");
    const none = await json();
    expect([none.exit, codesOf(none.value)]).toEqual([0, ["IVR646"]]);
    expect(none.value.changes).toMatchObject([{ action: "create" }]);
  });

  test("links inside the project are followed; others and submodules are told", async () => {
    const { json, path, write, commit, git, top } = repository({ desk: menu("Desk") });
    write("shared/a.yaml", menu("Linked"));
    symlinkSync("../shared/a.yaml", join(path, "ivrs/linked.yaml"));
    commit();
    expect((await json()).value).toMatchObject({ summary: { unchanged: 2 }, diagnostics: [] });
    symlinkSync("/etc/hostname", join(path, "ivrs/away.yaml"));
    symlinkSync("nowhere", join(path, "ivrs/dangling.yaml"));
    const other = join(top, "ivrs/module");
    mkdirSync(other);
    const inside = ["-C", other, "-c", "user.name=T", "-c", "user.email=t@t.example"];
    execFileSync("git", [...inside, "init", "-q"]);
    execFileSync("git", [...inside, "commit", "-q", "--allow-empty", "-m", "x"]);
    git("-c", "advice.addEmbeddedRepo=false", "add", "-A");
    git("commit", "-qm", "odd");
    for (const name of ["away.yaml", "dangling.yaml"]) rmSync(join(path, "ivrs", name));
    const { exit, value } = await json();
    expect(exit).toBe(0);
    expect(value.diagnostics.map(({ message }: { message: string }) => message)).toEqual([
      expect.stringContaining("leaves the project"),
      expect.stringContaining("what is not there"),
      expect.stringContaining("submodule"),
    ]);
  });

  test("odd names of files neither break the reading nor are overlooked", async () => {
    const { json, write, remove, commit } = repository({ desk: menu("Desk") });
    const names = ["-x", "a b", "é", "tab\there", "line\nbreak", '"quoted"', ":(top)x"];
    for (const [at, name] of names.entries()) {
      write(`ivrs/${name}.yaml`, menu(`Odd ${at}`, "Asha Rao", `id: odd${at}`));
    }
    expect((await json()).value.summary).toMatchObject({ create: names.length, unchanged: 1 });
    commit();
    expect((await json()).value.summary).toMatchObject({ unchanged: names.length + 1 });
    for (const name of names) remove(`ivrs/${name}.yaml`);
    expect((await json()).value.summary).toMatchObject({ forget: names.length, unchanged: 1 });
  });

  test("a renamed file without moved_from is warned about", async () => {
    const { json, write, remove } = repository({ old: menu("Help") });
    remove("ivrs/old.yaml");
    write("ivrs/new.yaml", menu("Help"));
    const { exit, value } = await json();
    expect([exit, codesOf(value)]).toEqual([0, ["IVR647"]]);
    expect(value.diagnostics[0]).toMatchObject({
      file: "ivrs/new.yaml",
      line: 1,
      column: 7,
      hint: expect.stringContaining("moved_from: old"),
    });
    write("ivrs/new.yaml", menu("Help", "Front Desk", "moved_from: old"));
    expect((await json()).value).toMatchObject({
      changes: [{ key: "new", action: "replace", diff: [{ field: "destination.1" }] }],
      diagnostics: [],
    });
  });
});

describe("what keeps a diff from being made", () => {
  test.each(["nope", "-x", "--all", "", "HEAD:ivrs", "main..HEAD", "a b\nc"])(
    "the revision %j",
    async (ref) => {
      const { path, json } = repository({ desk: menu("Desk") });
      const { exit, stdout } = await ivrctl(["diff", "--format", "json", "--", ref], { cwd: path });
      expect([exit, codesOf(JSON.parse(stdout))]).toEqual([1, ["IVR642"]]);
      expect((await json("HEAD")).exit).toBe(0);
    },
  );

  test("a repository without a commit", async () => {
    const cwd = exampleProject();
    execFileSync("git", ["init", "-q"], { cwd });
    const { exit, stderr } = await ivrctl(["diff"], { cwd });
    expect([exit, stderr]).toEqual([1, expect.stringContaining("Nothing has been committed yet")]);
  });

  test("no repository", async () => {
    const cwd = exampleProject();
    const { exit, stdout, stderr } = await ivrctl(["diff"], { cwd });
    expect({ exit, stdout }).toEqual({ exit: 1, stdout: "" });
    expect(stderr).toContain("error[IVR641]");
    const markdown = await ivrctl(["diff", "--format", "markdown"], { cwd });
    expect(markdown.stdout).toMatch(
      /^<!-- ivrctl:diff:sandbox -->\n\n### No diff for sandbox: 1 error/,
    );
  });

  test("no git", async () => {
    const { exit, stderr } = await ivrctl(["diff"], {
      cwd: exampleProject(),
      env: { PATH: folder({}) },
    });
    expect([exit, stderr]).toEqual([
      1,
      expect.stringContaining("error[IVR643]: git cannot be run"),
    ]);
  });

  test("an object that is not there", async () => {
    const { path, json, git } = repository({ desk: menu("Desk") });
    const object = git("rev-parse", "HEAD:ivrs");
    rmSync(join(path, ".git/objects", object.slice(0, 2), object.slice(2)));
    const { exit, value } = await json();
    expect([exit, codesOf(value)]).toEqual([1, ["IVR643"]]);
  });
});
