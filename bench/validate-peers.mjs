// @ts-check
import { generate } from "./generate.mjs";
import { alternate, weighed, command, count, ratio, run, show, spread, table } from "./measure.mjs";
import { installPeers } from "./peers.mjs";

/** @typedef {import("./measure.mjs").Series} Series */
/** @typedef {import("./peers.mjs").Peer} Peer */

/** Of more, some of them take minutes. */
const menus = 100;
const agents = 1_000;
const rounds = 2;

/**
 * `validate`, for the first time and again, next to programs that do less.
 * @param {boolean} smoke without them: they would have to be fetched
 */
export function benchPeers(smoke) {
  if (smoke) return "Other programs were not fetched.";
  const { peers, remove } = installPeers();
  const sample = generate({ menus: 1, agents });
  try {
    const able = peers.filter((peer) => isAble(peer, sample.folder));
    const rows = measure(peers, able);
    return `Next to programs that do less: whole processes, ${count(menus)} menus, ${count(agents)} agents, median (quartiles) of ${rounds} rounds in turn. The first time there is no cache; again, nothing has changed. How many times as long as \`validate\` each takes stands beside it. The schema is ivrctl's own, from schema/; none of them resolves an agent or an alias.

${table(["program", "checks", "tells where", "ms", "times the first time", "times again"], rows)}`;
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
 */
function measure(peers, able) {
  const wanted = { menus, agents };
  const [first, again] = [generate(wanted), generate(wanted)];
  try {
    const args = ["validate", "--agents", "agents.json"];
    const warm = { name: "again", args: [command, ...args], cwd: again.folder };
    run(warm);
    const [firstRuns, againRuns, ...theirs] = alternate(
      [
        weighed(first.folder, args),
        warm,
        ...able.flatMap(({ checks }) => checks?.(first.folder) ?? []),
      ],
      rounds,
      { warmUp: false },
    );
    const row = (/** @type {string[]} */ about, /** @type {Series} */ runs) => [
      ...about,
      show(spread(runs.times)),
      show(ratio(runs, firstRuns), 2),
      show(ratio(runs, againRuns), 2),
    ];
    return [
      row(["`validate`, the first time", "everything", "line and column"], firstRuns),
      row(["`validate`, again", "everything", "line and column"], againRuns),
      ...peers.map((peer) => {
        const { name, does, positions } = peer;
        const runs = theirs[able.indexOf(peer)];
        return runs === undefined
          ? [name, does, positions, "not to be had here", "", ""]
          : row([name, does, positions], runs);
      }),
    ];
  } finally {
    first.remove();
    again.remove();
  }
}
