import { expect, onTestFinished, test } from "vitest";
import { Gate } from "../support/gate.ts";
import { freshPrefix, radosgw } from "../support/radosgw.ts";
import { storeAt, useCredentials } from "../support/s3.ts";
import { sessionOf } from "./conformance.ts";
import { begun, created, intent } from "./events.ts";

const server = radosgw(useCredentials);
/** A store behind a gate. `taken` returns its requests as method and folder: `GET log`, `LIST log`. */
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

/** Sends the requests of a plan. */
async function plan(store: ReturnType<typeof storeAt>) {
  const { state } = await store.read();
  await store.holder();
  return state;
}

test("a plan reads the snapshot and the blocks after it, and again for the lock", async () => {
  const { open, taken } = await counted(freshPrefix());
  await plan(open());
  expect(taken()).toEqual(["LIST snapshots", "LIST log", "LIST snapshots", "LIST log"]);
  const session = await sessionOf(open());
  await session.append(begun("production"));
  for (let at = 0; at < 20; at += 1) await session.append(intent(`k${at}`), created(`k${at}`));
  await session.close();
  taken();
  expect((await plan(open())).keys.size).toBe(20);
  const reading = ["LIST snapshots", "GET snapshots", "LIST log", "GET log"];
  expect(taken()).toEqual([...reading, ...reading]);
});

test("a second read sees what a run has added since the first", async () => {
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
  // The result of the first read does not change.
  expect(state.serial).toBe(2);
  expect((await store.read()).state.serial).toBe(3);
  expect(await store.history()).toHaveLength(3);
});

test("an append creates one object, and the end of a run a snapshot", async () => {
  const { open, taken } = await counted(freshPrefix());
  const session = await sessionOf(open());
  taken();
  await session.append(begun("production"), intent("a"));
  expect(taken()).toEqual(["PUT log"]);
  await session.close();
  expect(taken()).toEqual(["PUT log", "PUT snapshots"]);
});
