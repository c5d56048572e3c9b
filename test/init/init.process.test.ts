import { spawnSync } from "node:child_process";
import {
  mkdirSync,
  readFileSync,
  readdirSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { basename, dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import { workflowErrors } from "../support/ci/parser.ts";
import { git } from "../support/ci/repository.ts";
import { command, folder } from "../support/cli.ts";
import { ivrctl } from "../support/commands.ts";
import { menu } from "../support/project.ts";

const root = join(import.meta.dirname, "../..");
const template = (name: string) => readFileSync(join(root, "templates", name), "utf8");

const projectFiles = [
  "agents.lock.json",
  "ivrs/front-desk.yaml",
  ".gitignore",
  ".gitattributes",
  "AGENTS.md",
  "ivrctl.yaml",
];

/** The files that `ivrctl init` names, by what it did with them. */
function madeIn(stdout: string) {
  const of = (word: string) =>
    [...stdout.matchAll(new RegExp(`^${word} +(.*)$`, "gm"))].map(([, file]) => file ?? "");
  return { created: of("created"), kept: of("kept") };
}

/** Returns the content of every file of a folder, except in .git. */
function contents(path: string): Record<string, string> {
  return Object.fromEntries(
    readdirSync(path, { recursive: true, encoding: "utf8" })
      .filter((name) => !/^\.git(?:\/|$)/.test(name) && statSync(join(path, name)).isFile())
      .sort()
      .map((name) => [name, readFileSync(join(path, name), "utf8")]),
  );
}

async function init(cwd: string, ...args: string[]) {
  const { exit, stdout, stderr } = await ivrctl(["init", ...args], { cwd });
  return { exit, stderr, ...madeIn(stdout) };
}

const codes = ({ stderr }: { readonly stderr: string }) =>
  [...stderr.matchAll(/^\w+\[(IVR\d+).*\n --> ([^:\n]*)/gm)].map(([, ...words]) => words.join(" "));

const pipelines = {
  github: [".github/workflows/ivrctl.yml"],
  gitlab: [".gitlab-ci.yml", ".gitlab/ivrctl.yml"],
};

describe("in an empty folder", () => {
  test("creates a project in which every command works without a warning", async () => {
    const cwd = folder({});
    expect(await init(cwd)).toMatchObject({ exit: 0, created: projectFiles, kept: [] });
    expect(Object.keys(contents(cwd))).toEqual([...projectFiles].sort());
    for (const args of [
      ["fmt", "--check"],
      ["validate"],
      ["test"],
      ["plan"],
      ["apply", "--auto-approve"],
      ["plan", "--detailed-exitcode"],
      ["doctor"],
    ]) {
      const { exit, stdout, stderr } = await ivrctl(args, { cwd });
      expect({ args, exit, said: stdout + stderr }).toMatchObject({ exit: 0 });
      expect(stdout + stderr).not.toMatch(/warning|error\[/);
    }
    // The agents are those of the sandbox.
    const real = await ivrctl(["validate", "--env", "production"], { cwd });
    expect(real.exit).toBe(0);
    expect(real.stdout.match(/IVR\d+/g)).toEqual(["IVR504"]);
  });

  test("writes the agents that the sandbox lists", async () => {
    const cwd = folder({});
    await init(cwd);
    const before = readFileSync(join(cwd, "agents.lock.json"), "utf8");
    rmSync(join(cwd, "agents.lock.json"));
    expect((await ivrctl(["agents", "pull", "--env", "sandbox"], { cwd })).exit).toBe(0);
    const pulled = readFileSync(join(cwd, "agents.lock.json"), "utf8");
    expect(pulled.replace(/ {2}"pulled_at": .*\n/, "")).toBe(before);
  });

  test("git ignores the state, or tracks it with the lines in the comment", async () => {
    const cwd = folder({});
    git(cwd, "init", "-q");
    await init(cwd);
    await ivrctl(["apply", "--auto-approve"], { cwd });
    const seen = () => git(cwd, "status", "--short", "-uall").match(/\.ivrctl\S*/g) ?? [];
    expect(seen()).toEqual([]);
    const kept = template("project/gitignore")
      .replace(/^\.ivrctl\/$/m, "")
      .replace(/^# {3}/gm, "");
    writeFileSync(join(cwd, ".gitignore"), kept);
    const names = seen();
    expect(names).toContain(".ivrctl/state/sandbox/00000001.jsonl");
    expect(names.filter((name) => !name.startsWith(".ivrctl/state/sandbox/"))).toEqual([]);
    for (const name of names) expect(git(cwd, "check-attr", "text", name)).toContain("unset");
  });

  test("-C creates the folder, and is part of the next commands", async () => {
    const cwd = folder({});
    const { exit, stderr } = await ivrctl(["init", "-C", "new/O'Brien & co"], { cwd });
    expect(exit).toBe(0);
    const [, line = ""] = /^ {2}(ivrctl -C .* validate) {2}/m.exec(stderr) ?? [];
    const run = line.replace("ivrctl", `"${process.execPath}" "${command}"`);
    expect(spawnSync("sh", ["-c", run], { cwd, encoding: "utf8" }).stdout).toContain("1 menu is");
  });
});

test("the pipeline listens to the default branch of the remote", async () => {
  const cwd = folder({});
  git(cwd, "init", "-q");
  git(cwd, "symbolic-ref", "refs/remotes/origin/HEAD", "refs/remotes/origin/release/1.x+on");
  const { stderr } = await init(cwd, "--ci", "github");
  expect(stderr).not.toContain("git remote set-head");
  const text = readFileSync(join(cwd, pipelines.github[0] ?? ""), "utf8");
  const { on } = parse(text);
  for (const event of [on.push, on.pull_request, on.merge_group]) {
    expect(event.branches).toEqual([String.raw`release/1.x\+on`]);
  }
  expect(await workflowErrors(text)).toEqual([]);
});

describe("in an existing project", () => {
  test("a second run changes nothing", async () => {
    const cwd = folder({});
    await init(cwd, "--ci", "gitlab");
    const before = contents(cwd);
    const again = await init(cwd, "--ci", "gitlab");
    const files = [".gitignore", ".gitattributes", "AGENTS.md", "ivrctl.yaml"];
    expect(again).toMatchObject({ exit: 0, created: [], kept: [...files, ...pipelines.gitlab] });
    expect(contents(cwd)).toEqual(before);
  });

  test("completes what an interrupted run left", async () => {
    const whole = folder({});
    await init(whole);
    const wanted = contents(whole);
    for (let done = 0; done < projectFiles.length; done += 1) {
      const files = projectFiles.slice(0, done).map((file) => [file, wanted[file] ?? ""]);
      const cwd = folder(Object.fromEntries(files));
      expect((await init(cwd)).created).toEqual(projectFiles.slice(done));
      expect(contents(cwd)).toEqual(wanted);
    }
  });

  test.each<[string, Record<string, string>, readonly string[]]>([
    ["own menus", { "ivrs/a.yaml": menu("A") }, projectFiles.slice(2)],
    ["own configuration", { "ivrctl.yaml": "version: 1\n" }, projectFiles.slice(2, -1)],
  ])("adds no example to %s, and keeps every file", async (_, files, created) => {
    const cwd = folder(files);
    expect(await init(cwd)).toMatchObject({ exit: 0, created });
    for (const [name, text] of Object.entries(files)) {
      expect(readFileSync(join(cwd, name), "utf8")).toBe(text);
    }
  });

  test("several runs at once create each file once", async () => {
    const whole = folder({});
    await init(whole);
    const cwd = folder({});
    const runs = await Promise.all([init(cwd), init(cwd), init(cwd)]);
    expect(runs.map(({ exit }) => exit)).toEqual([0, 0, 0]);
    const created: string[] = runs.flatMap((run) => run.created);
    expect([...created].sort()).toEqual([...projectFiles].sort());
    expect(contents(cwd)).toEqual(contents(whole));
  });
});

describe("pipeline files", () => {
  test.each(Object.entries(pipelines))("are written by --ci %s as they are", async (ci, files) => {
    const cwd = folder({});
    const made = await init(cwd, "--ci", ci);
    expect(made).toMatchObject({ exit: 0, created: [...projectFiles, ...files] });
    for (const file of files) {
      expect(readFileSync(join(cwd, file), "utf8")).toBe(template(`${ci}/${file}`));
    }
  });

  test("are at the top of the repository", async () => {
    const top = folder({});
    git(top, "init", "-q");
    const { exit, created } = await init(top, "-C", "phones/pune", "--ci", "github");
    expect(exit).toBe(0);
    expect(created).toContain("../../.github/workflows/ivrctl.yml");
    const text = readFileSync(join(top, ".github/workflows/ivrctl.yml"), "utf8");
    expect(text).toContain('IVRCTL_DIRECTORY: "phones/pune"');
    expect(await workflowErrors(text)).toEqual([]);
  });

  test("of a second project are its own", async () => {
    const top = folder({});
    git(top, "init", "-q");
    await init(top, "-C", "phones/pune", "--ci", "github");
    const hub = await init(top, "-C", "phones/goa", "--ci", "github");
    expect(hub.created).toContain("../../.github/workflows/ivrctl-phones-goa.yml");
    const text = readFileSync(join(top, ".github/workflows/ivrctl-phones-goa.yml"), "utf8");
    expect(text).toMatch(/^name: ivrctl-phones-goa$/m);
    expect(text).toContain('IVRCTL_DIRECTORY: "phones/goa"');
    expect(Object.keys(parse(text).jobs)).toEqual([
      "pull-request-ivrctl-phones-goa",
      "changes",
      "apply",
      "check",
    ]);
    expect(await workflowErrors(text)).toEqual([]);

    await init(top, "-C", "phones/pune", "--ci", "gitlab");
    const lab = await init(top, "-C", "phones/goa", "--ci", "gitlab");
    expect(lab.created).toEqual(["../../.gitlab/ivrctl-phones-goa.yml"]);
    expect(lab.stderr).toContain("Add `- local: .gitlab/ivrctl-phones-goa.yml` to `include:`");
    const jobs = readFileSync(join(top, ".gitlab/ivrctl-phones-goa.yml"), "utf8");
    expect(parse(jobs)).toMatchObject({
      "ivrctl-phones-goa:apply": {
        extends: "ivrctl:apply",
        variables: { IVRCTL_DIRECTORY: "phones/goa" },
      },
    });
    // A pipeline for a folder without a project is not a different project.
    const moved = folder({});
    git(moved, "init", "-q");
    await init(moved, "-C", "old", "--ci", "github");
    rmSync(join(moved, "old"), { recursive: true });
    const { kept, stderr } = await init(moved, "-C", "new", "--ci", "github");
    expect(kept).toContain("../.github/workflows/ivrctl.yml");
    expect(stderr).toContain('IVRCTL_DIRECTORY must be "new".');
  });

  test("that cannot be written do not prevent the project", async () => {
    const cwd = folder({ "hub/x": "" });
    symlinkSync("hub", join(cwd, ".github"));
    const made = await init(cwd, "--ci", "github");
    expect(made).toMatchObject({ exit: 1, created: projectFiles });
    expect(codes(made)).toEqual(["IVR121 .github/workflows/ivrctl.yml"]);
  });
});

describe("where a project cannot be created, or only in part", () => {
  test("refuses a folder inside another project, unless that folder is a repository", async () => {
    const cwd = folder({});
    await init(cwd);
    for (const inner of ["ivrs", "docs/deep"]) {
      const made = await ivrctl(["init", "-C", inner], { cwd });
      expect(made).toMatchObject({ exit: 1, stdout: "" });
      expect(made.stderr).toContain("IVR660");
      expect(made.stderr).toContain("ivrctl init -C .\n");
    }
    const name = basename(cwd);
    const above = await ivrctl(["init", "-C", `${name}/ivrs/deep`], { cwd: dirname(cwd) });
    expect(above.stderr).toContain(`ivrctl init -C ${name}\n`);
    mkdirSync(join(cwd, "vendored"));
    git(join(cwd, "vendored"), "init", "-q");
    expect(await init(join(cwd, "vendored"))).toMatchObject({ exit: 0, created: projectFiles });
  });

  test("does not follow links out of the project", async () => {
    const outside = folder({ "keep.txt": "dist/\n", "folder/x": "" });
    const cwd = folder({});
    symlinkSync(join(outside, "keep.txt"), join(cwd, ".gitignore"));
    symlinkSync("/nowhere", join(cwd, "agents.lock.json"));
    expect(await init(cwd)).toMatchObject({ exit: 0, kept: ["agents.lock.json", ".gitignore"] });
    expect(contents(outside)).toEqual({ "keep.txt": "dist/\n", "folder/x": "" });
  });

  test("leaves no partial file on a full disk, and the next run completes the project", async () => {
    const cwd = folder({});
    const limited = `ulimit -f 1; exec "${process.execPath}" "${command}" init`;
    const ran = spawnSync("bash", ["-c", limited], { cwd, encoding: "utf8" });
    expect(ran.status).toBe(1);
    expect(codes(ran)).toEqual([expect.stringMatching(/^IVR121 /)]);
    expect(Object.keys(contents(cwd)).sort()).toEqual([...madeIn(ran.stdout).created].sort());
    expect((await init(cwd)).exit).toBe(0);
    expect(Object.keys(contents(cwd))).toEqual([...projectFiles].sort());
  });
});
