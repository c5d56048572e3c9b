// @ts-check
import { Git } from "./lib/git.mjs";
import { job } from "./lib/job.mjs";
import { makePlan, offerPlan, planMarker } from "./lib/plan.mjs";
import { wordsOf } from "./lib/problem.mjs";
import { fenced } from "./lib/text.mjs";

/*
 * Runs for a pull request. Runs all checks, even if one fails, and shows what would change. Shows a
 * plan or, if the secrets and the state are not available, the difference between two revisions.
 */

/** @typedef {import("./lib/job.mjs").Job} Job */

/** The longest comment on GitHub, in characters. GitLab allows more. */
const commentLimit = 65_536;

await job(async (job) => {
  const { untrusted, base } = job.forge.change();
  const failed = await check(job);
  if (untrusted === undefined) failed.push(...(await showPlan(job, failed)));
  else failed.push(...(await showDiff(job, untrusted, base)));
  if (failed.length === 0) return 0;
  job.tell(`Failed: ${failed.join(", ")}.`);
  return 1;
});

/**
 * @param {Job} job
 * @returns {Promise<string[]>} what failed
 */
async function check(job) {
  const { forge, settings, ask } = job;
  const env = ["--env", settings.environment];
  const failed = [];
  for (const args of [
    ["fmt", "--check"],
    ["validate", ...env],
    ["test", ...env],
  ]) {
    const { exit } = await job.step(args);
    if (exit !== 0) failed.push(`ivrctl ${args[0]}`);
  }
  const asked = (/** @type {readonly string[]} */ ...args) => ask(...args, ...env);
  await forge.markProblems(asked, settings);
  await forge.markTests(asked, failed.includes("ivrctl test"), settings);
  return failed;
}

/**
 * @param {Job} job
 * @param {readonly string[]} failed what failed before
 * @returns {Promise<string[]>} what fails now
 */
async function showPlan(job, failed) {
  const { forge, settings } = job;
  const { outcome, markdown } = await makePlan(job);
  offerPlan(job);
  const all = outcome === "failed" ? [...failed, "ivrctl plan"] : failed;
  const marker = planMarker(settings);
  const text = markdown.replace(/^<!--.*-->/, marker).trimEnd();
  const body = fitted(text, footnote(job, all));
  forge.summarize(body, settings);
  const now = outcome === "failed" ? ["ivrctl plan"] : [];
  try {
    const words = await forge.comment(marker, body);
    if (words !== undefined) forge.log.write(`${words}\n`);
    return now;
  } catch (error) {
    // The old comment is still there but belongs to an older commit, so the job must fail.
    forge.log.write(`${wordsOf(error)}\n`);
    forge.summarize(fenced(wordsOf(error)), settings);
    return [...now, "the comment with the plan"];
  }
}

/**
 * @param {Job} job
 * @param {string} why
 * @param {import("./lib/forge.mjs").Change["base"]} base
 * @returns {Promise<string[]>} what fails
 */
async function showDiff(job, why, base) {
  const { forge, settings } = job;
  const against = await base(new Git(settings.project));
  const args = ["diff", against, "--env", settings.environment];
  await job.step(args);
  const { exit, stdout } = await job.ask(...args, "--format", "markdown");
  forge.summarize(
    `${stdout.trimEnd()}\n\n<sub>There is no plan for this change, because ${why}: such a change has no access to secrets and state. This is what it changes in the files, with the agents in <code>agents.lock.json</code>.</sub>`,
    settings,
  );
  return exit === 0 ? [] : ["ivrctl diff"];
}

/**
 * @param {Job} job
 * @param {readonly string[]} failed
 */
function footnote({ forge }, failed) {
  const faults = failed.length === 0 ? "" : `<b>Failed: ${failed.join(", ")}.</b> `;
  return `<sub>${faults}Commit ${forge.commit}, <a href="${forge.run}">this run</a>.</sub>`;
}

/**
 * @param {string} text
 * @param {string} note left out if there is no room
 */
function fitted(text, note) {
  const whole = `${text}\n\n${note}\n`;
  if (whole.length <= commentLimit) return whole;
  if (text.length < commentLimit) return `${text}\n`;
  // Too long even without the note.
  const [marker, heading] = text.split("\n\n", 2);
  return `${marker}\n\n${heading}\n\nThe rest is too long for a comment.\n\n${note}\n`;
}
