import { describe, expect, test } from "vitest";
import { applied } from "../support/applied.ts";
import { menu, until } from "../support/project.ts";
import { stopClock } from "../support/waits.ts";

test("an unknown outcome of a number that left the account is shown everywhere until it is resolved", async () => {
  const number = "+912241234567";
  const project = await applied({ a: menu("A") });
  project.write("ivrs/a.yaml", menu("A", "Asha Rao", `numbers: ["${number}"]\n`));
  await project.restart("status=429 retry-after=2 on=bind");
  const clock = stopClock();
  const first = project.run("apply", "--auto-approve");
  await until(() => clock.waits.includes(2000));
  await project.restart("cut on=bind", "truncated=0 on=numbers");
  expect((await clock.passUntil(first)).exit).toBe(3);
  project.write("ivrs/a.yaml", menu("A"));
  const resolve = ["state", "resolve", number, "--absent"];
  const command = `ivrctl ${resolve.join(" ")} --env test`;
  const plan = await project.json("plan", "--detailed-exitcode");
  expect([plan.exit, plan.value.matters]).toMatchObject([2, [{ kind: "unknown-bind" }]]);
  expect(plan.value.matters[0].fix[0]).toContain(command);
  const apply = await project.json("apply", "--auto-approve");
  expect([apply.exit, apply.value.matters]).toMatchObject([3, [{ kind: "unknown-bind" }]]);
  expect((await project.run("state", "list")).stdout).toContain(command);
  expect((await project.run("doctor")).stdout.replaceAll(/\s+/g, " ")).toContain(command);
  await project.run(...resolve);
  expect((await project.run("plan", "--detailed-exitcode")).exit).toBe(0);
  expect((await project.run("apply", "--auto-approve")).exit).toBe(0);
});

describe("a number that points to a menu that is gone", () => {
  const number = "+912241234567";
  const withNumber = (name: string) => menu(name, "Asha Rao", `numbers: ["${number}"]\n`);

  test("is bound if ivrctl bound it to that menu, or if its menu had it before", async () => {
    const project = await applied({ a: withNumber("A"), b: menu("B") });
    project.onConsole({ delete: 1 });
    project.remove("ivrs/a.yaml");
    await project.run("state", "rm", "a", "--auto-approve");
    project.write("ivrs/b.yaml", withNumber("B"));
    const plan = await project.json("plan");
    expect([plan.exit, plan.value.diagnostics]).toEqual([0, []]);
    await project.run("apply", "--auto-approve");
    project.bind("ivr||77");
    expect((await project.json("plan")).value).toMatchObject({
      summary: { bind: 1 },
      diagnostics: [],
    });
  });

  test("needs permission if neither is recorded, or if the list may be cut off", async () => {
    const project = await applied({ a: menu("A"), b: withNumber("B") });
    project.bind("ivr||77");
    project.write("ivrs/a.yaml", withNumber("A"));
    project.write("ivrs/b.yaml", menu("B"));
    const { exit, value } = await project.json("plan");
    expect([exit, value.diagnostics]).toMatchObject([1, [{ code: "IVR667" }]]);
    const words = "points to menu 77, which does not exist, and not to a recorded menu.";
    expect(value.diagnostics[0].message).toBe(`+91 22 4123 4567 ${words}`);
    project.write("ivrs/a.yaml", menu("A"));
    project.write("ivrs/b.yaml", withNumber("B"));
    project.onConsole({ delete: 1 });
    const moved = await project.json("plan");
    expect(moved.value.matters).toMatchObject([{ kind: "missing" }, { kind: "number-moved" }]);
  });
});
