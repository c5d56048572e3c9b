import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, onTestFinished, test, vi } from "vitest";
import * as disk from "../../../../src/deploy/state/file/disk.ts";
import { FileLock } from "../../../../src/deploy/state/file/lock.ts";
import { folder as temporaryFolder } from "../../../support/cli.ts";
import { until } from "../../../support/project.ts";
import { stopClock } from "../../../support/waits.ts";
import { claim } from "../conformance.ts";
import { testHost } from "../../../support/host.ts";

/** What a file system with a cache shows of the lock file, whatever is on disk. */
let remembered: { readonly content: Buffer | undefined } | undefined;

beforeEach(() => {
  const { readIfExists } = disk;
  const read = vi
    .spyOn(disk, "readIfExists")
    .mockImplementation((path, shown) =>
      remembered === undefined ? readIfExists(path, shown) : remembered.content,
    );
  onTestFinished(() => {
    remembered = undefined;
    read.mockRestore();
  });
});

describe("a file system that shows old contents of the folder", () => {
  const place = () => {
    const folder = join(temporaryFolder({}), "state");
    mkdirSync(folder);
    const files = { folder, name: "production", shown: "production.lock" };
    return { path: join(folder, "production.lock"), lock: new FileLock(files, testHost()) };
  };

  /** Expects that the waiting ends in time, and that a signal ends it. */
  const expectPatience = async (lock: FileLock, id: string) => {
    expect(await lock.take(claim("x"))).toMatchObject({ kind: "held", lock: { id } });
    const clock = stopClock();
    const patient = clock.passUntil(lock.take(claim("x", { wait: 250 })));
    expect(await patient).toMatchObject({ kind: "held" });
    expect(clock.waits).toEqual([100, 100, 50]);
    const interrupted = new AbortController();
    const reason = new Error("Ctrl-C");
    const waiting = lock.take(claim("x", { wait: 60_000, signal: interrupted.signal }));
    await until(() => clock.waiting === 1);
    interrupted.abort(reason);
    await expect(waiting).rejects.toBe(reason);
    expect(clock.waiting).toBe(0);
    return clock;
  };

  test("a lock that exists but is hidden counts as held", async () => {
    const { path, lock } = place();
    writeFileSync(path, "somebody's");
    remembered = { content: undefined };
    await expectPatience(lock, "unreadable");
    expect(readFileSync(path, "utf8")).toBe("somebody's");
  });

  test("takes the lock when the file of a dead process is no longer shown", async () => {
    const { path, lock } = place();
    const own = await lock.take(claim("dead"));
    if (own.kind === "held") throw new Error("held");
    const content: object = JSON.parse(readFileSync(path, "utf8"));
    own.heldLock.release();
    remembered = { content: Buffer.from(JSON.stringify({ ...content, pid: 4_194_304 })) };
    const clock = await expectPatience(lock, "dead");
    const waiting = lock.take(claim("next", { wait: 60_000 }));
    await until(() => clock.waiting === 1);
    remembered = undefined;
    const taken = await clock.passUntil(waiting);
    expect(taken).toMatchObject({ kind: "taken", notes: [] });
    if (taken.kind === "taken") taken.heldLock.release();
  });
});
