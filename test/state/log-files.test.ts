import fs, { cpSync, existsSync, mkdirSync, readdirSync, rmSync, statSync } from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { join } from "node:path";
import { expect, test, vi } from "vitest";
import { FileLog } from "../../src/deploy/state/files/file-log.ts";
import { folder } from "../support/cli.ts";
import { clock } from "../support/host.ts";
import { MemoryWitness, openStore } from "../support/memory-log.ts";
import { type Place, claim, sessionOf, storeConformance } from "./conformance.ts";
import { begun, intent } from "./events.ts";
import { logConformance } from "./log-conformance.ts";

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
  const above = [".ivrctl/state/production", ".ivrctl/state", ".ivrctl", ""].map((at) =>
    join(root, at),
  );
  const block = join(root, ".ivrctl/state/production/L1/00000001.jsonl");
  const append = () =>
    new FileLog(join(root, ".ivrctl/state/production"), clock, "L1").append(
      1,
      Buffer.from("block"),
    );
  const synced: number[] = [];
  const sync = vi.spyOn(fs, "fsyncSync").mockImplementationOnce(() => {
    throw Object.assign(new Error("EIO: i/o error, fsync"), { code: "EIO" });
  });
  syncBuiltinESMExports();
  try {
    await expect(append()).rejects.toMatchObject({ code: "IVR604" });
    expect(existsSync(block)).toBe(false);
    sync.mockImplementation((file) => {
      if (!existsSync(block)) synced.push(fs.fstatSync(file).ino);
    });
    expect(await append()).toBe("added");
  } finally {
    sync.mockRestore();
    syncBuiltinESMExports();
  }
  expect(synced).toEqual(expect.arrayContaining(above.map((path) => statSync(path).ino)));
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
