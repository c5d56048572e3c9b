// @ts-check
import { existsSync, rmSync } from "node:fs";
import { join } from "node:path";
import { wordsOf } from "./problem.mjs";
import { describeLock } from "./lock.mjs";
import { fenced } from "./text.mjs";

/** @typedef {import("./job.mjs").Job} Job */
/** @typedef {import("./settings.mjs").Settings} Settings */

/**
 * @typedef {object} Planned
 * @property {"something" | "nothing" | "failed"} outcome whether there is something to do
 * @property {string} markdown the plan, or why there is none
 */

/**
 * Makes a plan from the current state, and saves it for later steps.
 *
 * @param {Job} job
 * @returns {Promise<Planned>}
 */
export async function makePlan(job) {
  const { settings, forge } = job;
  const file = planFile(settings);
  rmSync(file, { force: true });
  try {
    await job.findStore();
    const { branch } = job;
    if (branch !== undefined) {
      const tip = await branch.look();
      if (tip.lock !== undefined)
        forge.log.write(`An apply is running.\n${describeLock(tip.lock)}\n`);
      branch.restore(tip);
    }
  } catch (error) {
    const words = wordsOf(error);
    forge.log.write(`${words}\n`);
    return { outcome: "failed", markdown: withoutPlan(settings, words) };
  }
  const { environment } = settings;
  const wishes = ["--out", file, "--detailed-exitcode", "--format", "markdown"];
  const { exit, stdout, stderr } = await job.step(["plan", "--env", environment, ...wishes], {
    shown: false,
  });
  if (!forge.paged) await job.step(["plan", "--env", environment]);
  const outcome = exit === 2 ? "something" : exit === 0 ? "nothing" : "failed";
  return { outcome, markdown: stdout.trim() === "" ? withoutPlan(settings, stderr) : stdout };
}

/**
 * Saves the plan with the run, if there is one.
 *
 * @param {Job} job
 */
export function offerPlan({ forge, settings }) {
  const file = planFile(settings);
  forge.output("artifact", settings.artifact);
  forge.output("plan", existsSync(file) ? file : "");
}

/** @param {Settings} settings */
function planFile({ work }) {
  return join(work, "plan.json");
}

/** Returns the path of the reviewed plan. @param {Settings} settings */
export function reviewedFile({ work }) {
  return join(work, "reviewed", "plan.json");
}

/**
 * Returns the first line of the plan in Markdown. It identifies the comment.
 *
 * @param {Settings} settings
 */
export function planMarker({ environment, slug }) {
  return `<!-- ${["ivrctl", "plan", environment, ...(slug === "" ? [] : [slug])].join(":")} -->`;
}

/**
 * Returns the text that replaces an older plan if there is no plan now.
 *
 * @param {Settings} settings
 * @param {string} words
 */
function withoutPlan(settings, words) {
  return `${planMarker(settings)}\n\n### No plan for ${settings.environment}\n\n${fenced(words)}\n`;
}
