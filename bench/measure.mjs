// @ts-check
import { execFile } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

const execute = promisify(execFile);

/** The built command. */
export const ivrctl = fileURLToPath(new URL("../dist/ivrctl.cjs", import.meta.url));

/** A folder for everything this run writes. It is deleted when the process exits. */
export const workFolder = mkdtempSync(join(tmpdir(), "ivrctl-bench-"));
process.once("exit", () => rmSync(workFolder, { recursive: true, force: true }));

/**
 * A program that runs in its own process.
 * @typedef {object} Program
 * @property {string} [program] Node if absent
 * @property {readonly string[]} args
 * @property {string} [cwd]
 * @property {Readonly<Record<string, string>>} [env] added to the environment
 * @property {string} [compileCache] the folder of Node's compile cache, which is off if absent
 * @property {string} [prints] how its output must begin
 */

/**
 * One line of the table: the times of two programs in ms, round by round.
 * @typedef {object} Row
 * @property {string} what
 * @property {readonly number[]} times empty if the program is not available
 * @property {string} base what it is compared with
 * @property {readonly number[]} baseTimes
 * @property {number} [target] the highest ratio allowed
 */

/**
 * Runs the programs in turn and returns the times of each. The order is reversed every other round.
 * @template {readonly Program[]} const T
 * @param {T} programs
 * @param {number} rounds
 * @returns {Promise<{ [K in keyof T]: number[] }>}
 */
export async function alternate(programs, rounds) {
  /** @type {number[][]} */
  const times = programs.map(() => []);
  for (let round = 0; round < rounds; round += 1) {
    const order = [...programs.entries()];
    if (round % 2 === 1) order.reverse();
    for (const [index, program] of order) times[index]?.push(await run(program));
  }
  return /** @type {{ [K in keyof T]: number[] }} */ (times);
}

/**
 * Runs a program and returns how long it took, in ms.
 * @param {Program} program
 */
export async function run({
  program = process.execPath,
  args,
  cwd,
  env,
  compileCache,
  prints = "",
}) {
  // Node turns the cache off if the variable is set, even to an empty text.
  const cache =
    compileCache === undefined
      ? { NODE_DISABLE_COMPILE_CACHE: "1" }
      : { NODE_COMPILE_CACHE: compileCache };
  const start = performance.now();
  const running = execute(program, args, {
    cwd,
    env: { ...environment, ...cache, ...env },
    timeout: 180_000,
  });
  running.child.stdin?.end();
  const { stdout } = await running;
  const ms = performance.now() - start;
  if (!stdout.includes(prints)) throw new Error(`${args.join(" ")} printed ${stdout}`);
  return ms;
}

// Variables of the shell, such as certificates or options, would change the measurements.
export const environment = Object.fromEntries(
  Object.entries(process.env).filter(([name]) => !/^(?:NODE_|IVRCTL_|FORCE_COLOR$)/.test(name)),
);

/**
 * Returns the rows as a Markdown table.
 * @param {readonly Row[]} rows
 */
export function table(rows) {
  const lines = rows.map(({ what, times, base, baseTimes, target }) => {
    if (times.length === 0) return [what, "not available", base, "", "", ""];
    // Compare round by round, so that a busy moment slows both programs of a pair.
    const ratios = times.map((ms, round) => ms / (baseTimes[round] ?? Number.NaN));
    const missed = target !== undefined && quantile(ratios, 0.5) > target;
    const limit = target === undefined ? "" : `${target}${missed ? " (missed)" : ""}`;
    return [what, spread(times), base, spread(baseTimes), spread(ratios, 2), limit];
  });
  const head = ["what", "ms", "compared with", "ms", "times", "target"];
  return [head, ["---", "---:", "---", "---:", "---:", "---:"], ...lines]
    .map((cells) => `| ${cells.join(" | ")} |`)
    .join("\n");
}

/**
 * Returns the median with the quartiles.
 * @param {readonly number[]} values
 */
function spread(values, digits = 0) {
  const [low, median, high] = [0.25, 0.5, 0.75].map((part) =>
    quantile(values, part).toFixed(digits),
  );
  return low === high ? median : `${median} (${low}–${high})`;
}

/**
 * @param {readonly number[]} values
 * @param {number} part
 */
function quantile(values, part) {
  const sorted = values.toSorted((a, b) => a - b);
  const place = (sorted.length - 1) * part;
  const below = sorted[Math.floor(place)] ?? Number.NaN;
  const above = sorted[Math.ceil(place)] ?? Number.NaN;
  return below + (above - below) * (place - Math.floor(place));
}

/** @param {number} number */
export function count(number) {
  return number.toLocaleString("en");
}
