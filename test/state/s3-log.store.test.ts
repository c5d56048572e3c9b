import { type TestContext, expect, test } from "vitest";
import type { StateStore } from "../../src/deploy/state/log/state-store.ts";
import { type Asked, type Fate, HttpProxy } from "../support/http-proxy.ts";
import { objectsOf } from "../support/objects.ts";
import { radosgw } from "../support/radosgw.ts";
import { storeAt, useCredentials } from "../support/s3.ts";
import { sessionOf } from "./conformance.ts";
import { begun, created, intent } from "./events.ts";

const server = radosgw(useCredentials);
const pass: Fate = { kind: "pass" };

/** A store behind a proxy, and the same store without the proxy. */
async function behindProxy({ onTestFinished }: Pick<TestContext, "onTestFinished">) {
  const proxy = new HttpProxy(server().port);
  await proxy.open();
  onTestFinished(() => proxy.close());
  const { open: direct, prefix, names, put } = objectsOf(server());
  return { proxy, direct, names, put, open: () => storeAt(proxy.endpoint, prefix) };
}

/** Records one menu after the other, with one object for each event. */
async function creates(store: StateStore, count: number): Promise<void> {
  const session = await sessionOf(store);
  await session.append(begun("production"));
  for (let at = 0; at < count; at += 1) {
    const [sent] = await session.append(intent(`k${at}`));
    await session.append(created(`k${at}`, sent?.entry.seq));
  }
  await session.close();
}

function answered(status: number, code: string, reaches: "never" | "first" | number): Fate {
  return { kind: "answer", status, code, reaches };
}

const fates: readonly (readonly [what: string, fate: Fate])[] = [
  ["the connection is cut before the store gets the request", { kind: "cut", reaches: "never" }],
  ["the connection is cut before the answer", { kind: "cut", reaches: "first" }],
  ["the connection is cut, and the store gets the request later", { kind: "cut", reaches: 150 }],
  ["the store is busy", answered(503, "SlowDown", "never")],
  ["the store fails before it creates the object", answered(500, "InternalError", "never")],
  ["the store fails after it created the object", answered(500, "InternalError", "first")],
  ["the store fails, and creates the object later", answered(500, "InternalError", 150)],
  [
    "another request for the same object is running",
    answered(409, "ConditionalRequestConflict", "never"),
  ],
  ["a proxy times out after the store created the object", answered(504, "x", "first")],
];

test.concurrent.for(fates)(
  "%s: the event is added once, and the session continues",
  async ([, fate], context) => {
    const { proxy, open, direct } = await behindProxy(context);
    const session = await sessionOf(open());
    await session.append(begun("production"));
    let left = 2;
    proxy.fate = ({ method, path }) =>
      method === "PUT" && path.includes("/log/") && left-- > 0 ? fate : pass;
    await Promise.all([session.append(intent("a")), session.append(created("a"))]);
    await session.append(intent("b"));
    expect(session.state.serial).toBe(4);
    await session.close();
    const history = await direct().history();
    expect(history.map(({ entry }) => entry.event)).toEqual([
      begun("production"),
      intent("a"),
      created("a"),
      intent("b"),
    ]);
    expect((await direct().read()).notes).toEqual([]);
    expect((await direct().read()).holder).toBeNull();
  },
);

test("objects with other names in the folder are ignored", async (context) => {
  const { direct, put } = await behindProxy(context);
  await put("log/README", Buffer.from("hello"));
  await put("log/00000000001", Buffer.from("hello"));
  await put("snapshots/000000000000", Buffer.from("hello"));
  await put("snapshots/old/000000000900.gz", Buffer.from("hello"));
  await creates(direct(), 3);
  const { state, notes } = await direct().read();
  expect([state.records.size, notes]).toEqual([3, []]);
});

test("snapshots are not needed: the run succeeds if the store refuses them", async (context) => {
  const { proxy, open, direct, names } = await behindProxy(context);
  const isSnapshot = ({ method, path }: Asked) => method === "PUT" && path.includes("/snapshots/");
  proxy.fate = (asked) => (isSnapshot(asked) ? answered(403, "AccessDenied", "never") : pass);
  await creates(open(), 5);
  expect(names("snapshots/")).toEqual([]);
  expect(proxy.asked.filter(isSnapshot)).toHaveLength(1);
  const { state, notes } = await direct().read();
  expect([state.records.size, notes]).toEqual([5, []]);
});

test("a read takes the snapshot and the blocks after it, and an append creates one object", async (context) => {
  const { proxy, open } = await behindProxy(context);
  /** The requests since the last call, as method and folder. */
  const taken = () =>
    proxy.asked.splice(0).map(({ method, path, query }) => {
      const name = query.get("prefix") ?? path;
      const folder = name.slice(name.indexOf("/production/") + "/production/".length);
      return `${query.has("prefix") ? "LIST" : method} ${folder.split("/")[0]}`;
    });
  await open().read();
  expect(taken()).toEqual(["LIST snapshots", "LIST log"]);
  const session = await sessionOf(open());
  taken();
  await session.append(begun("production"));
  expect(taken()).toEqual(["PUT log"]);
  for (let at = 0; at < 20; at += 1) {
    await session.append(intent(`k${at}`), created(`k${at}`, 2 * at + 2));
  }
  taken();
  await session.close();
  expect(taken()).toEqual(["PUT log", "PUT snapshots"]);
  expect((await open().read()).state.records.size).toBe(20);
  expect(taken()).toEqual(["LIST snapshots", "GET snapshots", "LIST log", "GET log"]);
});
