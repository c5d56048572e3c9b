import { describe, expect, test } from "vitest";
import { applied } from "../support/applied.ts";
import { menu, until } from "../support/project.ts";
import { stopClock } from "../support/waits.ts";

test("an unknown outcome of a number that left the account is shown everywhere until it is resolved", async () => {
  const number = "+912241234567";
  const own = await applied({ a: menu("A") });
  own.write("ivrs/a.yaml", menu("A", "Asha Rao", `numbers: ["${number}"]\n`));
  await own.restart("status=429 retry-after=2 on=bind");
  const clock = stopClock();
  const first = own.run("apply", "--auto-approve");
  await until(() => clock.waits.includes(2000));
  await own.restart("cut on=bind", "truncated=0 on=numbers");
  expect((await clock.passUntil(first)).exit).toBe(3);
  own.write("ivrs/a.yaml", menu("A"));
  const resolve = ["state", "resolve", number, "--absent"];
  const command = `ivrctl ${resolve.join(" ")} --env test`;
  const plan = await own.json("plan", "--detailed-exitcode");
  expect([plan.exit, plan.value.diagnostics]).toMatchObject([2, [{ code: "IVR670" }]]);
  expect(plan.value.diagnostics[0].hint).toContain(command);
  const apply = await own.json("apply", "--auto-approve");
  expect([apply.exit, apply.value.diagnostics]).toMatchObject([3, [{ code: "IVR670" }]]);
  expect((await own.run("state", "list")).stdout).toContain(command);
  expect((await own.run("doctor")).stdout.replaceAll(/\s+/g, " ")).toContain(command);
  await own.run(...resolve);
  expect((await own.run("plan", "--detailed-exitcode")).exit).toBe(0);
  expect((await own.run("apply", "--auto-approve")).exit).toBe(0);
});

describe("a number that points to a menu that is gone", () => {
  const number = "+912241234567";
  const withNumber = (name: string) => menu(name, "Asha Rao", `numbers: ["${number}"]\n`);

  test("is bound if ivrctl bound it to that menu, or if its menu had it before", async () => {
    const own = await applied({ a: withNumber("A"), b: menu("B") });
    own.onConsole({ delete: 1 });
    own.remove("ivrs/a.yaml");
    await own.run("state", "rm", "a", "--auto-approve");
    own.write("ivrs/b.yaml", withNumber("B"));
    const plan = await own.json("plan");
    expect([plan.exit, plan.value.diagnostics]).toEqual([0, []]);
    await own.run("apply", "--auto-approve");
    own.bind("ivr||77");
    expect((await own.json("plan")).value).toMatchObject({ summary: { bind: 1 }, diagnostics: [] });
  });

  test("needs permission if neither is on record, or if the list may be cut off", async () => {
    const own = await applied({ a: menu("A"), b: withNumber("B") });
    own.bind("ivr||77");
    own.write("ivrs/a.yaml", withNumber("A"));
    own.write("ivrs/b.yaml", menu("B"));
    const { exit, value } = await own.json("plan");
    expect([exit, value.diagnostics]).toMatchObject([1, [{ code: "IVR667" }]]);
    const words = "points to menu 77, which does not exist, and not to a menu on record.";
    expect(value.diagnostics[0].message).toBe(`+91 22 4123 4567 ${words}`);
    own.write("ivrs/a.yaml", menu("A"));
    own.write("ivrs/b.yaml", withNumber("B"));
    own.onConsole({ delete: 1 });
    expect((await own.json("plan")).value.diagnostics).toMatchObject([{ code: "IVR667" }]);
  });
});
