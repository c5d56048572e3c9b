// @ts-check
import { forgetHeld } from "./held.mjs";
import { listAt, parsed, textAt } from "./json.mjs";
import { Problem, wordsOf } from "./problem.mjs";
import { fenced, shellWord } from "./text.mjs";

/** @typedef {import("./job.mjs").Job} Job */
/** @typedef {import("./held.mjs").Held} Held */
/** @typedef {import("./settings.mjs").Settings} Settings */

/**
 * Brings the state to its branch and takes the lock away, in one commit. Where that
 * fails the lock stays: no other run can begin from a state that lacks what this one did.
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
      // A branch that somebody deleted meanwhile begins again with what is known here.
      const done = await branch.store({ lock, words, first: true });
      if (done === "stored anew") job.tell(anew(branch.name));
    } else if ((await branch.look()).lock?.id === lock) await branch.unlock(lock);
  } catch (error) {
    throw new Problem(`${wordsOf(error)}\n\n${rescue(settings, lock)}`);
  }
  forgetHeld(settings);
}

/**
 * Names what is unknown in the state as it is here, and how it is settled.
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
  job.tell(
    `What was sent earlier, and nobody knows what became of it:\n\n${fenced(words.join("\n"))}`,
  );
}

/**
 * How a person gets at the pipeline's state, and brings it back.
 *
 * @param {Settings} settings
 */
export function byHandOnState(settings) {
  return [
    "The commands need the pipeline's state. In a clone of the repository, before and after them:",
    `  ${stateCommand("pull", settings)}`,
    `  ${stateCommand("push", settings)}`,
  ].join("\n");
}

/** @param {string} branch */
function anew(branch) {
  return `The branch ${branch} was deleted during this run, and begins again with the state of this run. What it held of other environments and projects is not on it: bring that back before anything else is applied.`;
}

/**
 * @param {Settings} settings
 * @param {string} lock
 */
function rescue(settings, lock) {
  return [
    "The state of this run is not on its branch yet. As long as its lock is there, no other run begins.",
    "Do not run this job again. In a clone of the repository:",
    `  ${stateCommand("pull", settings)}`,
    `  put the files of this run's artifact ${settings.stateArtifact} into .ivrctl/state/`,
    `  ${stateCommand("push", settings)} --unlock ${lock}`,
    "Where the branch is gone, there is nothing to pull; add --first to the push.",
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
