// @ts-check
import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";

/** The command as built. */
export const command = fileURLToPath(new URL("../dist/ivrctl.cjs", import.meta.url));
const peakMemory = fileURLToPath(new URL("peak-memory.cjs", import.meta.url));

/**
 * A program whose whole process is measured.
 * @typedef {object} Contestant
 * @property {string} name
 * @property {string} [program] Node, unless another is given
 * @property {readonly string[]} args
 * @property {string} [cwd]
 * @property {Readonly<Record<string, string>>} [env] beside what is in the environment
 * @property {() => void} [prepare] before each run, not measured
 * @property {true} [weighed] whether its memory is measured too, which takes a millisecond
 * @property {(outcome: Outcome) => boolean} [did] whether it did what is measured
 * @property {number} [patience] after how many ms it is given up
 */

/** @typedef {{ ms: number, mb: number, status: number | null, stdout: string, stderr: string }} Outcome */
/** What was measured, round by round; the most memory that a run of Node held. @typedef {{ times: number[], mb: number }} Series */
/** @typedef {{ low: number, median: number, high: number }} Spread */

/**
 * The command in a project, with its memory measured.
 * @param {string} folder
 * @param {readonly string[]} args
 * @returns {Contestant}
 */
export function weighed(folder, args) {
  return {
    name: args.join(" "),
    args: [command, ...args],
    cwd: folder,
    weighed: true,
  };
}

/** A run took longer than anyone would wait. */
class GivenUp extends Error {}

/**
 * Runs all contestants in turn, as often as there are rounds, the order turned
 * round each time, unless one needs what another leaves; one more round before
 * them warms the disk's cache, where it is worth its time.
 * @template {readonly Contestant[]} const T
 * @param {T} contestants
 * @param {number} rounds
 * @param {{ warmUp?: boolean, inOrder?: boolean }} [options]
 * @returns {{ [K in keyof T]: Series }} by contestant
 */
export function alternate(contestants, rounds, { warmUp = true, inOrder = false } = {}) {
  /** @type {Series[]} */
  const measured = contestants.map(() => ({ times: [], mb: 0 }));
  for (let round = warmUp ? 0 : 1; round <= rounds; round += 1) {
    const order = [...contestants.keys()];
    if (round % 2 === 1 && !inOrder) order.reverse();
    for (const index of order) {
      const [contestant, series] = [contestants[index], measured[index]];
      if (contestant === undefined || series === undefined) continue;
      const { ms, mb } = runOrGiveUp(contestant);
      if (round > 0) series.times.push(ms);
      series.mb = Math.max(series.mb, mb);
    }
  }
  return /** @type {{ [K in keyof T]: Series }} */ (measured);
}

/**
 * Of a run that was given up there are no figures.
 * @param {Contestant} contestant
 * @returns {Pick<Outcome, "ms" | "mb">}
 */
function runOrGiveUp(contestant) {
  try {
    return run(contestant);
  } catch (error) {
    if (error instanceof GivenUp) return { ms: Number.NaN, mb: Number.NaN };
    throw error;
  }
}

/**
 * @param {Contestant} contestant
 * @returns {Outcome}
 */
export function run({ did = succeeded, ...contestant }) {
  const { name, program, args, cwd, env, prepare, weighed, patience } = contestant;
  prepare?.();
  const start = performance.now();
  const scales = weighed === true ? ["--require", peakMemory] : [];
  const child = spawnSync(program ?? process.execPath, [...scales, ...args], {
    cwd,
    env: { ...environment, ...env },
    stdio: ["ignore", "pipe", "pipe", "pipe"],
    encoding: "utf8",
    maxBuffer: 2 ** 30,
    timeout: patience,
  });
  const ms = performance.now() - start;
  if (child.error !== undefined) {
    throw "code" in child.error && child.error.code === "ETIMEDOUT"
      ? new GivenUp(`${name} was not done after ${patience} ms`)
      : child.error;
  }
  const { status, signal, stdout, stderr } = child;
  // Ctrl-C meets the child first; whoever pressed it has seen enough.
  if (signal === "SIGINT" || status === 130) process.exit(130);
  const outcome = { ms, mb: Number(child.output[3]) / 1e6, status, stdout, stderr };
  if (!did(outcome)) {
    const said = `${stdout}\n${stderr}`.trim().slice(0, 2000);
    throw new Error(
      `${name} did not do what is measured (${signal ?? `exit ${status}`}):\n${said}`,
    );
  }
  return outcome;
}

/** @param {Outcome} outcome */
function succeeded({ status }) {
  return status === 0;
}

/**
 * How many times as long as the base, round by round, so that a busy moment
 * weighs on both.
 * @param {Pick<Series, "times">} measured
 * @param {Pick<Series, "times">} base
 */
export function ratio({ times }, base) {
  return spread(times.map((ms, round) => ms / (base.times[round] ?? Number.NaN)));
}

/**
 * The median and the quartiles.
 * @param {readonly number[]} values
 * @returns {Spread}
 */
export function spread(values) {
  const sorted = values.toSorted((a, b) => a - b);
  const at = (/** @type {number} */ part) => {
    const place = (sorted.length - 1) * part;
    const below = sorted[Math.floor(place)] ?? Number.NaN;
    const above = sorted[Math.ceil(place)] ?? Number.NaN;
    return below + (above - below) * (place - Math.floor(place));
  };
  return { low: at(0.25), median: at(0.5), high: at(0.75) };
}

/**
 * Of a single round there are no quartiles.
 * @param {Spread} spread
 * @param {number} [digits]
 */
export function show({ low, median, high }, digits = 0) {
  if (Number.isNaN(low + median + high)) return "given up";
  const middle = median.toFixed(digits);
  return low === high ? middle : `${middle} (${low.toFixed(digits)}–${high.toFixed(digits)})`;
}

/** Memory that was not measured is not shown. @param {number} mb */
export function megabytes(mb) {
  return mb > 0 ? mb.toFixed(0) : "";
}

/** @param {number} number */
export function count(number) {
  return number.toLocaleString("en");
}

/**
 * A Markdown table; all columns but the first hold figures.
 * @param {readonly string[]} head
 * @param {readonly (readonly string[])[]} rows
 */
export function table(head, rows) {
  const line = (/** @type {readonly string[]} */ cells) => `| ${cells.join(" | ")} |`;
  return [line(head), line(head.map((_, i) => (i === 0 ? "---" : "---:"))), ...rows.map(line)].join(
    "\n",
  );
}

// Certificates to read, a compile cache, options or an environment from outside
// would all be measured too.
const environment = {
  ...Object.fromEntries(
    Object.entries(process.env).filter(([name]) => !/^(?:NODE_|IVRCTL_|FORCE_COLOR$)/.test(name)),
  ),
  NODE_DISABLE_COMPILE_CACHE: "1",
};
