// @ts-check
import { generate } from "./generate.mjs";
import { alternate, command, peakMemory, ratio, run, show, spread, table } from "./measure.mjs";
import { startService } from "./service.mjs";

/**
 * Plans of projects of several sizes, with nothing to do and with everything to do.
 * @param {boolean} smoke
 */
export async function benchPlan(smoke) {
  const rows = [];
  for (const menus of smoke ? [20] : [1000, 5000, 10_000])
    rows.push(await size(menus, smoke ? 1 : 2));
  return `Whole processes, in turn: median (quartiles) of ${smoke ? 1 : 2} rounds; ${agents.toLocaleString("en")} agents from a file. \`validate\` of the same files does everything but the plan. Nothing to do: every menu is in the state as it is. Everything: there is no state.

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
async function size(menus, rounds) {
  const [done, fresh] = [generate({ menus, agents }), generate({ menus, agents })];
  try {
    await apply(done.folder);
    const list = ["--agents", "agents.json"];
    const idle = { name: "nothing", args: [command, "plan", ...list], cwd: done.folder };
    const busy = { name: "everything", args: [command, "plan", ...list], cwd: fresh.folder };
    const [validate = [], nothing = [], everything = []] = alternate(
      [{ name: "validate", args: [command, "validate", ...list], cwd: done.folder }, idle, busy],
      rounds,
    );
    const figures = (
      /** @type {number[]} */ times,
      /** @type {import("./measure.mjs").Contestant} */ contestant,
    ) => [
      show(spread(times)),
      show(ratio(times, validate), 2),
      (spread(times).median / menus).toFixed(2),
      peakMemory(contestant).toFixed(0),
    ];
    return [
      menus.toLocaleString("en"),
      show(spread(validate)),
      ...figures(nothing, idle),
      ...figures(everything, busy),
    ];
  } finally {
    done.remove();
    fresh.remove();
  }
}

/**
 * Brings every menu of a project into its state, through a service that says yes to all.
 * @param {string} folder
 */
async function apply(folder) {
  const service = await startService(0, folder, 16);
  run({ name: "apply", args: [command, "apply", "--auto-approve", "--quiet"], cwd: folder });
  service.end();
}
