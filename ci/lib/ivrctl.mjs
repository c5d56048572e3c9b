// @ts-check
import { spawn } from "node:child_process";
import { fileURLToPath } from "node:url";
import { Problem } from "./problem.mjs";

/** The command of this package. */
const command = fileURLToPath(new URL("../../dist/ivrctl.cjs", import.meta.url));

/**
 * @typedef {object} Finished
 * @property {number} exit
 * @property {string} stdout
 * @property {string} stderr
 */

/**
 * @typedef {object} Running
 * @property {number | undefined} pid
 * @property {(signal: NodeJS.Signals) => void} tell sends a signal
 * @property {Promise<Finished>} finished
 */

/**
 * @param {string} project
 * @param {readonly string[]} args
 * @param {{ heard?: (text: string) => void }} [options] `heard` receives stderr while the command runs
 * @returns {Running}
 */
export function startIvrctl(project, args, { heard } = {}) {
  // The token of GitHub or GitLab is only for these scripts. ivrctl may run commands from the
  // configuration, and they must not get it.
  const { IVRCTL_CI_TOKEN: _a, IVRCTL_GITLAB_TOKEN: _b, ...env } = process.env;
  const child = spawn(process.execPath, [command, "-C", project, "--no-color", ...args], {
    env: { ...env, NO_COLOR: "1" },
    stdio: ["ignore", "pipe", "pipe"],
    // Detached, so that a signal reaches it only once: through this script.
    detached: true,
  });
  let stdout = "";
  let stderr = "";
  child.stdout.setEncoding("utf8").on("data", (/** @type {string} */ chunk) => (stdout += chunk));
  child.stderr.setEncoding("utf8").on("data", (/** @type {string} */ chunk) => {
    stderr += chunk;
    heard?.(chunk);
  });
  return {
    pid: child.pid,
    tell: (signal) => void child.kill(signal),
    finished: new Promise((resolve, reject) => {
      child.on("error", (error) => reject(new Problem(`Cannot run ivrctl: ${error.message}.`)));
      child.on("close", (exit) => resolve({ exit: exit ?? 1, stdout, stderr }));
    }),
  };
}
