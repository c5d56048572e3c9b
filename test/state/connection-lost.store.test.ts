import { describe, expect, test } from "vitest";
import type { StateStore } from "../../src/deploy/state/log/state-store.ts";
import { opened } from "../support/listen.ts";
import { TcpProxy } from "../support/tcp-proxy.ts";
import { freshSchema, postgres, storeAt as inDatabase } from "../support/postgres.ts";
import { freshPrefix, radosgw } from "../support/radosgw.ts";
import { storeAt as inBucket, useCredentials } from "../support/s3.ts";
import { locked, sessionOf } from "./conformance.ts";
import { begun, created, intent, replaced } from "./events.ts";

const database = postgres();
const bucket = radosgw(useCredentials);

const stores = {
  PostgreSQL: {
    /** A store behind a proxy, and the same store without the proxy. */
    open: (maxWait?: number) => {
      const schema = freshSchema();
      return behindProxy(database().port, (port) => {
        const url = `postgresql://postgres@127.0.0.1:${port}/postgres`;
        return inDatabase(url, schema, "production", {}, maxWait);
      });
    },
    crash: () => {
      database().stop("immediate");
      database().start();
    },
  },
  "an object store": {
    open: (maxWait?: number) => {
      const prefix = freshPrefix();
      return behindProxy(bucket().port, (port) =>
        inBucket(`http://127.0.0.1:${port}`, prefix, maxWait === undefined ? {} : { maxWait }),
      );
    },
    crash: () => {
      bucket().kill();
      bucket().start();
    },
  },
};

async function behindProxy(port: number, openAt: (port: number) => StateStore) {
  const proxy = await opened(new TcpProxy(port));
  return { proxy, store: openAt(proxy.port), direct: openAt(port) };
}

const eventsOf = async (store: StateStore) =>
  (await store.history()).map(({ entry }) => entry.event);

describe.each(Object.entries(stores))("a connection to %s", (_, { open, crash }) => {
  test("that is lost while another run takes the lock: the session adds nothing", async () => {
    const { proxy, store, direct } = await open();
    const session = await sessionOf(store);
    await session.append(begun("production"));
    await proxy.close();
    const asked = session.append(intent("a"));
    expect(await direct.unlock("run-1")).toMatchObject({ id: "run-1" });
    const next = await sessionOf(direct, "run-2");
    await proxy.open();
    await expect(asked).rejects.toMatchObject({
      code: "IVR601",
      message: expect.stringContaining("run-2@example"),
    });
    await expect(session.append(intent("b"))).rejects.toMatchObject({ code: "IVR601" });
    await session.close();
    await next.append(intent("c"));
    await next.close();
    expect(await eventsOf(direct)).toEqual([begun("production"), intent("c")]);
  });

  test("that is lost for too long: calls reject, and their events are not added later", async () => {
    const { proxy, store, direct } = await open(1500);
    const session = await sessionOf(store);
    await session.append(begun("production"));
    await proxy.close();
    const asked = await Promise.allSettled([
      session.append(intent("a")),
      session.append(intent("b")),
    ]);
    for (const result of asked) {
      expect(result).toMatchObject({
        status: "rejected",
        reason: { code: "IVR671" },
      });
    }
    await proxy.open();
    await expect(session.append(intent("c"))).rejects.toMatchObject({ code: "IVR671" });
    await session.close();
    const next = await sessionOf(direct, "run-2");
    expect(next.state.serial).toBe(1);
    await next.close();
  });

  test("that is lost until a signal: calls reject at once", async () => {
    const { proxy, store } = await open(600_000);
    const stop = new AbortController();
    const watcher = { lost: () => stop.abort(), back: () => {} };
    const { session } = await locked(store, "run-1", { stop: stop.signal, watcher });
    await session.append(begun("production"));
    await proxy.close();
    await expect(session.append(intent("a"))).rejects.toMatchObject({ code: "IVR671" });
    await session.close();
  });

  test("that is cut at every message in turn: no event is lost or added twice", async () => {
    for (let at = 1; ; at += 1) {
      const { proxy, store, direct } = await open();
      const session = await sessionOf(store);
      let messages = 0;
      const count = () => ((messages += 1) === at ? "cut" : "pass");
      proxy.asked = count;
      proxy.answered = count;
      await session.append(begun("production"), intent("a"));
      await session.append(created("a"));
      await session.append(intent("a", "replace"), replaced("a", 4));
      const seen = messages;
      await session.close();
      expect((await direct.read()).notes).toEqual([]);
      expect(await eventsOf(direct)).toEqual([
        begun("production"),
        intent("a"),
        created("a"),
        intent("a", "replace"),
        replaced("a", 4),
      ]);
      if (seen < at) break;
    }
  });

  test("to a server that crashes: acknowledged events stay, and the session continues", async () => {
    const { direct: store } = await open();
    const session = await sessionOf(store);
    await session.append(begun("production"));
    for (let at = 0; at < 2; at += 1) {
      const asked = session.append(intent(`k${at}`));
      crash();
      await asked;
      await session.append(created(`k${at}`, 2 * at + 2));
    }
    await session.close();
    expect((await store.read()).state.serial).toBe(5);
    expect((await store.read()).holder).toBeNull();
  });
});
