// @ts-check
import { randomUUID } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { forgetHeld, rememberHeld } from "./lib/held.mjs";
import { job } from "./lib/job.mjs";
import { at, listAt, parsed, textAt } from "./lib/json.mjs";
import { byHandOnState, keepState, tellUnknown } from "./lib/keep.mjs";
import { headings, resultOf } from "./lib/outcome.mjs";
import { makePlan, offerPlan, reviewedFile } from "./lib/plan.mjs";
import { Problem } from "./lib/problem.mjs";
import { Signals } from "./lib/signals.mjs";
import { fenced } from "./lib/text.mjs";

/*
 * Runs after a merge. Applies exactly the plan that was reviewed. If there is no such plan or it
 * is stale, sends nothing and shows a new plan.
 */

/** @typedef {import("./lib/job.mjs").Job} Job */
/** @typedef {import("./lib/ivrctl.mjs").Finished} Finished */

await job(async (job) => {
  const { settings } = job;
  const found = parsed(readFileSync(join(settings.work, "found.json"), "utf8"));
  const words = textAt(found, "words") ?? "";
  if (at(found, "kind") !== "found") return offerFresh(job, `There is no plan to apply. ${words}`);
  if (!existsSync(reviewedFile(settings))) {
    throw new Problem("The plan was found but could not be downloaded. Nothing was sent.");
  }
  const finished = await applyReviewed(job);
  const result = resultOf(finished);
  job.forge.summarize(`### ${headings[result]} (${settings.environment})`, settings);
  job.forge.log.write(`Plan ${words}: ${headings[result]}.\n`);
  job.forge.summarize(fenced(finished.stderr), settings);
  if (result === "stale") return offerFresh(job, "The reviewed plan is stale.");
  if (result === "unknown" && job.branch !== undefined) job.tell(fenced(byHandOnState(settings)));
  // An apply that was killed could not report unknown outcomes itself.
  if (result === "failed") await tellUnknown(job);
  if (result === "went back") job.tell(wentBack(job));
  if (result === "without state") job.tell(job.forge.byHandNew(textAt(found, "run") ?? ""));
  return finished.exit;
});

/**
 * @param {Job} job
 * @returns {Promise<Finished>}
 */
async function applyReviewed(job) {
  await job.findStore();
  const { settings, branch, forge } = job;
  const plan = reviewedFile(settings);
  const signals = new Signals();
  const lock = randomUUID();
  if (branch !== undefined) {
    rememberHeld(settings, { lock, begun: false });
    try {
      branch.restore(await branch.lock(lock, { ...intentOf(job, plan) }));
    } catch (error) {
      // Without the lock there is nothing to release.
      if (error instanceof Problem && error.exit === 4) forgetHeld(settings);
      throw error;
    }
  }
  if (signals.heard) {
    await keepState(job, { lock, begun: false });
    throw new Problem("Interrupted. Nothing was sent.", { exit: 130 });
  }
  rememberHeld(settings, { lock, begun: true });
  const wishes = settings.newState ? ["--new-state"] : [];
  const args = ["apply", plan, "--env", settings.environment, "--format", "json", ...wishes];
  const finished = await job.step(args, {
    shown: false,
    started: (running) => {
      rememberHeld(settings, { lock, begun: true, pid: running.pid });
      signals.passTo(running);
    },
  });
  try {
    await keepState(job, { lock, begun: true });
  } catch (error) {
    // Always report what was done, even if it could not be recorded.
    forge.summarize(fenced(finished.stderr), settings);
    throw error;
  }
  return finished;
}

/**
 * @param {Job} job
 * @param {string} why
 * @returns {Promise<number>}
 */
async function offerFresh(job, why) {
  const { forge, settings } = job;
  const { outcome, markdown } = await makePlan(job);
  if (outcome === "nothing") {
    job.tell(`${why} There is nothing to do.`);
    return 0;
  }
  job.tell(`${why} Nothing was sent.`);
  if (outcome === "something") {
    offerPlan(job);
    job.tell(forge.byHand(settings));
  }
  forge.summarize(markdown, settings);
  await tellUnknown(job);
  return 1;
}

/**
 * Explains why no new plan is made: it would create menus again that are missing in this state.
 *
 * @param {Job} job
 */
function wentBack({ branch }) {
  const where = branch === undefined ? "The state" : `The branch ${branch.name}`;
  return `${where} was reset or deleted after the plan was made. Menus that were created since then are missing in it, and a new plan would create them again. Restore the newer state first.`;
}

/**
 * Returns what a person needs to know about this run if it dies and leaves the lock behind.
 *
 * @param {Job} job
 * @param {string} file
 */
function intentOf({ forge }, file) {
  const content = parsed(readFileSync(file, "utf8"));
  const menus = listAt(content, "plan", "changes").map((change) => ({
    key: textAt(change, "key"),
    action: textAt(change, "action"),
    name: textAt(change, "name"),
  }));
  return {
    run: forge.run,
    commit: forge.commit,
    since: new Date().toISOString(),
    plan: textAt(content, "digest"),
    menus,
  };
}
