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
 * For people: the state of the pipeline's branch, brought into a clone and back, so
 * that `ivrctl state …` can settle what a pipeline cannot. Nothing is ever forced.
 */

const usage = `node node_modules/ivrctl/ci/state.mjs COMMAND --env NAME

  pull                  brings the state of the branch into .ivrctl/state/
  push [--unlock ID]    brings it back, and takes the lock of that id away
  push --first          puts the state that is here on a branch that has none of it yet
  unlock ID             takes the lock away, and leaves the state as it is

  --env NAME            the environment
  --branch NAME         the state's branch (ivrctl-state)
  --remote NAME         where it is (origin)
  -C DIR                the project's folder
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
        hint: "Nothing was written. To take a lock away, and no more: unlock ID.",
      });
    }
    const words = `State of ${environment}, by hand`;
    const done = await branch.store({ lock: values.unlock, words, first: values.first });
    return say(done === "there already" ? "The branch has it already.\n" : "Pushed.\n");
  }
  if (command === "unlock" && id !== undefined && more.length === 0) {
    await refuseUnheardOf(branch, await branch.look(), environment);
    await branch.unlock(id);
    return say(`${environment} is not locked on ${stateBranch}.\n`);
  }
  throw new Problem(usage);
}

/**
 * @param {StateBranch} branch
 * @param {string} environment
 */
async function pull(branch, environment) {
  const tip = await branch.look();
  await refuseUnheardOf(branch, tip, environment);
  branch.restore(tip);
  say(
    tip.journal === undefined
      ? `There is no state of ${environment} on ${branch.name} yet.\n`
      : `The state of ${environment} is in .ivrctl/state/, as of ${tip.commit}.\n`,
  );
  if (tip.lock !== undefined) say(`It is locked.\n${describeLock(tip.lock)}\n`);
  return 0;
}

/**
 * A branch that is gone, a slip in a name, or the wrong folder.
 *
 * @param {StateBranch} branch
 * @param {import("./lib/state-branch.mjs").Tip} tip
 * @param {string} environment
 */
async function refuseUnheardOf(branch, tip, environment) {
  if (tip.commit === undefined) {
    throw new Problem(`There is no branch ${branch.name}.`, {
      hint: "To begin it with a state that is here: push --first.",
    });
  }
  if (tip.journal !== undefined || tip.lock !== undefined) return;
  const states = await branch.states(tip);
  throw new Problem(
    `The branch ${branch.name} has neither a state nor a lock of ${environment} for this folder.`,
    {
      hint: states.length === 0 ? "It has none at all." : `It has: ${states.join(", ")}.`,
    },
  );
}

/**
 * Git takes a path from the top of the working tree, and we are elsewhere.
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
