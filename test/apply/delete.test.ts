import { describe, expect, test } from "vitest";
import { applied } from "../support/applied.ts";
import { menu, until } from "../support/project.ts";

type Applied = Awaited<ReturnType<typeof applied>>;

/** Deletes the file of `b` and plans to delete it. Later, applies that plan, which must be refused with this code. */
async function savedDelete(project: Applied, meanwhile: () => unknown, code: string) {
  project.remove("ivrs/b.yaml");
  await project.run("plan", "--target", "b", "--allow=delete", "--out", "plan.json");
  await meanwhile();
  const { value } = await project.json("apply", "plan.json");
  expect(value.diagnostics).toMatchObject([{ code }]);
  expect(value.results).toMatchObject([{ key: "b", outcome: "not_attempted" }]);
  expect(project.deletes()).toEqual([]);
  return value.diagnostics[0].message;
}

test("the environment can allow it, and the option needs the operation", async () => {
  const project = await applied({ a: menu("A"), b: menu("B") });
  project.remove("ivrs/b.yaml");
  const actionOf = async (...args: string[]) =>
    (await project.json("plan", ...args)).value.changes[0].action;
  expect(await actionOf()).toBe("forget");
  project.configure({ allow: ["delete"] });
  expect(await actionOf()).toBe("delete");
  project.configure({ operations: ["list"] });
  expect(await actionOf()).toBe("forget");
  const { exit, value } = await project.json("plan", "--allow=delete");
  expect([exit, value.diagnostics[0].code]).toEqual([1, "IVR424"]);
  expect(project.deletes()).toEqual([]);
});

describe("nothing is deleted if the list of phone numbers lacks one of another menu", () => {
  const number = "+912241234569";
  const menus = { a: menu("A", "Asha Rao", `numbers: ["${number}"]\n`), b: menu("B") };

  test("until a person records that the account does not have it any more", async () => {
    const project = await applied(menus);
    project.write("ivrs/a.yaml", menu("A"));
    project.remove("ivrs/b.yaml");
    await project.restart("truncated=1 on=numbers");
    const { exit, value } = await project.json("apply", "--allow=delete", "--auto-approve");
    const [{ code, message, hint }] = value.diagnostics;
    expect([exit, code]).toEqual([1, "IVR635"]);
    expect(message).toBe(
      "The service does not list 1 recorded phone number: +91 22 4123 4569. The list may be cut off, so nothing is deleted, and nothing is created again.",
    );
    const resolve = ["state", "resolve", number, "--absent"];
    expect(hint).toContain(`run: ivrctl ${resolve.join(" ")} --env test`);
    expect(project.deletes()).toEqual([]);
    expect((await project.run(...resolve)).exit).toBe(0);
    const after = await project.json("apply", "--allow=delete", "--auto-approve");
    expect(after.value.summary).toMatchObject({ deleted: 1 });
  });

  test("also when a saved plan is applied", async () => {
    const bound = await applied(menus);
    const meanwhile = () => bound.restart("truncated=1 on=numbers");
    const message = await savedDelete(bound, meanwhile, "IVR635");
    expect(message).toContain("The list may be cut off");
  });

  test("also if the number was not bound by ivrctl", async () => {
    const project = await applied({ a: menu("A"), b: menu("B") });
    project.onConsole({ number: "903", binding: { destination: "ivr||1" } });
    project.write("ivrs/a.yaml", menus.a);
    await project.run("apply", "--auto-approve");
    project.write("ivrs/a.yaml", menu("A"));
    project.remove("ivrs/b.yaml");
    await project.restart("truncated=1 on=numbers");
    const { value } = await project.json("plan", "--allow=delete");
    expect(value.diagnostics).toMatchObject([{ code: "IVR635" }]);
    const created = await project.run("state", "resolve", number, "--created");
    expect(created.stderr).toContain("has no record");
    await project.run("state", "resolve", number, "--absent");
    const after = await project.json("plan", "--allow=delete");
    expect(after.value.diagnostics).toEqual([]);
  });
});

test("a number may have been bound to the menu by a request whose answer was lost", async () => {
  const project = await applied({ a: menu("A"), b: menu("B") });
  project.write("ivrs/b.yaml", menu("B", "Asha Rao", 'numbers: ["+912241234567"]\n'));
  await project.restart("cut on=bind created=yes times=1", "stale=1 on=numbers");
  await project.run("apply", "--auto-approve");
  project.remove("ivrs/b.yaml");
  const { value } = await project.json("plan", "--allow=delete");
  expect(value.diagnostics[0].message).toContain(
    "perhaps +91 22 4123 4567, which was bound to it, although the list does not show that",
  );
});

test("a number of a menu that is gone follows to another menu although a delete has an unknown outcome", async () => {
  const number = 'numbers: ["+912241234567"]\n';
  const project = await applied({ a: menu("A", "Asha Rao", number), b: menu("B"), c: menu("C") });
  project.remove("ivrs/b.yaml");
  await project.restart("silence on=delete created=yes");
  const deleting = project.run("apply", "--auto-approve", "--allow=delete");
  await until(() => project.deletes().length === 1);
  await project.restart("truncated=0 on=list");
  expect((await deleting).exit).toBe(3);
  const { value: before } = await project.json("state", "list");
  const a = before.menus.find(({ key }: { key: string }) => key === "a");
  project.onConsole({ delete: Number(a.current.identified.id) });
  project.remove("ivrs/a.yaml");
  project.write("ivrs/c.yaml", menu("C", "Asha Rao", number));
  await project.restart();
  const { value } = await project.json("apply", "--auto-approve", "--allow=delete");
  expect(value.results).toMatchObject([
    { key: "a", outcome: "forgotten" },
    { key: "b", outcome: "unknown" },
    { key: "c", outcome: "bound" },
  ]);
});

test("nothing is deleted if the list lacks the old menu of a follow-up, until a person marks it as done", async () => {
  const project = await applied({ a: menu("A"), b: menu("B") });
  project.write("ivrs/a.yaml", menu("A", "Front Desk", "on_change: replace\n"));
  await project.run("apply", "--auto-approve");
  project.remove("ivrs/b.yaml");
  project.onConsole({ delete: 1 });
  const { exit, value } = await project.json("apply", "--allow=delete", "--auto-approve");
  expect([exit, value.diagnostics]).toMatchObject([1, [{ code: "IVR635" }]]);
  const [{ message, hint }] = value.diagnostics;
  expect(message).toBe(
    "The service does not list 1 recorded old menu: follow-up F1. The list may be cut off, so nothing is deleted, and nothing is created again.",
  );
  expect(hint).toContain("run: ivrctl state done F1 --env test");
  expect(project.deletes()).toEqual([]);
  await project.run("state", "done", "F1");
  const after = await project.json("apply", "--allow=delete", "--auto-approve");
  expect(after.value.summary).toMatchObject({ deleted: 1 });
});

describe("a saved plan", () => {
  test("deletes nothing that something points to now", async () => {
    const project = await applied({ a: menu("A"), b: menu("B") });
    project.remove("ivrs/b.yaml");
    await project.run("plan", "--allow=delete", "--out", "plan.json");
    project.bind("ivr||2");
    const { exit, value } = await project.json("apply", "plan.json");
    expect(exit).toBe(1);
    expect(value.results).toMatchObject([{ outcome: "not_attempted" }]);
    expect(value.diagnostics).toMatchObject([{ code: "IVR640" }]);
    expect(project.deletes()).toEqual([]);
  });

  test.each(["1", "3"])("deletes no menu of a circle if menu %s has to stay", async (id) => {
    const circle = { a: menu("A", "{ menu: b }"), b: menu("B", "{ menu: a }") };
    const project = await applied({ ...circle, c: menu("C") });
    for (const key of Object.keys(circle)) project.remove(`ivrs/${key}.yaml`);
    await project.run("plan", "--allow=delete", "--out", "plan.json");
    project.bind(`ivr||${id}`);
    const { value } = await project.json("apply", "plan.json");
    expect(value.summary).toMatchObject({ not_attempted: 2 });
    expect(project.deletes()).toEqual([]);
  });

  test("is refused if the service lists a menu again that was gone", async () => {
    const project = await applied({ a: menu("A"), b: menu("B") });
    project.remove("ivrs/b.yaml");
    await project.restart("truncated=1 on=list");
    const planned = await project.json("plan", "--allow=delete", "--out", "plan.json", "--verbose");
    expect(planned.value.changes).toMatchObject([{ action: "forget", gone: "2" }]);
    await project.restart();
    const { exit, value } = await project.json("apply", "plan.json");
    expect([exit, value.diagnostics[0].code]).toEqual([1, "IVR638"]);
  });
});
