// @ts-check
import { appendFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { generate } from "./generate.mjs";
import { alternate, command, count, megabytes, ratio, show, spread, table } from "./measure.mjs";

const goal = 5;

/**
 * What is written under the table: the arguments of each command, and of how many menus.
 * @type {readonly { readonly args: readonly string[], readonly menus: number, readonly agents: number }[]}
 */
const all = [
  { args: ["validate"], menus: 10_000, agents: 1_000 },
  { args: ["validate"], menus: 1_000, agents: 1_000 },
  { args: ["validate"], menus: 100, agents: 1_000 },
  { args: ["fmt", "--check"], menus: 1_000, agents: 1_000 },
  { args: ["compile"], menus: 1_000, agents: 1_000 },
  { args: ["test"], menus: 1_000, agents: 1_000 },
  { args: ["plan", "--agents", "agents.lock.json"], menus: 1_000, agents: 1_000 },
];

/**
 * The same again with nothing changed, and with one menu changed.
 * @param {boolean} smoke
 */
export async function benchCache(smoke) {
  const rounds = smoke ? 1 : 2;
  const sizes = smoke ? [{ args: ["validate"], menus: 60, agents: 200 }] : all;
  const rows = sizes.map((row) => measure(row, rounds));
  return `Whole processes, in turn: median (quartiles) of ${rounds} rounds, and one round with 10,000 menus. The first time there is no \`.ivrctl/cache\`, and it is written; again, nothing has changed; then one menu has. Each is to be at least ${goal} times as fast as the first time for \`validate\` of 10,000 menus.

${table(
  [
    "",
    "menus",
    "agents",
    "first, ms",
    "again, ms",
    "times as fast",
    "one changed, ms",
    "times as fast",
    "first, MB",
    "again, MB",
  ],
  rows,
)}
`;
}

/**
 * @param {(typeof all)[number]} row
 * @param {number} rounds
 */
function measure({ args, menus, agents }, rounds) {
  const { folder, remove } = generate({ menus, agents, shape: "snapshot" });
  const large = menus >= 10_000;
  try {
    const own = { args: [command, ...args], cwd: folder };
    const [first, again, changed] = alternate(
      [
        { ...own, name: "first", prepare: () => forget(folder), weighed: true },
        { ...own, name: "again", weighed: true },
        { ...own, name: "one changed", prepare: () => change(folder) },
      ],
      large ? 1 : rounds,
      { warmUp: false, inOrder: true },
    );
    return [
      `\`${args.join(" ")}\``,
      count(menus),
      count(agents),
      show(spread(first.times)),
      show(spread(again.times)),
      show(ratio(first, again), 1),
      show(spread(changed.times)),
      show(ratio(first, changed), 1),
      megabytes(first.mb),
      megabytes(again.mb),
    ];
  } finally {
    remove();
  }
}

/** @param {string} folder */
function forget(folder) {
  rmSync(join(folder, ".ivrctl"), { recursive: true, force: true });
}

/** @param {string} folder */
function change(folder) {
  appendFileSync(join(folder, "ivrs/pune/line-00000.yaml"), "# One line more.\n");
}
