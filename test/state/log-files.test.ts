import { cpSync, mkdirSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
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
