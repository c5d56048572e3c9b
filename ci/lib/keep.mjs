// @ts-check
import { forgetHeld } from "./held.mjs";
import { listAt, parsed, textAt } from "./json.mjs";
import { Problem, wordsOf } from "./problem.mjs";
import { fenced, shellWord } from "./text.mjs";

/** @typedef {import("./job.mjs").Job} Job */
/** @typedef {import("./held.mjs").Held} Held */
/** @typedef {import("./settings.mjs").Settings} Settings */

/**
 * Saves the state on its branch and releases the lock, in one commit. If that fails, the lock stays,
 * so that no other run starts from an incomplete state.
 *
 * @param {Job} job
 * @param {Held} held
 */
export async function keepState(job, { lock, begun }) {
  const { branch, forge, settings } = job;
  if (branch === undefined) return forgetHeld(settings);
  try {
    if (begun) {
      const words = `State of ${settings.environment}\n\n${forge.run}\n`;
      // If the branch was deleted meanwhile, create it again with the state of this run.
      const done = await branch.store({ lock, words, first: true });
      if (done === "recreated") job.tell(recreated(branch.name));
    } else if ((await branch.look()).lock?.id === lock) await branch.unlock(lock);
  } catch (error) {
    throw new Problem(`${wordsOf(error)}\n\n${rescue(settings, lock)}`);
  }
  forgetHeld(settings);
}

/**
 * Reports unknown outcomes in the state, and how to resolve them.
 *
 * @param {Job} job
 * @returns {Promise<void>}
 */
export async function tellUnknown(job) {
  const { settings, branch } = job;
  const env = ["--env", settings.environment];
  const { stdout } = await job.ask("state", "list", ...env, "--format", "json");
  const keys = listAt(parsed(stdout), "keys")
    .filter((one) => textAt(one, "condition") === "unknown")
    .map((one) => textAt(one, "key") ?? "");
  if (keys.length === 0) return;
  const shown = await job.ask("state", "show", ...env, "--", ...keys);
  const words = [shown.stdout, ...(branch === undefined ? [] : [byHandOnState(settings)])];
  job.tell(`These menus were sent, but their outcome is unknown:\n\n${fenced(words.join("\n"))}`);
}

/**
 * Explains how to get the state of the pipeline, and how to save it again.
 *
 * @param {Settings} settings
 */
export function byHandOnState(settings) {
  return [
    "These commands need the state of the pipeline. In a clone of the repository, run pull before them and push after them:",
    `  ${stateCommand("pull", settings)}`,
    `  ${stateCommand("push", settings)}`,
  ].join("\n");
}

/** @param {string} branch */
function recreated(branch) {
  return `The branch ${branch} was deleted during this run. It was created again with the state of this run only. Restore the states of other environments and projects before anything else is applied.`;
}

/**
 * @param {Settings} settings
 * @param {string} lock
 */
function rescue(settings, lock) {
  return [
    "The state of this run is not on its branch yet. The lock keeps other runs from starting.",
    "Do not run this job again. In a clone of the repository:",
    `  ${stateCommand("pull", settings)}`,
    `  copy the files of the artifact ${settings.stateArtifact} of this run to .ivrctl/state/`,
    `  ${stateCommand("push", settings)} --unlock ${lock}`,
    "If the branch does not exist any more, skip the pull and add --first to the push.",
  ].join("\n");
}

/**
 * @param {string} command
 * @param {Settings} settings
 */
function stateCommand(command, { environment, directory, stateBranch }) {
  const where = directory === "." ? [] : ["-C", shellWord(directory)];
  const branch = stateBranch === "ivrctl-state" ? [] : ["--branch", shellWord(stateBranch)];
  const words = [command, "--env", environment, ...branch, ...where];
  return `node node_modules/ivrctl/ci/state.mjs ${words.join(" ")}`;
}
