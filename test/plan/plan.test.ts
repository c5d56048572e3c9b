import { lstatSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { ivrctl } from "../support/commands.ts";
import { menu, project, service } from "../support/project.ts";

test("accepts the address of the state with a trailing slash", async () => {
  const { url } = await service();
  const { run, path } = project(url, { desk: menu("Desk") });
  await run("apply", "--auto-approve");
  const env = { BASE_URL: `${url}/`, TOKEN: "t" };
  expect((await ivrctl(["plan"], { cwd: path, env })).exit).toBe(0);
});

describe("--out", () => {
  test("writes to a link or a device, and never replaces it", async () => {
    const { url } = await service();
    const { run, path } = project(url, { desk: menu("Desk") });
    writeFileSync(join(path, "real.json"), "old");
    symlinkSync("real.json", join(path, "link.json"));
    await run("plan", "--out", "link.json");
    expect(lstatSync(join(path, "link.json")).isSymbolicLink()).toBe(true);
    expect(JSON.parse(readFileSync(join(path, "real.json"), "utf8"))).toMatchObject({
      plan: { steps: [{ ref: "menu:desk" }] },
    });
    expect((await run("plan", "--out", "/dev/null")).exit).toBe(0);
    expect(lstatSync("/dev/null").isCharacterDevice()).toBe(true);
    const toFolder = await run("plan", "--out", "ivrs");
    expect([toFolder.exit, toFolder.stderr]).toEqual([1, expect.stringContaining("IVR121")]);
  });
});

test("a blocked agent holds back only the menus that name them", async () => {
  const { url } = await service();
  const { run } = project(url, { a: menu("A", "Meera Joshi"), b: menu("B") });
  const planned = await run("plan", "--out", "plan.json");
  expect([planned.exit, planned.stdout]).toEqual([
    1,
    expect.stringContaining("Plan: 1 to create, 1 held back; 0 unchanged."),
  ]);
  const applied = await run("apply", "plan.json");
  expect([applied.exit, applied.stdout]).toEqual([
    1,
    expect.stringContaining("1 created, 1 held back."),
  ]);
  expect((await run("apply", "--auto-approve")).stdout).toContain("1 held back.");
});

test("an agent who is blocked later fails the plan of a menu that does not change", async () => {
  const { url } = await service();
  const { run, write } = project(url, { a: menu("A") });
  await run("apply", "--auto-approve");
  const headers = { authorization: "Bearer any" };
  const agents = await (await fetch(`${url}/v1/agents`, { headers })).text();
  write("agents.json", agents.replaceAll('"custom_status":0', '"custom_status":1'));
  const planned = await run("plan", "--agents", "agents.json", "--detailed-exitcode");
  expect([planned.exit, planned.stdout]).toEqual([
    1,
    expect.stringMatching(
      /Callers who press 1 in A reach nobody\.[^]*Nothing is sent: 1 unchanged/,
    ),
  ]);
});

test("the document of --format json is a plan file", async () => {
  const { url } = await service();
  const { run, write } = project(url, { a: menu("A") });
  const { stdout } = await run("plan", "--format", "json");
  write("plan.json", stdout);
  expect(await run("apply", "plan.json")).toMatchObject({ exit: 0 });
  write("plan.json", stdout.replace('"refused": false', '"refused": true'));
  expect((await run("apply", "plan.json")).stderr).toContain("it was changed after");
});
