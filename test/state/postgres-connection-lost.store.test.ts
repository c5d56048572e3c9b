import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, onTestFinished, test } from "vitest";
import { logHost } from "../../src/deploy/state/process-identity.ts";
import { StateStore } from "../../src/deploy/state/log/state-store.ts";
import { TableLog } from "../../src/deploy/state/postgres/table-log.ts";
import { TcpProxy } from "../support/tcp-proxy.ts";
import { freshSchema, postgres, settingsOf, storeAt } from "../support/postgres.ts";
import { MemoryWitness } from "../support/memory-log.ts";
import { claim, sessionOf } from "./conformance.ts";
import { begun, intent } from "./events.ts";
import { testHost } from "../support/host.ts";

const server = postgres();

/** A store behind a proxy, and the same store without the proxy. */
async function behindProxy(maxWait?: number, statementTimeout = 15_000) {
  const proxy = new TcpProxy(server().port);
  await proxy.open();
  onTestFinished(() => proxy.close());
  const schema = freshSchema();
  const url = `postgresql://postgres@127.0.0.1:${proxy.port}/postgres`;
  const settings = { ...settingsOf(url), statementTimeout };
  const host = testHost();
  const log = new TableLog({ root: import.meta.dirname, host, settings, schema }, "production");
  const witness = new MemoryWitness();
  const options = { environment: "production", witness, host: logHost(host) };
  return {
    proxy,
    store: new StateStore(log, { ...options, ...(maxWait === undefined ? {} : { maxWait }) }),
    direct: storeAt(server().url(), schema),
  };
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
    expect(await direct.holder()).toBeNull();
  });

  test("while it is idle: it is replaced, and the lock stays the same", async () => {
    const { proxy, store, direct } = await behindProxy();
    const session = await sessionOf(store);
    await session.append(begun("production"));
    // The process of the connection that holds the lock.
    const holding = () => server().sql("SELECT pid FROM pg_locks WHERE locktype = 'advisory'");
    for (let time = 0; time < 3; time += 1) {
      const before = holding();
      proxy.cut();
      while (["", before].includes(holding())) await sleep(20);
      expect(await direct.lock(claim("run-2"))).toMatchObject({ kind: "held" });
    }
    await session.append(intent("a"));
    await session.close();
    expect(await direct.holder()).toBeNull();
  });

  test("with nothing left to add: the session closes without it", async () => {
    const { proxy, store, direct } = await behindProxy(600_000);
    const session = await sessionOf(store);
    await session.append(begun("production"));
    await proxy.close();
    await sleep(200);
    await session.close();
    while ((await direct.holder()) !== null) await sleep(20);
    expect((await direct.read()).state.serial).toBe(1);
  });
});
