// @ts-check
import { appliedProject } from "./applied.mjs";
import { generate } from "./generate.mjs";
import { alternate, weighed, count, megabytes, ratio, show, spread, table } from "./measure.mjs";

/** @typedef {import("./measure.mjs").Series} Series */

/**
 * Plans of projects of several sizes, with nothing to do and with everything to do.
 * @param {boolean} smoke
 */
export async function benchPlan(smoke) {
  const rows = [];
  for (const menus of smoke ? [20] : [100, 1_000, 10_000]) {
    rows.push(await measure(menus, smoke ? 1 : menus < 10_000 ? 2 : 1));
  }
  return `Whole processes, in turn: median (quartiles) of 2 rounds, and one round with 10,000 menus; ${count(agents)} agents from a file. \`validate\` of the same files does everything but the plan. Nothing to do: every menu is in the state as it is. Everything: there is no state. Memory is the most that a run held.

${table(
  [
    "menus",
    "`validate`, ms",
    "nothing to do, ms",
    "times `validate`",
    "ms per menu",
    "MB",
    "everything, ms",
    "times `validate`",
    "ms per menu",
    "MB",
  ],
  rows,
)}
`;
}

const agents = 1000;

/**
 * @param {number} menus
 * @param {number} rounds
 */
async function measure(menus, rounds) {
  const done = await appliedProject(menus, agents);
  const fresh = generate({ menus, agents });
  try {
    const list = ["--agents", "agents.json"];
    const [validate, nothing, everything] = alternate(
      [
        weighed(fresh.folder, ["validate", ...list]),
        weighed(done.folder, ["plan", ...list]),
        weighed(fresh.folder, ["plan", ...list]),
      ],
      rounds,
      { warmUp: false },
    );
    const figures = (/** @type {Series} */ own) => [
      show(spread(own.times)),
      show(ratio(own, validate), 2),
      (spread(own.times).median / menus).toFixed(2),
      megabytes(own.mb),
    ];
    return [
      count(menus),
      show(spread(validate.times)),
      ...figures(nothing),
      ...figures(everything),
    ];
  } finally {
    fresh.remove();
  }
}
