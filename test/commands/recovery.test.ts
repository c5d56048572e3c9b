import { rmSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { ivrctl } from "../support/commands.ts";
import { menu, namesOf, project, service } from "../support/project.ts";

/** A project whose three menus are on the service, but whose state is lost. */
async function lost() {
  const sandbox = await service();
  const own = project(sandbox.url, { a: menu("A"), b: menu("B"), c: menu("C") });
  await own.run("agents", "pull");
  expect((await own.run("apply", "--auto-approve")).exit).toBe(0);
  rmSync(join(own.path, ".ivrctl"), { recursive: true });
  const run = (...args: string[]) => ivrctl(args, { cwd: own.path, env: own.env });
  const adopt = async (...keys: string[]) => {
    for (const key of keys) expect((await run("state", "resolve", key, "--created")).exit).toBe(0);
  };
  const apply = (...args: string[]) => run("apply", "--auto-approve", ...args);
  return { ...own, run, adopt, apply, created: () => namesOf(sandbox.records) };
}

type Lost = Awaited<ReturnType<typeof lost>>;

/** Every command says that the state lacks these menus, and nothing is created. */
async function expectGuarded(own: Lost, lacking: string) {
  const why = `it has no record of ${lacking}.`;
  const plan = await own.run("plan", "--out", "p.json");
  expect(plan.stdout).toContain("NO STATE: apply would create");
  const doctor = await own.run("doctor");
  const before = own.created();
  const refused = [await own.apply(), await own.run("apply", "p.json")];
  for (const { exit, stderr } of refused) {
    expect(exit).toBe(1);
    expect(stderr).toContain("error[IVR608]");
  }
  for (const { stdout, stderr } of [plan, doctor, ...refused]) {
    expect(`${stdout}${stderr}`.replace(/\s+/g, " ")).toContain(why);
  }
  expect(own.created()).toEqual(before);
}

async function expectComplete(own: Lost) {
  const { stdout, stderr } = await own.run("plan");
  expect(stdout + stderr).not.toMatch(/NO STATE|IVR608/);
  expect((await own.run("doctor")).stdout).not.toContain("no record of");
  expect((await own.apply()).exit).toBe(0);
}

describe("a state that was lost", () => {
  test("stays guarded until every menu has a record", async () => {
    const own = await lost();
    await own.adopt("a");
    await expectGuarded(own, "b, c");
    const { stdout, stderr } = await own.run("plan", "--target", "a");
    expect(stdout).not.toContain("would create");
    expect(stderr).toContain("warning[IVR608]");
    await own.adopt("b");
    await expectGuarded(own, "c");
    await own.adopt("c");
    await expectComplete(own);
    expect(own.created()).toEqual(["A", "B", "C"]);
  });

  test("is guarded for a menu that is new, until an apply has sent something", async () => {
    const own = await lost();
    await own.adopt("a", "b", "c");
    own.write("ivrs/d.yaml", menu("D"));
    await expectGuarded(own, "d");
    expect((await own.apply("--new-state")).exit).toBe(0);
    own.write("ivrs/e.yaml", menu("E"));
    await expectComplete(own);
    expect(own.created()).toEqual(["A", "B", "C", "D", "E"]);
  });

  test("counts a record under the old key of a menu", async () => {
    const own = await lost();
    await own.adopt("a", "b", "c");
    own.remove("ivrs/c.yaml");
    own.write("ivrs/d.yaml", menu("C", "Asha Rao", "moved_from: c"));
    await expectComplete(own);
    expect(own.created()).toEqual(["A", "B", "C"]);
  });

  test("is guarded for a plan whose menus are not in the files", async () => {
    const own = await lost();
    await own.adopt("a");
    await own.run("plan", "--out", "p.json");
    rmSync(join(own.path, "ivrs"), { recursive: true });
    const { exit, stderr } = await own.run("apply", "p.json");
    expect([exit, stderr]).toEqual([1, expect.stringContaining("error[IVR608]")]);
    expect(own.created()).toEqual(["A", "B", "C"]);
  });

  test("is ended by a person with --new-state, also after a partial failure", async () => {
    const own = await lost();
    await own.adopt("a");
    const { exit } = await own.apply("--new-state", "--target", "b");
    expect(exit).toBe(0);
    const again = await own.apply("--new-state");
    expect(again.exit).toBe(1);
    expect(again.stderr).toContain("error[IVR620]: The state of test exists, with 2 menus.");
    expect(again.stderr).toContain("Apply without `--new-state`.");
    await expectComplete(own);
    expect(own.created()).toEqual(["A", "B", "B", "C", "C"]);
  });
});

test("menus of a service that are imported need no confirmation for the next one", async () => {
  const sandbox = await service({ operations: ["list"] });
  const first = project(sandbox.url, { a: menu("A"), b: menu("B") });
  expect((await first.run("apply", "--auto-approve")).exit).toBe(0);
  const settings = 'timeout: 300 }\n    operations: [list]\n    vars: { unused: "1"';
  const imported = async (menus: Readonly<Record<string, string>>) => {
    const own = project(sandbox.url, menus, settings);
    const run = (...args: string[]) => ivrctl(args, { cwd: own.path, env: own.env });
    expect((await run("import", "--live")).exit).toBe(0);
    own.write("ivrs/new.yaml", menu("New"));
    return (await run("plan")).stdout.includes("NO STATE");
  };
  expect(await imported({})).toBe(false);
  expect(await imported({ lost: menu("Lost") })).toBe(true);
});

test("--new-state is an error if the state is complete, and not for a new sandbox", async () => {
  const own = project("http://127.0.0.1:1", { a: menu("A") });
  own.write("ivrctl.yaml", "version: 1\nenvironments:\n  test:\n    service: sandbox\n");
  const apply = () =>
    ivrctl(["apply", "--auto-approve", "--new-state", "--env", "test"], { cwd: own.path });
  expect((await apply()).exit).toBe(0);
  const { exit, stderr } = await apply();
  expect([exit, stderr]).toEqual([1, expect.stringContaining("error[IVR620]")]);
});
