import { execFileSync } from "node:child_process";
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { branchProject } from "../support/stored-project.ts";
import { root } from "../support/cli.ts";
import { ivrctl } from "../support/commands.ts";
import { menu, namesOf, service } from "../support/project.ts";

const ref = "refs/heads/ivrctl-state-test";

describe.each(["deleted", "set back"] as const)("a branch that was %s", (how) => {
  /** A laptop that has seen the newest state, one that is stale, and the branch after the loss. */
  async function lost() {
    const { url, records } = await service();
    const project = branchProject(url, { m1: menu("M1") });
    await project.run("apply", "--auto-approve");
    const older = project.remote.git("rev-parse", ref).trim();
    const laptop = project.elsewhere();
    await laptop.run("plan");
    const stale = project.elsewhere();
    await stale.run("plan");
    project.write("ivrs/m2.yaml", menu("M2"));
    await project.run("apply", "--auto-approve");
    for (const { path } of [laptop, stale]) writeFileSync(join(path, "ivrs/m2.yaml"), menu("M2"));
    expect((await laptop.run("plan", "--detailed-exitcode")).exit).toBe(0);
    project.write("ivrs/m3.yaml", menu("M3"));
    await project.run("plan", "--out", "p.json");
    const newest = project.remote.git("rev-parse", ref).trim();
    project.remote.git("update-ref", ...(how === "deleted" ? ["-d", ref] : [ref, older]));
    // The server deletes commits that no ref reaches.
    project.remote.git("gc", "--quiet", "--prune=now");
    const tip = how === "deleted" ? "" : older;
    return {
      project,
      laptop,
      stale,
      newest,
      tip,
      records,
      refs: () => project.remote.git("for-each-ref"),
    };
  }

  test("is restored by the command that every clone prints, which is the one in the docs", async () => {
    const { project, laptop, stale, newest, tip } = await lost();
    const page = readFileSync(join(root, "docs/state-git.md"), "utf8");
    const [documented = ""] = /^git fetch .* && git push .*/m.exec(page) ?? [];
    const command = documented
      .replaceAll("production", "test")
      .replace(":TIP", `:${tip}`)
      .replace("NEWEST:", `${newest}:`);
    for (const { run } of [project, laptop, stale, project.elsewhere()]) {
      const refused = await run("apply", "--auto-approve");
      expect([refused.exit, refused.stderr]).toEqual([1, expect.stringContaining("IVR629")]);
      expect(refused.stderr).toContain(`  ${command}\n`);
    }
    execFileSync("bash", ["-c", command], { cwd: join(stale.path, "ivrs"), stdio: "ignore" });
    expect(project.remote.git("rev-parse", ref).trim()).toBe(newest);
    for (const { run } of [laptop, stale, project.elsewhere(), project]) {
      const { stderr, stdout } = await run("plan");
      expect(stderr).not.toContain("IVR629");
      expect(stdout).not.toMatch(/M[12]/);
    }
    expect((await project.run("apply", "p.json")).exit).toBe(0);
  });

  test("stays as it is when a runner refuses a plan from the lost state", async () => {
    const { project, records, refs } = await lost();
    const left = refs();
    const at = { cwd: project.elsewhere().path, env: project.env };
    const { exit, stderr } = await ivrctl(["apply", "p.json"], at);
    expect([exit, stderr]).toEqual([1, expect.stringMatching(/IVR62[89]/)]);
    expect([refs(), namesOf(records)]).toEqual([left, ["M1", "M2"]]);
  });
});

test("a branch that does not exist is not created by a command that is refused", async () => {
  const { url, records } = await service();
  const project = branchProject(url, { m1: menu("M1") });
  for (const command of [
    ["apply", "--auto-approve"],
    ["state", "resolve", "m1", "--created"],
    ["state", "resolve", "m9", "--created"],
  ]) {
    await ivrctl(command, { cwd: project.path, env: project.env });
    expect([command, project.remote.git("for-each-ref")]).toEqual([command, ""]);
  }
  expect(records).toEqual([]);
});

test("a new state is not begun on a branch that is gone, until a person deletes the ref", async () => {
  const { url } = await service();
  const project = branchProject(url, { m1: menu("M1") });
  await project.run("apply", "--auto-approve");
  project.remote.git("update-ref", "-d", ref);
  for (const flags of [[], ["--recover"]]) {
    const { exit, stderr } = await project.elsewhere().run("state", "init", ...flags);
    expect([exit, stderr]).toEqual([1, expect.stringContaining("IVR629")]);
  }
  project.remote.git("update-ref", "-d", `refs/ivrctl/newest/ivrctl-state-test`);
  expect((await project.elsewhere().run("state", "init", "--recover")).exit).toBe(0);
});

test("a branch that was set back and has changed since is not overwritten", async () => {
  const { url } = await service();
  const project = branchProject(url, { m1: menu("M1") });
  await project.run("apply", "--auto-approve");
  const older = project.remote.git("rev-parse", ref).trim();
  await project.run("state", "rm", "m1", "--auto-approve");
  project.remote.git("update-ref", ref, older);
  expect((await project.run("plan")).stderr).toContain("git push");
  project.remote.git("update-ref", "-d", "refs/ivrctl/newest/ivrctl-state-test");
  await project.elsewhere().run("state", "mv", "m1", "m9");
  const { stderr } = await project.run("plan");
  expect(stderr).toContain("Other runs have changed the branch since");
  expect(stderr).not.toContain("git push");
});

test("without the second ref, a clone whose memory was deleted prints no commit that was given up", async () => {
  const { url } = await service();
  const project = branchProject(url, { m1: menu("M1") });
  project.remote.git("config", "transfer.hideRefs", "refs/ivrctl");
  await project.run("apply", "--auto-approve");
  const reader = project.elsewhere();
  await reader.run("plan");
  project.remote.git("update-ref", "-d", ref);
  expect((await reader.run("plan")).stderr).toContain("git push");
  rmSync(join(reader.path, ".ivrctl/seen"), { recursive: true });
  const { exit, stderr } = await reader.run("plan");
  expect([exit, stderr]).toEqual([1, expect.stringContaining("IVR629")]);
  expect(stderr).not.toContain("git push");
});
