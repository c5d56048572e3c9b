// @ts-check
import { spawn } from "node:child_process";
import { Problem } from "./problem.mjs";
import { plain } from "./text.mjs";

/**
 * @typedef {object} Done
 * @property {number | null} exit
 * @property {Buffer} stdout
 * @property {string} stderr
 */

const timeout = 120_000;

/**
 * Runs git without hooks and without questions. Credentials go through the environment, because
 * other users of the machine can read arguments.
 */
export class Git {
  /** @type {readonly string[]} */ #first;
  /** @type {NodeJS.ProcessEnv} */ #env;

  /**
   * @param {string} folder
   * @param {{ url: string, header: string }} [access] for the server of this address
   */
  constructor(folder, access) {
    this.#first = ["-C", folder, "-c", "core.hooksPath=/dev/null"];
    this.#env = {
      ...process.env,
      GIT_TERMINAL_PROMPT: "0",
      GIT_AUTHOR_NAME: "ivrctl",
      GIT_AUTHOR_EMAIL: "ivrctl@localhost",
      GIT_COMMITTER_NAME: "ivrctl",
      GIT_COMMITTER_EMAIL: "ivrctl@localhost",
      LC_ALL: "C",
      ...(access === undefined ? {} : letIn(access)),
    };
  }

  /**
   * @param {readonly string[]} args
   * @param {{ input?: Buffer | string, env?: NodeJS.ProcessEnv }} [options]
   * @returns {Promise<Done>}
   */
  async attempt(args, { input = "", env = {} } = {}) {
    const child = spawn("git", [...this.#first, ...args], {
      env: { ...this.#env, ...env },
      timeout,
      // A signal to the script must not stop a push halfway.
      detached: true,
    });
    /** @type {Buffer[]} */
    const out = [];
    let stderr = "";
    child.stdout.on("data", (/** @type {Buffer} */ chunk) => out.push(chunk));
    child.stderr.setEncoding("utf8").on("data", (/** @type {string} */ chunk) => (stderr += chunk));
    child.stdin.on("error", () => {}).end(input);
    return new Promise((resolve, reject) => {
      child.on("error", (error) => reject(new Problem(`Cannot run git: ${error.message}.`)));
      child.on("close", (exit) => resolve({ exit, stdout: Buffer.concat(out), stderr }));
    });
  }

  /**
   * @param {readonly string[]} args
   * @param {{ input?: Buffer | string, env?: NodeJS.ProcessEnv }} [options]
   * @returns {Promise<Buffer>}
   */
  async bytes(args, options) {
    const { exit, stdout, stderr } = await this.attempt(args, options);
    if (exit !== 0) throw new Problem(`git ${args[0] ?? ""} failed: ${reasonIn(stderr)}`);
    return stdout;
  }

  /**
   * @param {readonly string[]} args
   * @param {{ input?: Buffer | string, env?: NodeJS.ProcessEnv }} [options]
   * @returns {Promise<string>}
   */
  async text(args, options) {
    return (await this.bytes(args, options)).toString("utf8").trim();
  }
}

/**
 * Returns the error output of git without credentials.
 *
 * @param {string} stderr
 * @returns {string}
 */
export function reasonIn(stderr) {
  const words = plain(stderr.replaceAll(/\/\/[^/@\s]+@/g, "//***@")).trim();
  return words === "" ? "git printed no reason." : words;
}

/**
 * Returns the settings for access. The empty value removes a header that a checkout may have left,
 * because servers refuse two of them.
 *
 * @param {{ url: string, header: string }} access
 */
function letIn({ url, header }) {
  const { protocol, origin } = new URL(url);
  if (protocol !== "https:" && protocol !== "http:") return {};
  const key = `http.${origin}/.extraheader`;
  return {
    GIT_CONFIG_COUNT: "2",
    GIT_CONFIG_KEY_0: key,
    GIT_CONFIG_VALUE_0: "",
    GIT_CONFIG_KEY_1: key,
    GIT_CONFIG_VALUE_1: header,
  };
}
