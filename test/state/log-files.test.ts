import { rmSync } from "node:fs";
import { join } from "node:path";
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
