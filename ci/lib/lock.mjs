// @ts-check
import { listAt, parsed, textAt } from "./json.mjs";
import { Problem } from "./problem.mjs";
import { oneLine } from "./text.mjs";

/**
 * The lock on the state branch.
 *
 * @typedef {object} Lock
 * @property {string} id
 * @property {string} text the content of the file
 */

/**
 * @param {string} id
 * @param {string} environment
 * @param {object} about
 * @returns {string}
 */
export function lockText(id, environment, about) {
  const content = { format: "ivrctl-pipeline-lock", version: 1, id, environment, ...about };
  return `${JSON.stringify(content, null, 2)}\n`;
}

/**
 * Reads a lock. An unreadable lock still counts as a lock.
 *
 * @param {string} text
 * @returns {Lock}
 */
export function lockOf(text) {
  return { id: textAt(parsed(text), "id") ?? "unreadable", text };
}

/**
 * @param {Lock} lock
 * @returns {string} who holds it, since when, and why
 */
export function describeLock({ id, text }) {
  const value = parsed(text);
  const textOf = (/** @type {unknown} */ of, /** @type {string} */ name) =>
    oneLine(textAt(of, name) ?? "?");
  const menus = listAt(value, "menus").map(
    (menu) => `  ${textOf(menu, "action")} ${textOf(menu, "key")} “${textOf(menu, "name")}”`,
  );
  return [
    `Lock ${oneLine(id)}`,
    `by ${textOf(value, "run")}`,
    `since ${textOf(value, "since")}`,
    `for commit ${textOf(value, "commit")}`,
    ...(menus.length === 0 ? [] : ["planned:", ...menus]),
  ].join("\n");
}

/**
 * @param {Lock} lock
 * @param {string} environment
 * @param {string} branch
 */
export function lockedBy(lock, environment, branch) {
  return new Problem(
    `The state of ${environment} is locked on the branch ${branch}.\n${describeLock(lock)}`,
    {
      exit: 4,
      hint: "Nothing was sent. If that run is still active, wait for it. If it has died, see “A lock left behind” in docs/ci.md.",
    },
  );
}
