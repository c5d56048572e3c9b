import { describe, expect, test } from "vitest";
import { branchProject } from "../support/stored-project.ts";
import { heldService } from "../support/held-service.ts";
import { lockIn, menu, namesOf, service, token, until } from "../support/project.ts";

const ref = "refs/heads/ivrctl-state-test";

/** Menus with the keys m1, m2 and so on. */
function menus(count: number): Record<string, string> {
  return Object.fromEntries(
    Array.from({ length: count }, (_, at) => [`m${at + 1}`, menu(`M${at + 1}`)]),
  );
}

describe("a state on a git branch", () => {
  test("is used by every machine with a clone", async () => {
    const { url, records } = await service();
    const project = branchProject(url, menus(2));
    expect((await project.run("apply", "--auto-approve")).exit).toBe(0);
    const plan = await project.runElsewhere("plan", "--detailed-exitcode");
    expect(plan.exit).toBe(0);
    const again = await project.runElsewhere("apply", "--auto-approve");
    expect(again.stdout).toContain("nothing to do");
    expect(namesOf(records)).toEqual(["M1", "M2"]);
    expect(project.remote.git("log", "-p", ref)).not.toContain(token);
  });

  test("shows at most as many unknown outcomes as were in flight when a runner vanishes", async () => {
    const held = await heldService();
    const project = branchProject(held.url, menus(5), { concurrency: 2 });
    const run = project.start("apply", "--auto-approve");
    await until(() => held.held === 2);
    held.release(2);
    // The outcomes of the first two are pushed with the next intents.
    await until(() => held.held === 2);
    run.child.kill("SIGKILL");
    await run.finished;
    held.release();
    const plan = JSON.parse((await project.runElsewhere("plan", "--format", "json")).stdout);
    expect(plan.summary).toMatchObject({ unknown: 2, unchanged: 2, create: 1 });
    const files = project.remote.git("ls-tree", "-r", "--name-only", ref).split("\n");
    // The first block begins the state.
    const second = files.find((name) => name.endsWith("/00000002.jsonl"));
    const first = project.remote.git("show", `${ref}:${second}`);
    expect(first).toContain('"kind":"locked"');
    expect(first).toContain(`"pid":${run.child.pid},`);
    expect(await lockIn(project.runElsewhere)).toBe(JSON.parse(first.split("\n")[0] ?? "").lock.id);
  });

  test("can be moved there from files, and back", async () => {
    const { url } = await service();
    const project = branchProject(url, menus(1));
    project.configure({ state: "backend: file" });
    expect((await project.run("apply", "--auto-approve")).exit).toBe(0);
    project.configure({ state: "backend: git, from: { backend: file }" });
    expect((await project.run("plan")).stderr).toContain("ivrctl state migrate --env test");
    const moved = await project.run("state", "migrate");
    expect(moved.stderr).toContain("Now remove `from:` under test from ivrctl.yaml.");
    project.configure({ state: "backend: file" });
    expect((await project.run("plan")).stderr).toContain("IVR674");
    project.configure({ state: "backend: git" });
    expect((await project.run("plan", "--detailed-exitcode")).exit).toBe(0);
    project.configure({ state: "backend: file, from: { backend: git }" });
    expect((await project.run("state", "migrate")).exit).toBe(0);
    project.configure({ state: "backend: file" });
    expect((await project.run("plan", "--detailed-exitcode")).exit).toBe(0);
  });

  test("is checked by doctor", async () => {
    const { url } = await service();
    const project = branchProject(url, menus(1));
    expect((await project.run("apply", "--auto-approve")).exit).toBe(0);
    const { stdout } = await project.run("doctor");
    expect(stdout).toMatch(
      /origin#ivrctl-state-test: 1 menu recorded, .* Protect this branch against deletion and forced pushes\./,
    );
  });
});
