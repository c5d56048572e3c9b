// @ts-check
import { forgetHeld } from "./held.mjs";
import { Problem, wordsOf } from "./problem.mjs";
import { shellWord } from "./text.mjs";

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
export async function keepState({ branch, forge, settings }, { lock, begun }) {
  if (branch === undefined) return;
  try {
    if (begun) {
      const words = `State of ${settings.environment}\n\n${forge.run}\n`;
      await branch.store({ lock, words });
    } else if ((await branch.look()).lock?.id === lock) await branch.unlock(lock);
  } catch (error) {
    throw new Problem(`${wordsOf(error)}\n\n${rescue(settings, lock)}`);
  }
  forgetHeld(settings);
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

/**
 * @param {Settings} settings
 * @param {string} lock
 */
function rescue(settings, lock) {
  return [
    "The state of this run is not on its branch yet, and the lock keeps every other run out.",
    "Do not run this job again. In a clone of the repository:",
    `  ${stateCommand("pull", settings)}`,
    `  put the files of this run's artifact ${settings.stateArtifact} into .ivrctl/state/`,
    `  ${stateCommand("push", settings)} --unlock ${lock}`,
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
