// @ts-check
import { Github } from "./github.mjs";
import { Gitlab } from "./gitlab.mjs";
import { Problem } from "./problem.mjs";

/** @typedef {import("./settings.mjs").Settings} Settings */
/** @typedef {import("./ivrctl.mjs").Finished} Finished */

/**
 * Runs ivrctl in the project and returns what it printed.
 *
 * @typedef {(...args: readonly string[]) => Promise<Finished>} Ask
 */

/**
 * A change to review, and whether it may have a plan.
 *
 * @typedef {object} Change
 * @property {string | undefined} untrusted why it has no access to secrets and state; undefined if it has
 * @property {(git: import("./git.mjs").Git) => Promise<string>} base the revision it is compared with
 */

/**
 * The reviewed plan, or the reason why there is none.
 *
 * @typedef {{ kind: "found", run: string, words: string } | { kind: "none", words: string }} Found
 */

/**
 * What the scripts need from GitHub or GitLab.
 *
 * @typedef {object} Forge
 * @property {string} name
 * @property {string} top the top of the working tree
 * @property {string} run the address of this run
 * @property {boolean} paged whether a run has a page for Markdown; otherwise everything goes to the log
 * @property {string} commit
 * @property {{ url: string, header: string | undefined }} remote
 * @property {import("./log.mjs").Log} log
 * @property {(markdown: string, settings: Settings) => void} summarize
 * @property {(name: string, value: string) => void} output for later steps
 * @property {() => Change} change
 * @property {(ask: Ask, settings: Settings) => Promise<void>} markProblems
 * @property {(ask: Ask, failed: boolean, settings: Settings) => Promise<void>} markTests
 * @property {(marker: string, body: string) => Promise<string | undefined>} comment writes the comment, or returns why it cannot
 * @property {(settings: Settings) => Promise<Found>} findPlan
 * @property {(settings: Settings) => string} byHand explains how to apply the plan of this run
 * @property {(run: string) => string} byHandNew explains how to apply the plan of that run without a state
 */

/**
 * @param {NodeJS.ProcessEnv} env
 * @returns {Forge}
 */
export function forgeOf(env) {
  if (env["GITHUB_ACTIONS"] === "true") return new Github(env);
  if (env["GITLAB_CI"] === "true") return new Gitlab(env);
  throw new Problem("This script works only in a GitHub or GitLab pipeline.");
}
