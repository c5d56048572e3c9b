// @ts-check
import { job } from "./lib/job.mjs";
import { describeLock } from "./lib/lock.mjs";
import { fenced } from "./lib/text.mjs";

/* Runs on a schedule. Checks the live menus against the current agent list. */

await job(async (job) => {
  await job.findStore();
  const { branch, forge, settings } = job;
  if (branch !== undefined) {
    const tip = await branch.look();
    if (tip.lock !== undefined) {
      job.tell(fenced(`The state is locked. Is this run still active?\n${describeLock(tip.lock)}`));
    }
    branch.restore(tip);
  }
  const { exit, stdout, stderr } = await job.step(["check", "--env", settings.environment]);
  const heading = exit === 0 ? "No problems" : "Problems found";
  forge.summarize(
    `### ${heading} (${settings.environment})\n\n${fenced(stderr + stdout)}`,
    settings,
  );
  return exit;
});
