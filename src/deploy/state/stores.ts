import { join } from "node:path";
import type { StoreName, StoreValue } from "../../schema/store-settings.ts";
import type { Host } from "../../util/host.ts";
import type { CommitLog } from "./log/commit-log.ts";

/** Which state to open, and from where. */
interface Where {
  /** The folder of the project, where a driver may be installed. */
  readonly root: string;
  readonly host: Host;
  readonly environment: string;
  /** Undefined if the state begins on its own. */
  readonly id: string | undefined;
}

type Stores = {
  readonly [N in StoreName]: (settings: StoreValue<N>, where: Where) => Promise<CommitLog>;
};

/**
 * Opens the log of a state in each store. It connects when it is first used. Loads a store only if it
 * is used. Throws `SettingProblem` if a setting cannot be used.
 */
export const stores: Stores = {
  async file(_, { root, host, environment, id }) {
    const { FileLog } = await import("./files/file-log.ts");
    return new FileLog(join(root, ".ivrctl/state", environment), host.clock, id);
  },

  async git({ remote = "origin", branch = "ivrctl-state" }, { root, host, environment, id }) {
    const { BranchLog } = await import("./git/branch-log.ts");
    return new BranchLog({ root, host, remote, branch }, environment, id);
  },

  async postgres({ url = "", schema = "ivrctl" }, { root, host, environment, id }) {
    const { databaseSettings: readSettings } = await import("./postgres/database-settings.ts");
    const settings = readSettings(url, host.env);
    const { TableLog } = await import("./postgres/table-log.ts");
    const { Database } = await import("./postgres/database.ts");
    return new TableLog(new Database(root, settings), schema, environment, id);
  },

  async s3(written, { root, host, environment, id }) {
    const { bucketSettings: readSettings } = await import("./s3/bucket-settings.ts");
    const settings = readSettings(written, host.env);
    const { ObjectLog } = await import("./s3/object-log.ts");
    const { Bucket } = await import("./s3/bucket.ts");
    return new ObjectLog(new Bucket(root, settings, host), environment, id);
  },
};
