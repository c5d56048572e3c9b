import { rmSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { applied } from "../support/applied.ts";
import { payload } from "../support/import.ts";
import { menu, until } from "../support/project.ts";
import { stopClock } from "../support/waits.ts";

type Project = Awaited<ReturnType<typeof applied>>;

/** A project with the applied menu A, and the file of a new menu B. */
async function withNew(): Promise<Project> {
  const project = await applied({ a: menu("A") });
  project.write("ivrs/b.yaml", menu("B"));
  return project;
}

/** Somebody creates a menu on the console. */
function onConsole(project: Project, name: string): void {
  const made = { option: ["1"], destination: ["extension||500101"] };
  project.onConsole({ payload: { ...payload, ...made, name, description: "From the console" } });
}

const apply = ["apply", "--auto-approve"];

test("a create is held back, and everything else is applied", async () => {
  const project = await withNew();
  onConsole(project, "B");
  project.write("ivrs/c.yaml", menu("C"));
  const plan = await project.json("plan");
  expect(plan).toMatchObject({ exit: 1, value: { refused: false } });
  expect(plan.value.summary).toMatchObject({ create: 1, blocked: 1 });
  expect(plan.value.matters).toMatchObject([{ code: "IVR639", refs: ["menu:b"], exit: 1 }]);
  const { exit, value } = await project.json(...apply);
  expect([exit, value.summary]).toMatchObject([1, { created: 1, not_attempted: 1 }]);
  expect(project.created()).toEqual(["A", "B", "C"]);
});

test("a menu is created if that is allowed, and with a plan that was made with the permission", async () => {
  const project = await withNew();
  onConsole(project, "B");
  await project.run("plan", "--out", "held.json");
  expect((await project.run("plan", "--allow=same-name", "--out", "p.json")).exit).toBe(0);
  const held = await project.json("apply", "held.json");
  expect([held.exit, project.created()]).toEqual([1, ["A", "B"]]);
  expect((await project.run("apply", "p.json")).exit).toBe(0);
  expect(project.created()).toEqual(["A", "B", "B"]);
});

test("the menu is recorded, and then updated to what its file says", async () => {
  const project = await withNew();
  onConsole(project, "B");
  await project.run("agents", "pull");
  const resolved = await project.run("state", "resolve", "b=2", "--created", "--evidence=console");
  expect(resolved.exit).toBe(0);
  expect((await project.json(...apply)).value.summary).toMatchObject({ updated: 1 });
  expect(project.created()).toEqual(["A", "B"]);
});

test("a name that appears after the plan holds back the create of a saved plan", async () => {
  const project = await withNew();
  project.write("ivrs/c.yaml", menu("C"));
  expect((await project.run("plan", "--out", "p.json")).exit).toBe(0);
  onConsole(project, "B");
  const { exit, value } = await project.json("apply", "p.json");
  expect([exit, value.summary]).toMatchObject([1, { created: 1, not_attempted: 1 }]);
  expect(value.matters).toMatchObject([{ code: "IVR639" }]);
  expect(project.created()).toEqual(["A", "B", "C"]);
  await project.run("agents", "pull");
  await project.run("state", "resolve", "b=2", "--created", "--evidence=console");
  expect((await project.run("apply", "p.json")).exit).toBe(1);
  expect(project.created()).toEqual(["A", "B", "C"]);
});

test("a name that appears while creates keep to the pace holds back its create", async () => {
  const project = await applied({ a: menu("A") });
  project.configure({ service: "requests_per_second: 1" });
  const names = Array.from({ length: 10 }, (_, at) => `M${at}`);
  for (const name of names) project.write(`ivrs/${name}.yaml`, menu(name));
  const clock = stopClock();
  const running = project.json(...apply);
  await clock.passUntil(until(() => project.created().length >= 3));
  onConsole(project, "M9");
  const { exit, value } = await clock.passUntil(running);
  expect([exit, value.summary]).toMatchObject([1, { created: 9, not_attempted: 1 }]);
  expect(project.created()).toEqual(["A", ...names]);
});

test("after a recovery, a menu that was recorded as absent by mistake is not created again", async () => {
  const project = await applied({ a: menu("A") });
  await project.run("agents", "pull");
  rmSync(join(project.path, ".ivrctl"), { recursive: true });
  await project.run("state", "init", "--recover");
  expect((await project.run("state", "resolve", "a", "--absent")).exit).toBe(0);
  const { exit, value } = await project.json(...apply);
  expect([exit, value.summary]).toMatchObject([1, { not_attempted: 1 }]);
  expect(project.created()).toEqual(["A"]);
  await project.run("state", "resolve", "a=1", "--created", "--evidence=console");
  expect((await project.json("plan")).value.summary).toMatchObject({ unchanged: 1 });
});
