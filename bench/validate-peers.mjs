// @ts-check
import { generate } from "./generate.mjs";
import { alternate, cold, command, count, ratio, run, show, spread, table } from "./measure.mjs";
import { installPeers } from "./peers.mjs";

/** @typedef {import("./peers.mjs").Peer} Peer */

const sizes = [100, 300];
const agents = 1_000;

/**
 * `validate`, for the first time and again, next to programs that do less. Of
 * 1,000 menus some of them take half a minute.
 * @param {boolean} smoke without them: they would have to be fetched
 */
export function benchPeers(smoke) {
  if (smoke) return "Other programs were not fetched.";
  const { peers, remove } = installPeers();
  const sample = generate({ menus: 1, agents });
  try {
    const able = peers.filter((peer) => isAble(peer, sample.folder));
    const rows = sizes.flatMap((menus) => measure(peers, able, menus));
    return `Next to programs that do less: whole processes, ${count(agents)} agents, median (quartiles) of 3 rounds in turn, and one round with 300 menus. The first time there is no cache; again, nothing has changed. How many times as long as \`validate\` each takes stands beside it. The schema is ivrctl's own, from schema/; none of them resolves an agent or an alias.

${table(["menus", "program", "checks", "tells where", "ms", "times the first time", "times again"], rows)}`;
  } finally {
    sample.remove();
    remove();
  }
}

/**
 * Whether it is there, and finds nothing wrong with a menu that is sound.
 * @param {Peer} peer
 * @param {string} folder
 */
function isAble({ checks }, folder) {
  if (checks === undefined) return false;
  try {
    run(checks(folder));
    return true;
  } catch {
    return false;
  }
}

/**
 * @param {readonly Peer[]} peers
 * @param {readonly Peer[]} able those that are to be had
 * @param {number} menus
 */
function measure(peers, able, menus) {
  const wanted = { menus, agents };
  const [first, again] = [generate(wanted), generate(wanted)];
  try {
    const args = ["validate", "--agents", "agents.json"];
    const warm = { name: "again", args: [command, ...args], cwd: again.folder };
    run(warm);
    const own = [cold(first.folder, args), warm];
    const [firstTimes = [], againTimes = [], ...theirs] = alternate(
      [...own, ...able.flatMap(({ checks }) => checks?.(first.folder) ?? [])],
      menus < 300 ? 3 : 1,
      { warmUp: menus < 300 },
    );
    const row = (/** @type {string[]} */ about, /** @type {number[]} */ times) => [
      count(menus),
      ...about,
      show(spread(times)),
      show(ratio(times, firstTimes), 2),
      show(ratio(times, againTimes), 2),
    ];
    return [
      row(["`validate`, the first time", "everything", "line and column"], firstTimes),
      row(["`validate`, again", "everything", "line and column"], againTimes),
      ...peers.map((peer) => {
        const { name, does, positions } = peer;
        const times = theirs[able.indexOf(peer)];
        return times === undefined
          ? [count(menus), name, does, positions, "not to be had here", "", ""]
          : row([name, does, positions], times);
      }),
    ];
  } finally {
    first.remove();
    again.remove();
  }
}
