import { execFile } from "node:child_process";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { environment } from "../support/environment.ts";
import { Finding } from "./checks.ts";
import { mustRefuse } from "./merged.ts";
import type { Random } from "./random.ts";
import type { Stage } from "./stage.ts";
import type { Remote } from "./store-under-test.ts";
import { count } from "./tally.ts";

/**
 * Somebody sets the branch of a state back, or deletes it. A new clone must refuse the state, and the
 * commands that it prints must restore the branch.
 */
export async function setBack(stage: Stage, random: Random, remote: Remote): Promise<void> {
  if (remote.setBack?.(random) !== true) return;
  count(stage.tally.disturbances, "set back, seen by a new clone");
  stage.steps.push("the branch was set back, and there is a new clone");
  for (const name of [".git", ".ivrctl/seen"])
    rmSync(join(stage.root, name), { recursive: true, force: true });
  stage.configure(stage.concurrency, 300);
  const plan = JSON.parse(await mustRefuse(stage, "a branch that was set back")) as {
    diagnostics: readonly { hint?: string }[];
  };
  const [command = "false"] = /git fetch .*/.exec(plan.diagnostics[0]?.hint ?? "") ?? [];
  stage.steps.push(`    ${command}`);
  // The proxies before the server run in this process.
  await promisify(execFile)("sh", ["-c", command], { cwd: stage.root, env: environment() });
  if (remote.isRestored?.() !== true)
    throw new Finding(`(2) the branch is not restored by: ${command}`);
}
