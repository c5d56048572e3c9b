// @ts-check
import { setTimeout as sleep } from "node:timers/promises";
import { heldNow } from "./lib/held.mjs";
import { job } from "./lib/job.mjs";
import { keepState, tellUnknown } from "./lib/keep.mjs";
import { Problem } from "./lib/problem.mjs";

/*
 * Always runs after an apply. Saves the state if the apply was killed or could not reach the branch.
 * Otherwise does nothing.
 */

const patience = 60_000;

await job(async (job) => {
  const held = heldNow(job.settings);
  if (held !== undefined) {
    if (held.pid !== undefined) await ended(job, held.pid);
    await job.findStore();
    await keepState(job, held);
    if (job.branch !== undefined) job.tell("Saved the state on its branch.");
    await tellUnknown(job);
  }
  job.forge.output("kept", "true");
  return 0;
});

/**
 * Stops an ivrctl that is still running, so that no half-written state is saved.
 *
 * @param {import("./lib/job.mjs").Job} job
 * @param {number} pid
 */
async function ended({ forge }, pid) {
  for (let waited = 0; isAlive(pid); waited += 200) {
    if (waited === 0) {
      process.kill(pid, "SIGTERM");
      forge.log.write("ivrctl is still running. Asked it to stop.\n");
    }
    if (waited > patience)
      throw new Problem("ivrctl is still running and does not stop. Its state was not saved.");
    await sleep(200);
  }
}

/** @param {number} pid */
function isAlive(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
