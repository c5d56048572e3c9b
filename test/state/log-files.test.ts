import { mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { FileLog } from "../../src/deploy/state/files/file-log.ts";
import { folder } from "../support/cli.ts";
import { clock } from "../support/host.ts";
import { type Place, storeConformance } from "./conformance.ts";
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
