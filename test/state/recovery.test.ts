import { readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { ivrctl } from "../support/commands.ts";
import { menu, namesOf, project, service } from "../support/project.ts";

/** A project whose three menus are on the service, but whose state is lost. */
async function lost() {
  const sandbox = await service();
  const own = project(sandbox.url, { a: menu("A"), b: menu("B"), c: menu("C") });
  expect((await own.run("apply", "--auto-approve")).exit).toBe(0);
  await own.run("agents", "pull");
  rmSync(join(own.path, ".ivrctl"), { recursive: true });
  const run = (...args: string[]) => ivrctl(args, { cwd: own.path, env: own.env });
  const apply = (...args: string[]) => run("apply", "--auto-approve", ...args);
  const resolve = (...args: string[]) => run("state", "resolve", "--auto-approve", ...args);
  return { ...own, run, apply, resolve, created: () => namesOf(sandbox.records) };
}

/** The same after `state init --recover`. */
async function recovered() {
  const own = await lost();
  expect((await own.run("state", "init", "--recover")).exit).toBe(0);
  return own;
}

const open = async ({ json }: Pick<Awaited<ReturnType<typeof lost>>, "json">) => {
  const { value } = await json("plan");
  return value.changes.map(({ key, action }: Record<string, string>) => `${action} ${key}`);
};

describe("a state that was lost", () => {
  test("is refused on every machine, and nothing is created or written", async () => {
    const own = await lost();
    const commands = [
      ["plan"],
      ["apply", "--auto-approve"],
      ["state", "list"],
      ["state", "init"],
      ["state", "resolve", "a", "--created"],
      ["doctor"],
    ];
    for (const args of commands) {
      const { exit, stdout, stderr } = await own.run(...args);
      expect(exit).toBe(1);
      const words = `${stdout}${stderr}`.replace(/\s+/g, " ");
      expect(words).toContain("IVR629");
      expect(words).toContain("ivrctl state init --recover --env test");
    }
    expect(own.created()).toEqual(["A", "B", "C"]);
    expect(() => readFileSync(join(own.path, ".ivrctl/state"))).toThrow("ENOENT");
  });

  test("can be recovered only if it is lost", async () => {
    const own = await recovered();
    const { exit, stderr } = await own.run("state", "init", "--recover");
    expect([exit, stderr]).toEqual([1, expect.stringContaining("There is nothing to recover.")]);
  });
});

describe("a recovered state", () => {
  test("creates nothing until a person has said which menus exist", async () => {
    const own = await recovered();
    expect(await open(own)).toEqual(["unknown a", "unknown b", "unknown c"]);
    expect((await own.apply()).exit).toBe(3);
    expect((await own.resolve("a", "--created")).exit).toBe(0);
    expect(await open(own)).toEqual(["unknown b", "unknown c"]);
    expect((await own.apply()).exit).toBe(3);
    expect((await own.resolve("[bc]", "--created")).exit).toBe(1);
    const done = await own.resolve("*", "--created");
    expect(done.stdout).toContain("The recovered state is complete");
    expect(await open(own)).toEqual([]);
    own.write("ivrs/d.yaml", menu("D"));
    expect((await own.apply()).exit).toBe(0);
    expect(own.created()).toEqual(["A", "B", "C", "D"]);
  });

  test("creates a menu of which a person says that it is absent", async () => {
    const own = await recovered();
    expect((await own.resolve("a=7", "b=8", "--created", "--evidence", "seen")).exit).toBe(0);
    expect((await own.resolve("c", "--absent")).stdout).toContain("is complete");
    expect(await open(own)).toEqual(["create c"]);
    expect((await own.apply()).exit).toBe(0);
    expect(own.created()).toEqual(["A", "B", "C", "C"]);
  });

  test("does not end with a request for a menu that has a record", async () => {
    const own = await recovered();
    await own.resolve("a", "--created");
    own.write("ivrs/a.yaml", menu("A", "Front Desk"));
    await own.apply();
    expect(await open(own)).toEqual(["unknown b", "unknown c"]);
    expect(own.created()).toEqual(["A", "A", "B", "C"]);
  });

  test("counts a record under the old key of a menu", async () => {
    const own = await recovered();
    await own.resolve("*", "--created");
    own.remove("ivrs/c.yaml");
    own.write("ivrs/d.yaml", menu("C", "Asha Rao", "moved_from: c"));
    expect((await own.apply()).exit).toBe(0);
    expect(own.created()).toEqual(["A", "B", "C"]);
  });

  test("is complete when all menus are imported from the service", async () => {
    const sandbox = await service({ operations: ["list"] });
    const first = project(sandbox.url, { a: menu("A"), b: menu("B") });
    expect((await first.run("apply", "--auto-approve")).exit).toBe(0);
    const imported = async (menus: Readonly<Record<string, string>>) => {
      const own = project(sandbox.url, menus, { operations: ["list"] });
      await own.run("state", "init", "--recover");
      expect((await own.run("import", "--live")).exit).toBe(0);
      own.write("ivrs/new.yaml", menu("New"));
      return open(own);
    };
    expect(await imported({})).toEqual(["create new"]);
    expect(await imported({ lost: menu("Lost") })).toEqual(["unknown lost", "unknown new"]);
  });
});
