// @ts-check
import { realpathSync } from "node:fs";
import { resolve } from "node:path";
import { parseArgs } from "node:util";
import { Git } from "./lib/git.mjs";
import { Problem, wordsOf } from "./lib/problem.mjs";
import { settingsOf } from "./lib/settings.mjs";
import { describeLock } from "./lib/lock.mjs";
import { StateBranch } from "./lib/state-branch.mjs";

/*
 * For people: copies the state from the branch of the pipeline into a clone and back, so that you
 * can repair it with `ivrctl state …`. Never force-pushes.
 */

const usage = `Usage: node node_modules/ivrctl/ci/state.mjs COMMAND --env NAME

Commands:
  pull                  Copy the state from the branch to .ivrctl/state/
  push [--unlock ID]    Copy the state back to the branch, and release this lock
  push --first          Copy the state to a branch that does not have it yet
  unlock ID             Release the lock, and leave the state as it is

Options:
  --env NAME            Use this environment (required)
  --branch NAME         Use this branch for the state (default: ivrctl-state)
  --remote NAME         Use this remote (default: origin)
  -C DIR                Use the project in this folder (default: the current one)
`;

try {
  process.exitCode = await main();
} catch (error) {
  process.stderr.write(`${wordsOf(error)}\n`);
  process.exitCode = error instanceof Problem ? error.exit : 1;
}

/** @returns {Promise<number>} */
async function main() {
  const { values, positionals } = asked();
  const [command, id, ...more] = positionals;
  if (values.help) return say(usage);
  if (command === undefined) throw new Problem(usage);
  const git = new Git(values.project);
  const top = await git.text(["rev-parse", "--show-toplevel"]);
  const { environment, stateBranch, project, directory } = settingsOf(
    {
      IVRCTL_CI_ENVIRONMENT: values.env,
      IVRCTL_CI_DIRECTORY: realpathSync(values.project),
      IVRCTL_CI_STATE_BRANCH: values.branch,
    },
    top,
  );
  const url = addressOf(await git.text(["remote", "get-url", "--", values.remote]), top);
  const place = { url, header: undefined, branch: stateBranch, environment, project, directory };
  const branch = new StateBranch(place);
  if (command === "pull" && id === undefined) return pull(branch, environment);
  if (command === "push" && id === undefined) {
    if (branch.local().journal === undefined) {
      throw new Problem(`There is no state of ${environment} in ${project}/.ivrctl/state/.`, {
        hint: "Nothing was written. To release only a lock, use: unlock ID",
      });
    }
    const words = `State of ${environment}, by hand`;
    const done = await branch.store({ lock: values.unlock, words, first: values.first });
    return say(done === "there already" ? "The branch already has this state.\n" : "Pushed.\n");
  }
  if (command === "unlock" && id !== undefined && more.length === 0) {
    await refuseUnknown(branch, await branch.look(), environment);
    await branch.unlock(id);
    return say(`The state of ${environment} is not locked on ${stateBranch} any more.\n`);
  }
  throw new Problem(usage);
}

/**
 * @param {StateBranch} branch
 * @param {string} environment
 */
async function pull(branch, environment) {
  const tip = await branch.look();
  await refuseUnknown(branch, tip, environment);
  branch.restore(tip);
  say(
    tip.journal === undefined
      ? `There is no state of ${environment} on ${branch.name} yet.\n`
      : `Copied the state of ${environment} to .ivrctl/state/ (commit ${tip.commit}).\n`,
  );
  if (tip.lock !== undefined) say(`The state is locked.\n${describeLock(tip.lock)}\n`);
  return 0;
}

/**
 * Refuses a branch that does not exist or has nothing for this environment and folder.
 *
 * @param {StateBranch} branch
 * @param {import("./lib/state-branch.mjs").Tip} tip
 * @param {string} environment
 */
async function refuseUnknown(branch, tip, environment) {
  if (tip.commit === undefined) {
    throw new Problem(`There is no branch ${branch.name}.`, {
      hint: "To create it with the state in this folder, use: push --first",
    });
  }
  if (tip.journal !== undefined || tip.lock !== undefined) return;
  const states = await branch.states(tip);
  throw new Problem(
    `The branch ${branch.name} has neither a state nor a lock of ${environment} for this folder.`,
    {
      hint: states.length === 0 ? "It has no states." : `It has: ${states.join(", ")}.`,
    },
  );
}

/**
 * Returns the URL of the remote. Git resolves a relative path from the top of the working tree.
 *
 * @param {string} url
 * @param {string} top
 */
function addressOf(url, top) {
  return /^[^/]*:/.test(url) ? url : resolve(top, url);
}

function asked() {
  try {
    const { values, positionals } = parseArgs({
      allowPositionals: true,
      options: {
        env: { type: "string", default: "" },
        branch: { type: "string", default: "ivrctl-state" },
        remote: { type: "string", default: "origin" },
        project: { type: "string", short: "C", default: "." },
        unlock: { type: "string" },
        first: { type: "boolean", default: false },
        help: { type: "boolean", short: "h", default: false },
      },
    });
    return { values, positionals };
  } catch (error) {
    throw new Problem(`${wordsOf(error)}\n\n${usage}`);
  }
}

/** @param {string} text */
function say(text) {
  process.stdout.write(text);
  return 0;
}
