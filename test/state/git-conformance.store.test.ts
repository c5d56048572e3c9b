import { execFileSync } from "node:child_process";
import { BranchLog } from "../../src/deploy/state/git/branch-log.ts";
import { type Place, storeConformance } from "./conformance.ts";
import { logConformance } from "./log-conformance.ts";
import { gitRemote } from "../support/git-remote.ts";
import { testHost } from "../support/host.ts";

const place = async (): Promise<Place> => {
  const remote = gitRemote();
  const root = remote.clone();
  const other = remote.clone();
  const from = {
    root,
    remote: "origin",
    branch: "ivrctl-state",
    host: testHost({ env: process.env }),
  };
  return {
    log: (environment) => Object.assign(new BranchLog(from, environment), { pause: 0 }),
    async remove(environment, n) {
      const branch = `ivrctl-state-${environment}`;
      const git = (...args: readonly string[]) =>
        execFileSync("git", args, { cwd: other, stdio: "pipe" });
      const name = `log/00000/${String(n).padStart(8, "0")}.jsonl`;
      git("fetch", "--quiet", "origin", `+${branch}:${branch}`);
      git("checkout", "--quiet", branch);
      git("rm", "--quiet", `${environment}/${name}`);
      git("-c", "user.name=a", "-c", "user.email=b@c", "commit", "--quiet", "-m", "Delete a block");
      git("push", "--quiet", "--force", "origin", branch);
      git("checkout", "--quiet", "--detach");
      // A server without this ref, so that the log itself has to notice it.
      remote.git("update-ref", "-d", `refs/ivrctl/newest/${branch}`);
    },
  };
};

logConformance("a git branch", place);
storeConformance("a log on a git branch", place);
