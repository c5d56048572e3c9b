import { expect, onTestFinished, test } from "vitest";
import { Gate } from "../../support/gate.ts";
import { freshPrefix, radosgw } from "../../support/radosgw.ts";
import { storeAt, useCredentials } from "../../support/s3.ts";
import { sessionOf } from "../../deploy/state/conformance.ts";
import { begun, created, intent } from "../../deploy/state/events.ts";

const server = radosgw(useCredentials);
/** Requests as `GET log`: a method and a folder, of which a list is `LIST log`. */
async function counted(prefix: string) {
  const gate = new Gate(server().port);
  await gate.open();
  onTestFinished(() => gate.close());
  const taken = () =>
    gate.asked.splice(0).map(({ method, path, query }) => {
      const name = query.get("prefix") ?? path;
      const folder = name.slice(name.indexOf("/production/") + "/production/".length);
      return `${query.has("prefix") ? "LIST" : method} ${folder.split("/")[0]}`;
    });
  return { open: () => storeAt(gate.endpoint, prefix), taken };
}

/** What a plan asks of its store. */
async function plan(store: ReturnType<typeof storeAt>) {
  const { state } = await store.read();
  await store.holder();
  return state;
}

test("a plan lists everything once, and the log again for the lock", async () => {
  const { open, taken } = await counted(freshPrefix());
  await plan(open());
  // Without a head, the log may be one of an older ivrctl, which wrote history objects instead.
  expect(taken().sort()).toEqual([
    "LIST heads",
    "LIST history",
    "LIST log",
    "LIST log",
    "LIST snapshots",
  ]);
  const session = await sessionOf(open());
  await session.append(begun("production"));
  for (let at = 0; at < 20; at += 1) await session.append(intent(`k${at}`), created(`k${at}`));
  await session.close();
  taken();
  expect((await plan(open())).keys.size).toBe(20);
  const asked = taken();
  expect(asked.filter((one) => one !== "GET log").sort()).toEqual([
    "GET snapshots",
    "LIST heads",
    "LIST log",
    "LIST log",
    "LIST snapshots",
  ]);
  // The object that the snapshot was made after, and those that came later.
  expect(asked.filter((one) => one === "GET log").length).toBeLessThanOrEqual(8);
});

test("what a run adds between two looks is seen by the second", async () => {
  const { open } = await counted(freshPrefix());
  const store = open();
  await plan(store);
  const session = await sessionOf(open());
  expect((await store.holder())?.id).toBe("run-1");
  await session.append(begun("production"), intent("a"));
  const { state } = await store.read();
  expect(state.serial).toBe(2);
  await session.append(created("a"));
  await session.close();
  expect(await store.holder()).toBeNull();
  // A reading is of its moment.
  expect(state.serial).toBe(2);
  expect((await store.read()).state.serial).toBe(3);
  expect(await store.history()).toHaveLength(3);
});

test("an append is two objects: what happened, and its head", async () => {
  const { open, taken } = await counted(freshPrefix());
  const session = await sessionOf(open());
  taken();
  await session.append(begun("production"), intent("a"));
  expect(taken()).toEqual(["PUT log", "PUT heads"]);
  await session.close();
  expect(taken()).toEqual(["PUT log"]);
});
