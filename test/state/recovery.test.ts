import { readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { ivrctl } from "../support/commands.ts";
import { menu, namesOf, project, service } from "../support/project.ts";

/** A project whose three menus are on the service, but whose state is lost. */
async function lost() {
  const sandbox = await service();
  const newProject = project(sandbox.url, { a: menu("A"), b: menu("B"), c: menu("C") });
  expect((await newProject.run("apply", "--auto-approve")).exit).toBe(0);
  await newProject.run("agents", "pull");
  rmSync(join(newProject.path, ".ivrctl"), { recursive: true });
  const run = (...args: string[]) => ivrctl(args, { cwd: newProject.path, env: newProject.env });
  const apply = (...args: string[]) => run("apply", "--auto-approve", ...args);
  const resolve = (...args: string[]) => run("state", "resolve", "--auto-approve", ...args);
  return { ...newProject, run, apply, resolve, created: () => namesOf(sandbox.records) };
}

/** The same after `state init --recover`. */
async function recovered() {
  const lostProject = await lost();
  expect((await lostProject.run("state", "init", "--recover")).exit).toBe(0);
  return lostProject;
}

const open = async ({ json }: Pick<Awaited<ReturnType<typeof lost>>, "json">) => {
  const { value } = await json("plan");
  return value.changes.map(({ key, action }: Record<string, string>) => `${action} ${key}`);
};

describe("a state that was lost", () => {
  test("is refused on every machine, and nothing is created or written", async () => {
    const lostProject = await lost();
    const commands = [
      ["plan"],
      ["apply", "--auto-approve"],
      ["state", "list"],
      ["state", "init"],
      ["state", "resolve", "a", "--created"],
      ["doctor"],
    ];
    for (const args of commands) {
      const { exit, stdout, stderr } = await lostProject.run(...args);
      expect(exit).toBe(1);
      const words = `${stdout}${stderr}`.replace(/\s+/g, " ");
      expect(words).toContain("IVR629");
      expect(words).toContain("ivrctl state init --recover --env test");
    }
    expect(lostProject.created()).toEqual(["A", "B", "C"]);
    expect(() => readFileSync(join(lostProject.path, ".ivrctl/state"))).toThrow("ENOENT");
  });

  test("can be recovered only if it is lost", async () => {
    const lostProject = await recovered();
    const { exit, stderr } = await lostProject.run("state", "init", "--recover");
    expect([exit, stderr]).toEqual([1, expect.stringContaining("There is nothing to recover.")]);
  });
});

describe("a recovered state", () => {
  test("creates nothing until a person has said which menus exist", async () => {
    const lostProject = await recovered();
    expect(await open(lostProject)).toEqual(["unknown a", "unknown b", "unknown c"]);
    expect((await lostProject.apply()).exit).toBe(3);
    expect((await lostProject.resolve("a", "--created")).exit).toBe(0);
    expect(await open(lostProject)).toEqual(["unknown b", "unknown c"]);
    expect((await lostProject.apply()).exit).toBe(3);
    expect((await lostProject.resolve("[bc]", "--created")).exit).toBe(1);
    const done = await lostProject.resolve("*", "--created");
    expect(done.stdout).toContain("The recovered state is complete");
    expect(await open(lostProject)).toEqual([]);
    lostProject.write("ivrs/d.yaml", menu("D"));
    expect((await lostProject.apply()).exit).toBe(0);
    expect(lostProject.created()).toEqual(["A", "B", "C", "D"]);
  });

  test("creates a menu of which a person says that it is absent", async () => {
    const lostProject = await recovered();
    expect((await lostProject.resolve("a=7", "b=8", "--created", "--evidence", "seen")).exit).toBe(
      0,
    );
    expect((await lostProject.resolve("c", "--absent")).stdout).toContain("is complete");
    expect(await open(lostProject)).toEqual(["create c"]);
    expect((await lostProject.apply()).exit).toBe(0);
    expect(lostProject.created()).toEqual(["A", "B", "C", "C"]);
  });

  test("does not end with a request for a menu that has a record", async () => {
    const lostProject = await recovered();
    await lostProject.resolve("a", "--created");
    lostProject.write("ivrs/a.yaml", menu("A", "Front Desk"));
    await lostProject.apply();
    expect(await open(lostProject)).toEqual(["unknown b", "unknown c"]);
    expect(lostProject.created()).toEqual(["A", "A", "B", "C"]);
  });

  test("counts a record under the old key of a menu", async () => {
    const lostProject = await recovered();
    await lostProject.resolve("*", "--created");
    lostProject.remove("ivrs/c.yaml");
    lostProject.write("ivrs/d.yaml", menu("C", "Asha Rao", "moved_from: c"));
    expect((await lostProject.apply()).exit).toBe(0);
    expect(lostProject.created()).toEqual(["A", "B", "C"]);
  });

  test("is complete when all menus are imported from the service", async () => {
    const sandbox = await service({ operations: ["list"] });
    const first = project(sandbox.url, { a: menu("A"), b: menu("B") });
    expect((await first.run("apply", "--auto-approve")).exit).toBe(0);
    const imported = async (menus: Readonly<Record<string, string>>) => {
      const newProject = project(sandbox.url, menus, { operations: ["list"] });
      await newProject.run("state", "init", "--recover");
      expect((await newProject.run("import", "--live")).exit).toBe(0);
      newProject.write("ivrs/new.yaml", menu("New"));
      return open(newProject);
    };
    expect(await imported({})).toEqual(["create new"]);
    expect(await imported({ lost: menu("Lost") })).toEqual(["unknown lost", "unknown new"]);
  });
});
