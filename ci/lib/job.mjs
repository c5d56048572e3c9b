// @ts-check
import { mkdirSync } from "node:fs";
import { forgeOf } from "./forge.mjs";
import { startIvrctl } from "./ivrctl.mjs";
import { parsed, textAt } from "./json.mjs";
import { Problem, wordsOf } from "./problem.mjs";
import { settingsOf } from "./settings.mjs";
import { StateBranch } from "./state-branch.mjs";
import { fenced } from "./text.mjs";

/** @typedef {import("./forge.mjs").Forge} Forge */
/** @typedef {import("./settings.mjs").Settings} Settings */
/** @typedef {import("./ivrctl.mjs").Finished} Finished */
/** @typedef {import("./ivrctl.mjs").Running} Running */

/** A job of a pipeline: its platform, its settings, and functions that run ivrctl. */
export class Job {
  /** @type {Forge} */ forge;
  /** @type {Settings} */ settings;
  /** Where the state is between runs. Undefined if ivrctl uses a shared store (see `findStore`). */
  /** @type {StateBranch | undefined} */ branch;

  /**
   * @param {Forge} forge
   * @param {Settings} settings
   */
  constructor(forge, settings) {
    this.forge = forge;
    this.settings = settings;
    const { stateBranch: branch, environment, project, directory } = settings;
    if (settings.state === "branch") {
      this.branch = new StateBranch({ ...forge.remote, branch, environment, project, directory });
    }
  }

  /**
   * Runs ivrctl without printing its output.
   *
   * @param {...string} args
   * @returns {Promise<Finished>}
   */
  ask = (...args) => startIvrctl(this.settings.project, args).finished;

  /**
   * Runs ivrctl in a section of the log.
   *
   * @param {readonly string[]} args
   * @param {{ shown?: boolean, started?: (running: Running) => void }} [options] `shown`: also print stdout
   * @returns {Promise<Finished>}
   */
  async step(args, { shown = true, started } = {}) {
    const { log } = this.forge;
    log.open(`ivrctl ${args[0] ?? ""}`);
    try {
      const heard = (/** @type {string} */ text) => log.write(text);
      const running = startIvrctl(this.settings.project, args, { heard });
      started?.(running);
      const finished = await running.finished;
      if (shown) log.write(finished.stdout);
      return finished;
    } finally {
      log.close();
    }
  }

  /**
   * Finds the state store. Call it before you read or lock the state. A file would be lost with the
   * runner, so it needs the branch. A shared store has its own lock, so the branch is not used, even if
   * the pipeline says so.
   *
   * @returns {Promise<void>}
   */
  async findStore() {
    const { environment } = this.settings;
    const args = ["state", "list", "--env", environment, "--format", "json"];
    const { stdout, stderr } = await this.ask(...args);
    const place = textAt(parsed(stdout), "place");
    const isFile = place?.startsWith(".ivrctl/");
    if (this.branch !== undefined) {
      // If the store is unknown, the command that needs it reports why.
      if (isFile === false) this.branch = undefined;
      return;
    }
    if (place === undefined) throw new Problem(`Cannot find the state store. ${stderr}`);
    if (!isFile) return;
    throw new Problem(
      `\`state\` is \`store\`, but the state of ${environment} is a file, ${place}. It would be lost when this job ends.`,
      {
        hint: "Nothing was sent. Remove `state`, so that the state is stored on a branch, or name a shared store in ivrctl.yaml.",
      },
    );
  }

  /**
   * Writes a message for people to the log and to the page of the run.
   *
   * @param {string} words
   */
  tell(words) {
    this.forge.log.write(`${words}\n`);
    this.forge.summarize(words, this.settings);
  }
}

/**
 * Runs a script of this folder and sets the exit code.
 *
 * @param {(job: Job) => Promise<number>} main
 */
export async function job(main) {
  /** @type {Job | undefined} */
  let here;
  try {
    const forge = forgeOf(process.env);
    here = new Job(forge, settingsOf(process.env, forge.top));
    mkdirSync(here.settings.work, { recursive: true });
    process.exitCode = await main(here);
  } catch (error) {
    process.exitCode = error instanceof Problem ? error.exit : 1;
    const words = wordsOf(error);
    const stack = error instanceof Error && !(error instanceof Problem) ? error.stack : undefined;
    if (here === undefined) process.stderr.write(`${words}\n`);
    else {
      here.forge.log.write(`${stack ?? words}\n`);
      here.forge.summarize(fenced(words), here.settings);
    }
  }
}
