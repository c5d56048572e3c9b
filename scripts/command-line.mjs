// @ts-check
import { parseArgs } from "node:util";

/**
 * Reads the options of a script. Ends the process with one line if they are wrong.
 * @template {NonNullable<import("node:util").ParseArgsConfig["options"]>} const T
 * @param {T} options
 */
export function readOptions(options) {
  try {
    return parseArgs({ options }).values;
  } catch (error) {
    return fail(error instanceof Error ? error.message : String(error));
  }
}

/**
 * Prints a message and ends the process with 1.
 * @param {string} message
 * @returns {never}
 */
export function fail(message) {
  process.stderr.write(`${message}\n`);
  process.exit(1);
}
