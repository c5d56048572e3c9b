// @ts-check
import { existsSync, realpathSync } from "node:fs";
import { join, relative, resolve, sep } from "node:path";
import { Problem } from "./problem.mjs";

/**
 * The settings of the pipeline file. They arrive only as environment variables, because a value in a
 * line of shell could run a command.
 *
 * @typedef {object} Settings
 * @property {string} environment
 * @property {string} directory the folder of the project, relative to the top of the repository: `.` or `a/b`
 * @property {string} project the absolute path of the project
 * @property {string} work the folder for files that one step leaves for another
 * @property {"branch" | "store"} state
 * @property {string} stateBranch
 * @property {boolean} newState
 * @property {string} artifact the name of the artifact with the plan
 * @property {string} stateArtifact the name of the artifact with a state that could not be pushed
 * @property {string} rescueArtifact the name of the artifact with outcomes that could not be recorded
 * @property {string} slug distinguishes the projects of a repository; empty for a project at the top
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
        ? "No environment is given. Name one of the environments in ivrctl.yaml."
        : "The name of the environment is invalid. Use letters, digits, `.`, `_` and `-`.",
    );
  }
  const project = resolve(top, env["IVRCTL_CI_DIRECTORY"] || ".");
  if (!existsSync(project)) throw new Problem(`There is no folder ${project}.`);
  const directory = relative(realpathSync(top), realpathSync(project)).split(sep).join("/") || ".";
  if (directory.startsWith("..")) throw new Problem(`${project} is outside the repository.`);
  const state = env["IVRCTL_CI_STATE"] || "branch";
  if (state !== "branch" && state !== "store") {
    throw new Problem("`state` must be `branch` or `store`.");
  }
  const slug = directory === "." ? "" : slugOf(directory);
  const named = (/** @type {string} */ what) =>
    // The name of an environment has no `@`, so the names of two projects never collide.
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
 * Returns a different slug for each folder, with characters that an artifact name may have.
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
    throw new Problem("The name of the state branch is not a valid branch name.");
  }
  return name;
}

/** @param {string | undefined} value */
function flagOf(value = "") {
  if (value === "true") return true;
  if (value === "false" || value === "") return false;
  throw new Problem("`new-state` must be `true` or `false`.");
}
