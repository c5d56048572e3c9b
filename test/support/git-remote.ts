import { execFileSync } from "node:child_process";
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { BranchLog } from "../../src/deploy/state/git/branch-log.ts";
import type { StateStore } from "../../src/deploy/state/log/state-store.ts";
import { testHost } from "./host.ts";
import { openStore } from "./memory-log.ts";
import { FileWitness } from "../../src/deploy/state/log/witness.ts";

/** A bare repository, and clones of it. */
export interface GitRemote {
  readonly path: string;
  /** Creates a clone with one commit and returns its folder. */
  clone(): string;
  git(...args: readonly string[]): string;
}

export function gitRemote(): GitRemote {
  const folder = mkdtempSync(join(tmpdir(), "ivrctl-remote-"));
  const path = join(folder, "remote.git");
  run(folder, "init", "--bare", "--quiet", "--initial-branch=main", path);
  let clones = 0;
  return {
    path,
    clone() {
      clones += 1;
      const clone = join(folder, `clone-${clones}`);
      run(folder, "clone", "--quiet", path, clone);
      return clone;
    },
    git: (...args) => run(path, ...args),
  };
}

function run(cwd: string, ...args: readonly string[]): string {
  return execFileSync("git", args, { cwd, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] });
}

/** The store of an environment, as a process in this clone has it. */
export function storeIn(
  clone: string,
  environment = "production",
  options: { readonly remote?: string; readonly maxWait?: number } = {},
): StateStore {
  const { remote = "origin", ...rest } = options;
  const branch = "ivrctl-state";
  const host = testHost({ env: process.env });
  const log = new BranchLog({ root: clone, host, remote, branch }, environment);
  const witness = new FileWitness(clone, environment, host.clock);
  return openStore(Object.assign(log, { pause: 0 }), { environment, witness, ...rest });
}
