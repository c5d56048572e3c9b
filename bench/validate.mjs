// @ts-check
import { fileURLToPath } from "node:url";
import { generate } from "./generate.mjs";
import {
  alternate,
  weighed,
  count,
  megabytes,
  ratio,
  run,
  show,
  spread,
  table,
} from "./measure.mjs";
import { benchPeers } from "./validate-peers.mjs";

/** @typedef {import("./generate.mjs").Fault} Fault */
/** @typedef {import("./measure.mjs").Contestant} Contestant */

const bareParse = fileURLToPath(new URL("bare-parse.mjs", import.meta.url));
/** How many times as long as the bare parse it may take. */
const limit = 1.5;

/** @type {readonly { readonly fault: Fault, readonly what: string }[]} */
const unclean = [
  { fault: "misspelt", what: "every destination is misspelt" },
  { fault: "ambiguous", what: "one destination names a team alone" },
  { fault: "incomplete", what: "one field is missing" },
];

/**
 * `validate` against a bare parse of the same files, and against what else people check YAML with.
 * @param {boolean} smoke
 */
export async function benchValidate(smoke) {
  const clean = (smoke ? [200] : [1_000, 50_000]).flatMap((agents) =>
    measureGrowth(smoke ? [1, 4] : [1, 100, 1_000, 10_000], agents, smoke),
  );
  const size = smoke ? 4 : 200;
  const faulty = unclean.map(({ fault, what }) =>
    measureUnclean(fault, what, size, smoke ? 200 : 50_000),
  );
  return `Whole processes, in turn: median (quartiles) of 3 rounds, and one round with 10,000 menus. The bare parse reads the same files, parses each with the same YAML library (\`parseDocument\` with a \`LineCounter\`, then \`toJS\`) and the agent list as JSON. Menus have about 40 lines. \`validate\` is to take at most ${limit} times as long. Time per menu is what a size takes beyond one menu, divided by the menus; memory is the most that \`validate\` held.

${table(
  [
    "agents",
    "menus",
    "bare parse, ms",
    "`validate`, ms",
    "times",
    "bare parse, ms per menu",
    "`validate`, ms per menu",
    "MB",
  ],
  clean,
)}

Files with faults, ${count(size)} menus each, 50,000 agents, one round:

${table(["in each menu", "errors", "bare parse, ms", "`validate`, ms", "times"], faulty)}

${benchPeers(smoke)}
`;
}

/**
 * @param {readonly number[]} sizes
 * @param {number} agents
 * @param {boolean} smoke
 */
function measureGrowth(sizes, agents, smoke) {
  const measured = sizes.map((size) => {
    const large = size >= 10_000;
    return { size, ...measureClean(size, agents, smoke || large ? 1 : 3, !large) };
  });
  return measured.map(({ size, bare, own }) => {
    const [first] = measured;
    const perMenu = (/** @type {"bare" | "own"} */ whose) => {
      if (first === undefined || size === first.size) return "";
      const { times } = whose === "bare" ? bare : own;
      const beyond = spread(times).median - spread(first[whose].times).median;
      return (beyond / (size - first.size)).toFixed(2);
    };
    return [
      count(agents),
      count(size),
      show(spread(bare.times)),
      show(spread(own.times)),
      show(ratio(own, bare), 2),
      perMenu("bare"),
      perMenu("own"),
      megabytes(own.mb),
    ];
  });
}

/**
 * @param {number} size
 * @param {number} agents
 * @param {number} rounds
 * @param {boolean} warmUp
 */
function measureClean(size, agents, rounds, warmUp) {
  const project = generate({ menus: size, agents });
  try {
    const said = size === 1 ? "1 menu is valid" : `${size} menus are valid`;
    const [bare, own] = alternate(
      [
        parsing(project.folder, size, agents),
        {
          ...weighed(project.folder, ["validate", "--agents", "agents.json"]),
          did: ({ status, stdout }) => status === 0 && stdout.startsWith(said),
        },
      ],
      rounds,
      { warmUp },
    );
    return { bare, own };
  } finally {
    project.remove();
  }
}

/**
 * @param {Fault} fault
 * @param {string} what
 * @param {number} size
 * @param {number} agents
 */
function measureUnclean(fault, what, size, agents) {
  const project = generate({ menus: size, agents, fault });
  try {
    const tally = /^(\d+) errors?(?:,|$)/m;
    /** @type {Contestant} */
    const own = {
      ...weighed(project.folder, ["validate", "--agents", "agents.json"]),
      did: ({ status, stderr }) => status === 1 && Number(tally.exec(stderr)?.[1]) >= size,
    };
    const errors = Number(tally.exec(run(own).stderr)?.[1]);
    const [bare, measured] = alternate([parsing(project.folder, size, agents), own], 1, {
      warmUp: false,
    });
    return [
      what,
      count(errors),
      show(spread(bare.times)),
      show(spread(measured.times)),
      show(ratio(measured, bare), 2),
    ];
  } finally {
    project.remove();
  }
}

/**
 * @param {string} folder
 * @param {number} menus
 * @param {number} agents
 * @returns {Contestant}
 */
function parsing(folder, menus, agents) {
  return {
    name: "bare parse",
    args: [bareParse, folder],
    did: ({ stdout }) => stdout === `${menus} files, ${agents} agents\n`,
  };
}
