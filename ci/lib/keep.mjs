// @ts-check
import { forgetHeld } from "./held.mjs";
import { Problem, wordsOf } from "./problem.mjs";
import { shellWord } from "./text.mjs";

/** @typedef {import("./job.mjs").Job} Job */
/** @typedef {import("./held.mjs").Held} Held */

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
    } else await branch.unlock(lock);
  } catch (error) {
    throw new Problem(`${wordsOf(error)}\n\n${rescue(settings, lock)}`);
  }
  forgetHeld(settings);
}

/**
 * @param {import("./settings.mjs").Settings} settings
 * @param {string} lock
 */
function rescue({ environment, directory, stateBranch, stateArtifact }, lock) {
  const where = directory === "." ? "" : ` -C ${shellWord(directory)}`;
  const branch = stateBranch === "ivrctl-state" ? "" : ` --branch ${shellWord(stateBranch)}`;
  const script = "node node_modules/ivrctl/ci/state.mjs";
  return [
    "The state of this run is not on its branch yet, and the lock keeps every other run out.",
    "Do not run this job again. In a clone of the repository:",
    `  ${script} pull --env ${environment}${branch}${where}`,
    `  put the files of this run's artifact ${stateArtifact} into .ivrctl/state/`,
    `  ${script} push --env ${environment}${branch}${where} --unlock ${lock}`,
  ].join("\n");
}
