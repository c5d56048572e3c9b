import { cpSync, existsSync, mkdirSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { expect, test, vi } from "vitest";
import { FileLog } from "../../src/deploy/state/files/file-log.ts";
import * as disk from "../../src/util/disk.ts";
import { folder } from "../support/cli.ts";
import { clock } from "../support/host.ts";
import { MemoryWitness, openStore } from "../support/memory-log.ts";
import { type Place, claim, sessionOf, storeConformance } from "./conformance.ts";
import { begun, intent } from "./events.ts";
import { logConformance } from "./log-conformance.ts";

vi.mock(import("../../src/util/disk.ts"), { spy: true });

const place = async (): Promise<Place> => {
  const states = join(folder({}), ".ivrctl/state");
  return {
    log: (environment) => new FileLog(join(states, environment), clock),
    remove: async (environment, n) =>
      rmSync(join(states, environment, `${String(n).padStart(8, "0")}.jsonl`)),
  };
};

logConformance("files", place);
storeConformance("a log in files", place);

test("a log closes although the disk has become read-only", async () => {
  const path = folder({});
  const log = new FileLog(path, clock);
  log.reserve();
  // A file that cannot be deleted.
  rmSync(join(path, ".ballast"));
  mkdirSync(join(path, ".ballast"));
  await expect(log.close()).resolves.toBeUndefined();
});

test("the folders of a state are durable before its first block, also if an earlier run could not sync them", async () => {
  const root = folder({});
  const state = join(root, ".ivrctl/state/production");
  const block = join(state, "L1/00000001.jsonl");
  const synced: string[] = [];
  const sync = vi.mocked(disk.syncFolder).mockImplementationOnce(() => {
    throw Object.assign(new Error("EIO: i/o error, fsync"), { code: "EIO" });
  });
  const append = () => new FileLog(state, clock, "L1").append(1, Buffer.from("block"));
  await expect(append()).rejects.toMatchObject({ code: "IVR604" });
  expect(existsSync(block)).toBe(false);
  sync.mockImplementation((path) => {
    expect(existsSync(block)).toBe(false);
    synced.push(path);
  });
  expect(await append()).toBe("added");
  expect(synced).toEqual([state, join(root, ".ivrctl/state"), join(root, ".ivrctl"), root]);
  sync.mockReset();
});

test("two histories in one folder are refused", async () => {
  const path = folder({});
  const [ours, theirs, merged] = [join(path, "ours"), join(path, "theirs"), join(path, "merged")];
  const add = async (where: string, key: string) => {
    const session = await sessionOf(openStore(new FileLog(where, clock)), `run-${key}`);
    await session.append(intent(key));
    await session.close();
  };
  const first = await sessionOf(openStore(new FileLog(ours, clock)));
  await first.append(begun("production"));
  await first.close();
  for (const key of ["a", "b"]) await add(ours, key);
  cpSync(ours, theirs, { recursive: true });
  await add(ours, "mine");
  for (const key of ["c", "d", "e"]) await add(theirs, key);
  const [base, added] = [ours, theirs];
  cpSync(base, merged, { recursive: true });
  cpSync(added, merged, { recursive: true, force: false });
  // A machine that has seen nothing.
  const store = () => openStore(new FileLog(merged, clock), { witness: new MemoryWitness() });
  await expect(store().read()).rejects.toMatchObject({ code: "IVR603" });
  await expect(store().lock(claim("run-x"))).rejects.toMatchObject({ code: "IVR603" });
  expect(readdirSync(theirs).length).toBeGreaterThan(8);
});
