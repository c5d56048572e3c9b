// @ts-check
import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { at, numberAt, parsed, textAt } from "./json.mjs";

/*
 * What this job holds on the state's branch, for the step that cleans up after
 * one that was ended from outside.
 */

/**
 * @typedef {object} Held
 * @property {string} lock the id of the lock
 * @property {boolean} begun the state of the branch is in the project's folder, and may have changed there
 * @property {number | undefined} [pid] of the ivrctl that changes it
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
