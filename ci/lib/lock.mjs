// @ts-check
import { listAt, parsed, textAt } from "./json.mjs";
import { Problem } from "./problem.mjs";
import { oneLine } from "./text.mjs";

/**
 * The lock on the state's branch.
 *
 * @typedef {object} Lock
 * @property {string} id
 * @property {string} text what stands in the file
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
 * A lock that cannot be read is a lock all the same.
 *
 * @param {string} text
 * @returns {Lock}
 */
export function lockOf(text) {
  return { id: textAt(parsed(text), "id") ?? "unreadable", text };
}

/**
 * @param {Lock} lock
 * @returns {string} who, since when, and what for
 */
export function describeLock({ id, text }) {
  const value = parsed(text);
  const said = (/** @type {unknown} */ of, /** @type {string} */ name) =>
    oneLine(textAt(of, name) ?? "?");
  const menus = listAt(value, "menus").map(
    (menu) => `  ${said(menu, "action")} ${said(menu, "key")} “${said(menu, "name")}”`,
  );
  return [
    `Lock ${oneLine(id)}`,
    `by ${said(value, "run")}`,
    `since ${said(value, "since")}`,
    `for the commit ${said(value, "commit")}`,
    ...(menus.length === 0 ? [] : ["to do:", ...menus]),
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
      hint: "Nothing was sent. If that run is still at work, wait for it. If it is gone, see “A lock left behind” in docs/ci.md.",
    },
  );
}
