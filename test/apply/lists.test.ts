import { encode } from "../../src/deploy/service/encode-payload.ts";
import { standardWire } from "../../src/project/environment.ts";
import { describe, expect, test } from "vitest";
import { applied } from "../support/applied.ts";
import { menu, until } from "../support/project.ts";
import { stopClock } from "../support/waits.ts";
import { RecentLists } from "../../src/deploy/apply/recent-lists.ts";
import type { Recorder } from "../../src/deploy/apply/recorder.ts";
import { LiveMenus } from "../../src/deploy/listed/live-menus.ts";
import { clock as real } from "../support/host.ts";

type Project = Awaited<ReturnType<typeof applied>>;

const apply = ["apply", "--auto-approve", "--allow=delete"];
const other = menu("A", "Front Desk");
const bound = menu("A", "Asha Rao", 'numbers: ["+912241234567"]\n');

/** Somebody changes `a` on the console. */
function changeContent(project: Project) {
  const { event } = project.journal().find(({ event: { key } }) => key === "a");
  project.onConsole({
    update: 1,
    payload: { ...encode(event.menu, standardWire), description: "Changed" },
  });
}

// The goldens of apply show the words.
test.each<[string, on: string, file: string | undefined, (project: Project) => void]>([
  ["no update of a menu with other content", "update", other, changeContent],
  [
    "no update of a menu with a webhook",
    "update",
    other,
    (project) => project.onConsole({ webhook: { menu: 1, option: "1", id: "7" } }),
  ],
  ["no delete of a menu with other content", "delete", undefined, changeContent],
  [
    "no delete of a menu that a number points to",
    "delete",
    undefined,
    (project) => project.bind("ivr||1"),
  ],
  [
    "no bind of a number of another menu of the project",
    "bind",
    bound,
    (project) => project.bind("ivr||2"),
  ],
  [
    "no bind of a number that points elsewhere",
    "bind",
    bound,
    (project) => project.bind("extension||500102"),
  ],
  ["no bind to a menu that is gone", "bind", bound, (project) => project.onConsole({ delete: 1 })],
])("after a wait because of HTTP 429: %s", async (_, on, file, change) => {
  const project = await applied({ a: menu("A") });
  project.write("ivrs/b.yaml", menu("B"));
  await project.run("apply", "--auto-approve");
  if (file === undefined) project.remove("ivrs/a.yaml");
  else project.write("ivrs/a.yaml", file);
  await project.restart(`status=429 retry-after=8 on=${on} times=1`);
  const clock = stopClock();
  const running = project.json(...apply);
  await until(() => clock.waits.includes(8000));
  change(project);
  const { exit, value } = await clock.passUntil(running);
  expect(exit).toBe(1);
  const [result] = value.results;
  expect(result.bind?.[0] ?? result).toMatchObject({ outcome: "not_attempted", attempts: 1 });
  expect([...project.updates(), ...project.deletes()]).toHaveLength(1);
  expect(project.journal().at(-1).event).toMatchObject({ as: "not-done", status: 429 });
});

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
  const other = state.menus.find(({ key }: { key: string }) => key === "c");
  for (const key of ["a", "b"]) project.remove(`ivrs/${key}.yaml`);
  project.configure({ service: "requests_per_second: 0.1" });
  await project.restart("cut on=delete created=yes times=1");
  const clock = stopClock();
  const running = project.json(...apply);
  await clock.passUntil(until(() => project.deletes().length === 1));
  // The list lacks a recorded menu, so that it may be cut off.
  project.onConsole({ delete: Number(other.current.identified.id) });
  const { value } = await clock.passUntil(running);
  expect(value.results).toMatchObject([
    { key: "a", outcome: "unknown" },
    { key: "b", outcome: "not_attempted" },
  ]);
  expect(project.deletes()).toHaveLength(1);
});

describe("a list", () => {
  const menus = () => new LiveMenus([], [], { kinds: new Map() } as never, "");

  /** The list of menus of a service, and how many times it was read. Each read takes a while. */
  function listed(duration: number) {
    const clock = stopClock();
    let reads = 0;
    const list = async () => {
      reads += 1;
      clock.pass(duration);
      return { menus: menus() };
    };
    const { signal } = new AbortController();
    const recorder = { halt: signal } as Partial<Recorder> as Recorder;
    const lists = new RecentLists({ list, withNumbers: false, clock: real }, recorder);
    return { clock, lists, reads: () => reads };
  }

  test("is read again if it is older than 5 seconds, counted from the end of the read", async () => {
    const { clock, lists, reads } = listed(20_000);
    const first = await lists.recent();
    clock.pass(5000);
    expect(await lists.recent()).toBe(first);
    expect(reads()).toBe(1);
    clock.pass(1);
    expect(await lists.recent()).not.toBe(first);
    expect(reads()).toBe(2);
  });

  test("is read once for all requests that wait for it", async () => {
    const { lists, reads } = listed(0);
    const [first, second] = await Promise.all([lists.recent(), lists.recent()]);
    expect(first).toBe(second);
    expect(reads()).toBe(1);
  });
});
