import { describe, expect, test } from "vitest";
import { applied } from "../support/applied.ts";
import { menu, until } from "../support/project.ts";
import { stopClock } from "../support/waits.ts";

const number = "+912241234567";
const apply = ["apply", "--auto-approve", "--allow=delete"];
const described = (text: string) => menu("A").replace("A menu called A", text);

describe("while a request waits after HTTP 429", () => {
  /** Runs an apply whose first request waits 8 s, and changes something on the console meanwhile. */
  async function during(
    on: string,
    project: Awaited<ReturnType<typeof applied>>,
    change: () => void,
  ) {
    await project.restart(`status=429 retry-after=8 on=${on} times=1`);
    const clock = stopClock();
    const running = project.json(...apply);
    await until(() => clock.waits.includes(8000));
    change();
    const { exit, value } = await clock.passUntil(running);
    expect(exit).toBe(1);
    return value.results;
  }

  test("a menu that somebody changes is not updated", async () => {
    const project = await applied({ a: menu("A") });
    project.write("ivrs/a.yaml", described("New"));
    const results = await during("update", project, () =>
      project.onConsole({ webhook: { menu: 1, option: "1", id: "7" } }),
    );
    const message = "somebody changed it on the console since the plan was made: webhooks";
    expect(results).toMatchObject([{ outcome: "not_attempted", attempts: 1, message }]);
    expect(project.updates()).toHaveLength(1);
    expect(project.journal().at(-1).event).toMatchObject({ as: "not-done", status: 429 });
  });

  test.each(["update", "delete"])("a menu with other content now: no %s", async (on) => {
    const project = await applied({ a: menu("A"), b: menu("B") });
    if (on === "delete") project.remove("ivrs/b.yaml");
    else project.write("ivrs/b.yaml", menu("B", "Front Desk"));
    const { value: state } = await project.json("state", "list");
    const { current } = state.keys.find(({ key }: { key: string }) => key === "b");
    const changed = { ...current.payload, description: "Changed" };
    const results = await during(on, project, () =>
      project.onConsole({ update: Number(current.identified.id), payload: changed }),
    );
    const message =
      "somebody changed it on the console since the plan was made: description: “A menu called B” → “Changed”";
    expect(results).toMatchObject([{ outcome: "not_attempted", attempts: 1, message }]);
    expect(results[0].changed).toMatchObject([{ field: "description", after: "Changed" }]);
    expect([...project.updates(), ...project.deletes()]).toHaveLength(1);
  });

  test("a number that points to another menu of the project now is not bound", async () => {
    const project = await applied({ a: menu("A"), b: menu("B") });
    project.write("ivrs/a.yaml", menu("A", "Asha Rao", `numbers: ["${number}"]\n`));
    const { value: state } = await project.json("state", "list");
    const { current } = state.keys.find(({ key }: { key: string }) => key === "b");
    const results = await during("bind", project, () =>
      project.bind(`ivr||${current.identified.id}`),
    );
    expect(results).toMatchObject([{ bind: [{ outcome: "not_attempted", attempts: 1 }] }]);
  });

  test("a menu that a number points to now is not deleted", async () => {
    const project = await applied({ a: menu("A"), b: menu("B") });
    project.remove("ivrs/b.yaml");
    const results = await during("delete", project, () => project.bind("ivr||2"));
    const message = "something points to it: +91 22 4123 4567";
    expect(results).toMatchObject([{ outcome: "not_attempted", attempts: 1, message }]);
    expect(project.deletes()).toHaveLength(1);
  });

  test.each([
    ["a number that points elsewhere now", (project: Project) => project.bind("extension||500102")],
    ["a number whose menu is gone", (project: Project) => project.onConsole({ delete: 1 })],
  ])("%s is not bound", async (_, change) => {
    const project = await applied({ a: menu("A") });
    project.write("ivrs/a.yaml", menu("A", "Asha Rao", `numbers: ["${number}"]\n`));
    const results = await during("bind", project, () => change(project));
    expect(results).toMatchObject([{ bind: [{ outcome: "not_attempted", attempts: 1 }] }]);
    expect(project.updates()).toHaveLength(1);
  });
});

type Project = Awaited<ReturnType<typeof applied>>;

test("a change on the console is seen while many updates keep to the pace", async () => {
  const keys = Array.from({ length: 10 }, (_, at) => `m${at}`);
  const project = await applied(Object.fromEntries(keys.map((key) => [key, menu(key)])));
  project.configure({ service: "requests_per_second: 1" });
  for (const key of keys) project.write(`ivrs/${key}.yaml`, menu(key, "Front Desk"));
  const clock = stopClock();
  const running = project.json(...apply);
  await clock.passUntil(until(() => project.updates().length >= 2));
  project.onConsole({ webhook: { menu: 10, option: "1", id: "7" } });
  const { value } = await clock.passUntil(running);
  expect(value.summary).toMatchObject({ updated: 9, not_attempted: 1 });
});

test("a menu is deleted only after a list shows what became of one that links to it", async () => {
  const project = await applied({ a: menu("A", "{ menu: b }"), b: menu("B"), c: menu("C") });
  for (const key of ["a", "b"]) project.remove(`ivrs/${key}.yaml`);
  await project.restart("cut on=delete created=yes times=1");
  const { value } = await project.json(...apply);
  expect(value.results).toMatchObject([
    { key: "a", outcome: "deleted" },
    { key: "b", outcome: "deleted" },
  ]);
  const events = project.journal().map(({ event }) => event);
  const about = events.filter(({ action }) => action === "delete").slice(0, 4);
  expect(about.map(({ kind, key, how, as }) => [kind, key, how, as])).toEqual([
    ["intent", "a", undefined, undefined],
    ["outcome", "a", "answer", "unknown"],
    ["outcome", "a", "list", "done"],
    ["intent", "b", undefined, undefined],
  ]);
});

test("a menu stays while no list shows what became of one that links to it", async () => {
  const project = await applied({ a: menu("A", "{ menu: b }"), b: menu("B"), c: menu("C") });
  const { value: state } = await project.json("state", "list");
  const other = state.keys.find(({ key }: { key: string }) => key === "c");
  for (const key of ["a", "b"]) project.remove(`ivrs/${key}.yaml`);
  project.configure({ service: "requests_per_second: 0.1" });
  await project.restart("cut on=delete created=yes times=1");
  const clock = stopClock();
  const running = project.json(...apply);
  await clock.passUntil(until(() => project.deletes().length === 1));
  // The list lacks a menu on record, so that it may be cut off.
  project.onConsole({ delete: Number(other.current.identified.id) });
  const { value } = await clock.passUntil(running);
  expect(value.results).toMatchObject([
    { key: "a", outcome: "unknown" },
    { key: "b", outcome: "not_attempted" },
  ]);
  expect(project.deletes()).toHaveLength(1);
});
