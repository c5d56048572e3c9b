// @ts-check
import { setTimeout as sleep } from "node:timers/promises";
import { heldNow } from "./lib/held.mjs";
import { job } from "./lib/job.mjs";
import { keepState, tellUnknown } from "./lib/keep.mjs";
import { Problem } from "./lib/problem.mjs";

/*
 * The net under an apply that was ended from outside, or could not reach the branch:
 * runs whatever happened, and does nothing where nothing is left to do.
 */

const patience = 60_000;

await job(async (job) => {
  const held = heldNow(job.settings);
  if (held !== undefined) {
    if (held.pid !== undefined) await ended(job, held.pid);
    await job.findStore();
    await keepState(job, held);
    if (job.branch !== undefined) job.tell("The state is on its branch.");
    await tellUnknown(job);
  }
  job.forge.output("kept", "true");
  return 0;
});

/**
 * What still writes is asked to stop: half of what it writes is not to be kept.
 *
 * @param {import("./lib/job.mjs").Job} job
 * @param {number} pid
 */
async function ended({ forge }, pid) {
  for (let waited = 0; isAlive(pid); waited += 200) {
    if (waited === 0) {
      process.kill(pid, "SIGTERM");
      forge.log.write("ivrctl is still at work, and was asked to stop.\n");
    }
    if (waited > patience) throw new Problem("ivrctl is still at work: its state is left alone.");
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
