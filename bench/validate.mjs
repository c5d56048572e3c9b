// @ts-check
import { rmSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { generate } from "./generate.mjs";
import {
  GivenUp,
  alternate,
  command,
  peakMemory,
  ratio,
  run,
  show,
  spread,
  table,
} from "./measure.mjs";

/** @typedef {import("./generate.mjs").Fault} Fault */
/** @typedef {import("./measure.mjs").Contestant} Contestant */

const bareParse = fileURLToPath(new URL("bare-parse.mjs", import.meta.url));
const limit = 1.5;
const patience = 60_000;

/** @type {readonly { readonly fault: Fault, readonly what: string }[]} */
const unclean = [
  { fault: "misspelt", what: "every destination is misspelt" },
  { fault: "ambiguous", what: "one destination names a team alone" },
  { fault: "incomplete", what: "one field is missing" },
];

/**
 * `validate` against a bare parse of the same files.
 * @param {boolean} smoke
 */
export async function benchValidate(smoke) {
  const agents = smoke ? 200 : 50_000;
  const rounds = smoke ? 1 : 5;
  const sizes = smoke ? [1, 4] : [1, 500, 1_000, 2_000];
  const menus = smoke ? 4 : 2_000;
  const clean = sizes.map((size) => measureClean(size, agents, rounds));
  const faulty = unclean.map(({ fault, what }) =>
    measureUnclean(fault, what, menus, agents, smoke ? 1 : 2),
  );
  return `Whole processes, in turn: median (quartiles) of ${rounds} rounds. The bare parse reads the same files, parses each with the same YAML library (\`parseDocument\` with a \`LineCounter\`, then \`toJS\`) and the agent list as JSON. Menus have about 40 lines; there are ${count(agents)} agents. \`validate\` runs without any cache and may take ${limit} times as long at ${count(2_000)} menus. Time per menu is what a size takes beyond one menu, divided by the menus.

${table(
  [
    "menus",
    "bare parse, ms",
    "`validate`, ms",
    "times",
    "bare parse, ms per menu",
    "`validate`, ms per menu",
    "bare parse, MB",
    "`validate`, MB",
  ],
  clean.map((row, index) => {
    const more = row.size - (clean[0]?.size ?? 0);
    const perMenu = (/** @type {"bare" | "own"} */ whose) =>
      index === 0
        ? ""
        : ((spread(row[whose]).median - spread(clean[0]?.[whose] ?? []).median) / more).toFixed(3);
    return [
      count(row.size),
      show(spread(row.bare)),
      show(spread(row.own)),
      show(ratio(row.own, row.bare), 2),
      perMenu("bare"),
      perMenu("own"),
      row.bareMemory.toFixed(0),
      row.ownMemory.toFixed(0),
    ];
  }),
)}

Files with faults, ${count(menus)} menus each:

${table(["in each menu", "errors", "bare parse, ms", "`validate`, ms", "times", "`validate`, MB"], faulty)}
`;
}

/**
 * @param {number} size
 * @param {number} agents
 * @param {number} rounds
 */
function measureClean(size, agents, rounds) {
  const project = generate({ menus: size, agents });
  try {
    const noun = size === 1 ? "menu is" : "menus are";
    const bare = parsing(project.folder, size, agents);
    const own = validating(
      project.folder,
      ({ status, stdout }) => status === 0 && stdout.startsWith(`${size} ${noun} valid`),
    );
    const [bareTimes = [], ownTimes = []] = alternate([bare, own], rounds);
    return {
      size,
      bare: bareTimes,
      own: ownTimes,
      bareMemory: peakMemory(bare),
      ownMemory: peakMemory(own),
    };
  } finally {
    project.remove();
  }
}

/**
 * @param {Fault} fault
 * @param {string} what
 * @param {number} size
 * @param {number} agents
 * @param {number} rounds
 */
function measureUnclean(fault, what, size, agents, rounds) {
  const project = generate({ menus: size, agents, fault });
  try {
    const tally = /^(\d+) errors?$/m;
    const bare = parsing(project.folder, size, agents);
    const own = validating(
      project.folder,
      ({ status, stderr }) => status === 1 && Number(tally.exec(stderr)?.[1]) >= size,
    );
    const errors = Number(tally.exec(run(own).stderr)?.[1]);
    const [bareTimes = [], ownTimes = []] = alternate([bare, own], rounds);
    return [
      what,
      count(errors),
      show(spread(bareTimes)),
      show(spread(ownTimes)),
      show(ratio(ownTimes, bareTimes), 2),
      peakMemory(own).toFixed(0),
    ];
  } catch (error) {
    if (!(error instanceof GivenUp)) throw error;
    return [what, "", "", `given up after ${count(patience)}`, "", ""];
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

/**
 * @param {string} folder
 * @param {Contestant["did"]} did
 * @returns {Contestant}
 */
function validating(folder, did) {
  return {
    name: "validate",
    args: [command, "validate", "--agents", "agents.json"],
    cwd: folder,
    patience,
    prepare: () => rmSync(join(folder, ".ivrctl"), { recursive: true, force: true }),
    ...(did === undefined ? {} : { did }),
  };
}

/** @param {number} number */
function count(number) {
  return number.toLocaleString("en");
}
