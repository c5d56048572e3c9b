// @ts-check
import { job } from "./lib/job.mjs";
import { describeLock } from "./lib/lock.mjs";
import { fenced } from "./lib/text.mjs";

/* For a schedule: is everything that was applied still sound? */

await job(async (job) => {
  await job.findStore();
  const { branch, forge, settings } = job;
  if (branch !== undefined) {
    const tip = await branch.look();
    if (tip.lock !== undefined) {
      job.tell(
        fenced(`The state is locked. Is that run still at work?\n${describeLock(tip.lock)}`),
      );
    }
    branch.restore(tip);
  }
  const { exit, stdout, stderr } = await job.step(["check", "--env", settings.environment]);
  const heading = exit === 0 ? "Sound" : "Not sound any more, or not to be checked";
  forge.summarize(
    `### ${heading} (${settings.environment})\n\n${fenced(stderr + stdout)}`,
    settings,
  );
  return exit;
});
