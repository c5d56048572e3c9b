// @ts-check
import { Github } from "./github.mjs";
import { Gitlab } from "./gitlab.mjs";
import { Problem } from "./problem.mjs";

/** @typedef {import("./settings.mjs").Settings} Settings */
/** @typedef {import("./ivrctl.mjs").Finished} Finished */

/**
 * Runs ivrctl in the project and gives back what it printed.
 *
 * @typedef {(...args: readonly string[]) => Promise<Finished>} Ask
 */

/**
 * Who asks for a change, and whether a plan may be made for it.
 *
 * @typedef {object} Change
 * @property {string | undefined} untrusted why it gets neither secret nor state; undefined where it does
 * @property {(git: import("./git.mjs").Git) => Promise<string>} base the revision it is compared with
 */

/**
 * The plan that was reviewed, or why there is none.
 *
 * @typedef {{ kind: "found", run: string, words: string } | { kind: "none", words: string }} Found
 */

/**
 * What the scripts need of a forge.
 *
 * @typedef {object} Forge
 * @property {string} name
 * @property {string} top the top of the working tree
 * @property {string} run the address of this run
 * @property {boolean} paged whether a run has a page for Markdown; else the log has to tell all
 * @property {string} commit
 * @property {{ url: string, header: string | undefined }} remote
 * @property {import("./log.mjs").Log} log
 * @property {(markdown: string, settings: Settings) => void} summarize
 * @property {(name: string, value: string) => void} output for the steps that follow
 * @property {() => Change} change
 * @property {(ask: Ask, settings: Settings) => Promise<void>} markProblems
 * @property {(ask: Ask, failed: boolean, settings: Settings) => Promise<void>} markTests
 * @property {(marker: string, body: string) => Promise<string | undefined>} comment writes it, or says why it cannot
 * @property {(settings: Settings) => Promise<Found>} findPlan
 * @property {(settings: Settings) => string} byHand how the plan of this run is applied
 * @property {(run: string) => string} byHandNew how the plan of that run is applied without a state
 */

/**
 * @param {NodeJS.ProcessEnv} env
 * @returns {Forge}
 */
export function forgeOf(env) {
  if (env["GITHUB_ACTIONS"] === "true") return new Github(env);
  if (env["GITLAB_CI"] === "true") return new Gitlab(env);
  throw new Problem("This is a script for the pipelines of GitHub and GitLab.");
}
