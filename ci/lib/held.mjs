// @ts-check
import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { at, numberAt, parsed, textAt } from "./json.mjs";

/*
 * The lock that this job holds on the state branch. The cleanup step reads it if the job was killed.
 */

/**
 * @typedef {object} Held
 * @property {string} lock the id of the lock
 * @property {boolean} begun the state was copied to the project and may have changed there
 * @property {number | undefined} [pid] the process that changes the state
 */

/** @typedef {import("./settings.mjs").Settings} Settings */

/**
 * @param {Settings} settings
 * @param {Held} held
 */
export function rememberHeld(settings, held) {
  writeFileSync(fileOf(settings), JSON.stringify(held));
}

/** @param {Settings} settings */
export function forgetHeld(settings) {
  rmSync(fileOf(settings), { force: true });
}

/**
 * @param {Settings} settings
 * @returns {Held | undefined}
 */
export function heldNow(settings) {
  const file = fileOf(settings);
  if (!existsSync(file)) return undefined;
  const value = parsed(readFileSync(file, "utf8"));
  const lock = textAt(value, "lock");
  if (lock === undefined) return undefined;
  return { lock, begun: at(value, "begun") === true, pid: numberAt(value, "pid") };
}

/** @param {Settings} settings */
function fileOf({ work, artifact }) {
  return join(work, `${artifact}.held.json`);
}
