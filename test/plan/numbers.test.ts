import { describe, expect, test } from "vitest";
import { applied } from "../support/applied.ts";
import { menu, project, service, until } from "../support/project.ts";
import { stopClock } from "../support/waits.ts";

const config = `version: 1
default_environment: test
environments:
  test:
    service: { base_url: "\${BASE_URL}", token: "\${TOKEN}" }
    operations: [list, numbers]
`;

async function numbersWith(...faults: string[]) {
  const { url } = await service({ operations: ["list", "numbers"], faults });
  const own = project(url, { a: menu("A") });
  own.write("ivrctl.yaml", config);
  return own;
}

test("reports a list that the service refuses", async () => {
  const numbers = await numbersWith("status=403 on=numbers");
  const refused = await numbers.run("numbers");
  expect(refused.exit).toBe(1);
  expect(refused.stderr).toContain("error[IVR503]");
  expect(refused.stderr.replaceAll(/\s+/g, " ")).toContain(
    "is not available: the scope of the token does not include this operation (HTTP 403).",
  );
  const menus = await numbersWith("status=404 on=list");
  const { exit, value } = await menus.json("numbers");
  expect(exit).toBe(1);
  expect(value).toMatchObject({
    environment: "test",
    numbers: [],
    diagnostics: [{ code: "IVR503" }],
  });
});

test("names agents from the agent list, and shows records that it does not understand", async () => {
  const body = JSON.stringify([
    { id: 1, did: "+912241234567", name: "Sales\u001b[2J", destination: "extension||500101" },
    { id: 2, did: "+912241234568", destination: "department||7" },
    { id: 3, did: "+912241234569", destination: "odd" },
    { id: 4, name: "Broken" },
  ]);
  const own = await numbersWith(`status=200 on=numbers body=${body.replaceAll(" ", "")}`);
  own.write("agents.lock.json", '[{ "name": "Asha Rao", "eid": "500101" }]');
  const { exit, stdout, stderr } = await own.run("numbers");
  expect(exit).toBe(0);
  expect(stdout).toContain("Asha Rao (extension 500101)");
  expect(stdout).toContain("department 7");
  expect(stdout).toContain("odd");
  expect(stdout).not.toContain("\u001b");
  expect(stderr).toContain("Broken of the list cannot be read: must have a number.");
});

test("says that there are none", async () => {
  const { stderr } = await (await numbersWith("status=200 on=numbers body=[]")).run("numbers");
  expect(stderr).toContain("The account has no phone numbers.");
});

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
