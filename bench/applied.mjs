// @ts-check
import { generate } from "./generate.mjs";
import { command, run } from "./measure.mjs";
import { startService } from "./service.mjs";

/**
 * A project all of whose menus are in its state, and what it took to bring them there.
 * @typedef {object} Applied
 * @property {string} folder
 * @property {number} mb the most memory that the apply held
 */

/** @type {Map<number, Applied>} */
const made = new Map();

/**
 * Made once in a run, through a service that says yes to everything; it goes with the process.
 * @param {number} menus
 * @param {number} agents
 * @returns {Promise<Applied>}
 */
export async function appliedProject(menus, agents) {
  const earlier = made.get(menus);
  if (earlier !== undefined) return earlier;
  const { folder } = generate({ menus, agents });
  const service = await startService(0, folder, 16);
  try {
    const args = [command, "apply", "--auto-approve", "--quiet"];
    const { mb } = run({ name: "apply", args, cwd: folder, weighed: true });
    const applied = { folder, mb };
    made.set(menus, applied);
    return applied;
  } finally {
    service.end();
  }
}
