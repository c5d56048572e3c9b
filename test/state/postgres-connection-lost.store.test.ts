import { connect, createServer } from "node:net";
import { describe, expect, onTestFinished, test } from "vitest";
import type { StateStore } from "../../src/deploy/state/log/state-store.ts";
import { Database } from "../../src/deploy/state/postgres/database.ts";
import { TableLog } from "../../src/deploy/state/postgres/table-log.ts";
import { TcpProxy } from "../support/tcp-proxy.ts";
import { quietPort } from "../../scripts/quiet-port.mjs";
import { databaseProject } from "../support/stored-project.ts";
import { freshSchema, postgres, settingsOf, storeAt } from "../support/postgres.ts";
import { openStore } from "../support/memory-log.ts";
import { opened } from "../support/listen.ts";
import { claim, sessionOf } from "./conformance.ts";
import { begun, intent } from "./events.ts";

const server = postgres();

/** A store behind a proxy, and the same store without the proxy. */
async function behindProxy(maxWait?: number, statementTimeout = 15_000) {
  const proxy = await opened(new TcpProxy(server().port));
  const schema = freshSchema();
  const url = `postgresql://postgres@127.0.0.1:${proxy.port}/postgres`;
  const settings = { ...settingsOf(url), statementTimeout };
  const log = new TableLog(new Database(import.meta.dirname, settings), schema, "production");
  const store = openStore(log, maxWait === undefined ? {} : { maxWait });
  return { proxy, store, direct: storeAt(server().url(), schema) };
}

const eventsOf = async (store: StateStore) =>
  (await store.history()).map(({ entry }) => entry.event);

// For what all stores have in common see ../connection-lost.test.ts.
describe("a connection that is lost in a session", () => {
  test("without an error, because nothing gets through: it is replaced", async () => {
    const { proxy, store, direct } = await behindProxy(undefined, 3000);
    const session = await sessionOf(store);
    await session.append(begun("production"));
    const made = proxy.clientPorts.size;
    // Drop all answers until a new connection is opened.
    proxy.answered = () => (proxy.clientPorts.size === made ? "vanish" : "pass");
    await session.append(intent("a"));
    await session.close();
    expect(await eventsOf(direct)).toEqual([begun("production"), intent("a")]);
    expect((await direct.read()).holder).toBeNull();
  });

  test("while it is idle: it is replaced, and the lock stays the same", async () => {
    const { proxy, store, direct } = await behindProxy();
    const session = await sessionOf(store);
    await session.append(begun("production"));
    proxy.cut();
    expect(await direct.lock(claim("run-2"))).toMatchObject({ kind: "held" });
    await session.append(intent("a"));
    await session.close();
    expect((await direct.read()).holder).toBeNull();
  });

  test("with nothing left to add: the session closes without it, and leaves its lock", async () => {
    const { proxy, store, direct } = await behindProxy(600_000);
    const session = await sessionOf(store);
    await session.append(begun("production"));
    await proxy.close();
    await session.close();
    expect((await direct.read()).holder).toMatchObject({ id: "run-1" });
    expect((await direct.read()).state.serial).toBe(1);
  });
});

test("a server that vanishes at the end does not keep the command running", async () => {
  const goodbye = 0x58;
  const forwarder = createServer({ allowHalfOpen: true }, (client) => {
    const behind = connect(server().port, "127.0.0.1");
    client.on("data", (bytes) => bytes[0] !== goodbye && behind.write(bytes));
    behind.on("data", (bytes) => client.write(bytes));
    for (const socket of [client, behind]) socket.on("error", () => {}).unref();
  });
  const port = await quietPort();
  forwarder.listen(port, "127.0.0.1");
  onTestFinished(() => void forwarder.close());
  const url = `postgresql://postgres@127.0.0.1:${port}/postgres`;
  const { run } = databaseProject("http://127.0.0.1:9", url, {});
  expect((await run("state", "list")).exit).toBe(0);
});
