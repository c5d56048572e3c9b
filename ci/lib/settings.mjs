// @ts-check
import { existsSync, realpathSync } from "node:fs";
import { join, relative, resolve, sep } from "node:path";
import { Problem } from "./problem.mjs";

/**
 * What the user's pipeline file says. It arrives in the environment and nowhere
 * else: a value put into a line of shell could be a command.
 *
 * @typedef {object} Settings
 * @property {string} environment
 * @property {string} directory the project's, seen from the top of the repository: `.`, or `a/b`
 * @property {string} project its whole path
 * @property {string} work where the files between two steps are
 * @property {"branch" | "store"} state
 * @property {string} stateBranch
 * @property {boolean} newState
 * @property {string} artifact the name of what is kept of a plan
 * @property {string} stateArtifact the name of what is kept of a state that could not be pushed
 * @property {string} rescueArtifact the name of what is kept of outcomes that could not be recorded
 * @property {string} slug tells the projects of one repository apart; empty where there is one
 */

/**
 * @param {NodeJS.ProcessEnv} env
 * @param {string} top the top of the repository's working tree
 * @returns {Settings}
 */
export function settingsOf(env, top) {
  const environment = env["IVRCTL_CI_ENVIRONMENT"] ?? "";
  if (!/^(?!\.{1,2}$)[A-Za-z0-9._-]+$/.test(environment)) {
    throw new Problem(
      environment === ""
        ? "No environment is named: say which one of ivrctl.yaml the pipeline is for."
        : "The environment's name is not one: letters, digits, `.`, `_` and `-`.",
    );
  }
  const project = resolve(top, env["IVRCTL_CI_DIRECTORY"] || ".");
  if (!existsSync(project)) throw new Problem(`There is no folder ${project}.`);
  const directory = relative(realpathSync(top), realpathSync(project)).split(sep).join("/") || ".";
  if (directory.startsWith("..")) throw new Problem(`${project} is outside the repository.`);
  const state = env["IVRCTL_CI_STATE"] || "branch";
  if (state !== "branch" && state !== "store") {
    throw new Problem("`state` is `branch` or `store`.");
  }
  const slug = directory === "." ? "" : slugOf(directory);
  const named = (/** @type {string} */ what) =>
    // An environment's name has no `@`, so that `a` in `b` is never `a-b` at the top.
    `ivrctl-${what}-${environment}${slug === "" ? "" : `@${slug}`}`;
  return {
    environment,
    directory,
    project,
    work: join(top, "ivrctl-ci"),
    state,
    stateBranch: branchOf(env["IVRCTL_CI_STATE_BRANCH"] || "ivrctl-state"),
    newState: flagOf(env["IVRCTL_CI_NEW_STATE"]),
    artifact: named("plan"),
    stateArtifact: named("state"),
    rescueArtifact: named("rescue"),
    slug,
  };
}

/**
 * Another one for every folder, of signs that may stand in the name of an artifact.
 *
 * @param {string} directory
 */
function slugOf(directory) {
  return directory.replaceAll(/[^A-Za-z0-9.-]/g, (sign) =>
    sign === "/" ? "__" : `_${sign.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}

/** @param {string} name */
function branchOf(name) {
  if (!/^[A-Za-z0-9_][A-Za-z0-9._/-]*$/.test(name) || /\.\.|\/\/|\/$|\.lock(?:\/|$)/.test(name)) {
    throw new Problem("The name of the state's branch is not one of a branch.");
  }
  return name;
}

/** @param {string | undefined} value */
function flagOf(value = "") {
  if (value === "true") return true;
  if (value === "false" || value === "") return false;
  throw new Problem("`new-state` is `true` or `false`.");
}
