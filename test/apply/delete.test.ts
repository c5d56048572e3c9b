import { rmSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { applied } from "../support/applied.ts";
import { menu } from "../support/project.ts";
import { codesIn } from "../support/state.ts";

type Applied = Awaited<ReturnType<typeof applied>>;

/** Deletes all files and plans to delete `b`. Later, applies that plan, which must be refused with this code. */
async function savedDelete(project: Applied, meanwhile: () => unknown, code: string) {
  rmSync(join(project.path, "ivrs"), { recursive: true });
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

test("a renamed file is no reason to delete a menu", async () => {
  const project = await applied({ a: menu("A"), b: menu("B") });
  project.remove("ivrs/b.yaml");
  project.write("ivrs/c.yaml", menu("B"));
  const { value } = await project.json("plan", "--allow=delete");
  expect(value.diagnostics).toMatchObject([{ code: "IVR609" }]);
});

test("a menu without an id, and one that the list does not show clearly, is kept", async () => {
  const project = await applied({ a: menu("A"), b: menu("B") });
  await project.run("agents", "pull");
  await project.run("state", "rm", "b", "--auto-approve");
  project.onConsole({ webhook: { menu: 2, option: "1", id: "7" } });
  project.write("ivrs/b.yaml", menu("B", "Front Desk"));
  await project.run("state", "resolve", "b", "--created", "--evidence", "seen");
  project.remove("ivrs/b.yaml");
  const { value } = await project.json("plan", "--allow=delete");
  expect(value.changes).toMatchObject([{ action: "forget", kept: "unidentified" }]);
});

test("a menu is kept if the list of phone numbers lacks one of its numbers", async () => {
  const number = 'numbers: ["+912241234567"]\n';
  const project = await applied({ a: menu("A"), b: menu("B", "Asha Rao", number) });
  project.remove("ivrs/b.yaml");
  await project.restart("truncated=0 on=numbers");
  const { exit, value } = await project.json("apply", "--allow=delete", "--auto-approve");
  expect([exit, value.diagnostics[0].code]).toEqual([1, "IVR635"]);
  expect(value.diagnostics[0].message).toBe(
    "The service does not list 1 phone number on record: +91 22 4123 4567. The list may be cut off, so nothing is deleted, and nothing is created again.",
  );
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
    const [{ code, hint }] = value.diagnostics;
    expect([exit, code]).toEqual([1, "IVR635"]);
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

describe("a number that was bound to the menu, and that the list shows elsewhere", () => {
  const number = "+912241234567";
  const menus = { a: menu("A"), b: menu("B", "Asha Rao", `numbers: ["${number}"]\n`) };
  const words =
    "perhaps +91 22 4123 4567, which was bound to it, although the list does not show that";

  test("may have been bound by a request whose answer was lost", async () => {
    const project = await applied({ a: menu("A"), b: menu("B") });
    project.write("ivrs/b.yaml", menus.b);
    await project.restart("cut on=bind created=yes times=1", "stale=1 on=numbers");
    await project.run("apply", "--auto-approve");
    project.remove("ivrs/b.yaml");
    const { value } = await project.json("plan", "--allow=delete");
    expect(value.diagnostics[0].message).toContain(words);
  });
});

describe("nothing is deleted if the list lacks the old menu of a follow-up", () => {
  /** Menu 1 is the old one of `a`, and menu 3 the old one of `c`. */
  async function replaced() {
    const project = await applied({ a: menu("A"), b: menu("B"), c: menu("C") });
    for (const key of ["a", "c"])
      project.write(
        `ivrs/${key}.yaml`,
        menu(key.toUpperCase(), "Front Desk", "on_change: replace\n"),
      );
    await project.run("apply", "--auto-approve");
    const { value } = await project.json("state", "list");
    // Creates are concurrent, so either follow-up can be the first.
    const followUps: readonly { id: string; key: string }[] = value.follow_ups;
    const ids = ["a", "c"].map(
      (key) => followUps.find((followUp) => followUp.key === key)?.id ?? "",
    );
    return { ...project, ids };
  }

  test("until a person marks it as done", async () => {
    const project = await replaced();
    project.remove("ivrs/b.yaml");
    project.onConsole({ delete: 1 });
    const { exit, value } = await project.json("apply", "--allow=delete", "--auto-approve");
    expect([exit, value.diagnostics]).toMatchObject([1, [{ code: "IVR635" }]]);
    const [{ message, hint }] = value.diagnostics;
    const [id = ""] = project.ids;
    expect(message).toBe(
      `The service does not list 1 old menu on record: follow-up ${id}. The list may be cut off, so nothing is deleted, and nothing is created again.`,
    );
    expect(hint).toContain(`run: ivrctl state done ${id} --env test`);
    expect(project.deletes()).toEqual([]);
    await project.run("state", "done", id);
    const after = await project.json("apply", "--allow=delete", "--auto-approve");
    expect(after.value.summary).toMatchObject({ deleted: 1 });
  });

  test("also when a saved plan is applied", async () => {
    const withOld = await replaced();
    const meanwhile = () => withOld.onConsole({ delete: 1 });
    const message = await savedDelete(withOld, meanwhile, "IVR635");
    expect(message).toContain("The list may be cut off");
  });

  test("also for the menu of another follow-up, unless both are named", async () => {
    const project = await replaced();
    project.onConsole({ delete: 1 });
    const [gone = "", other = ""] = project.ids;
    const done = (...ids: readonly string[]) =>
      project.run("apply", "--auto-approve", "--allow=delete", ...ids.flatMap(oldMenu));
    const refused = await done(other);
    expect([refused.exit, codesIn(refused)]).toEqual([1, ["IVR635"]]);
    expect(project.deletes()).toEqual([]);
    expect((await done(gone, other)).stdout).toContain("test: 1 deleted, 1 forgotten.");
  });
});

function oldMenu(id: string): string[] {
  return ["--target", `old:${id}`];
}

describe("a saved plan", () => {
  test.each([
    ["with files", true],
    ["without files", false],
  ])("deletes nothing that something points to now: %s", async (_, hasFiles) => {
    const project = await applied({ a: menu("A"), b: menu("B") });
    project.remove("ivrs/b.yaml");
    await project.run("plan", "--allow=delete", "--out", "plan.json");
    if (!hasFiles) rmSync(join(project.path, "ivrs"), { recursive: true });
    project.bind("ivr||2");
    const { exit, value } = await project.json("apply", "plan.json");
    expect(exit).toBe(1);
    expect(value.results).toMatchObject([{ outcome: "not_attempted" }]);
    expect(value.diagnostics).toMatchObject([{ code: "IVR640" }]);
    expect(project.deletes()).toEqual([]);
  });

  test("is refused if the service lists a menu again that was gone", async () => {
    const project = await applied({ a: menu("A"), b: menu("B") });
    project.remove("ivrs/b.yaml");
    await project.restart("truncated=1 on=list");
    const planned = await project.json("plan", "--allow=delete", "--out", "plan.json", "--verbose");
    expect(planned.value.changes).toMatchObject([{ action: "forget", gone: "2" }]);
    rmSync(join(project.path, "ivrs"), { recursive: true });
    await project.restart();
    const { exit, value } = await project.json("apply", "plan.json");
    expect([exit, value.diagnostics[0].code]).toEqual([1, "IVR638"]);
  });
});
