// @ts-check
import { realpathSync } from "node:fs";
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
  const url = await git.text(["remote", "get-url", "--", values.remote]);
  const place = { url, header: undefined, branch: stateBranch, environment, project, directory };
  const branch = new StateBranch(place);
  if (command === "pull" && id === undefined) return pull(branch, environment);
  if (command === "push" && id === undefined) {
    const words = `State of ${environment}, by hand`;
    const done = await branch.store({ lock: values.unlock, words, first: values.first });
    return say(done === "stored" ? "Pushed.\n" : "The branch has it already.\n");
  }
  if (command === "unlock" && id !== undefined && more.length === 0) {
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
  if (tip.commit === undefined) throw new Problem(`There is no branch ${branch.name}.`);
  branch.restore(tip);
  say(`The state of ${environment} is in .ivrctl/state/, as of ${tip.commit}.\n`);
  if (tip.lock !== undefined) say(`It is locked.\n${describeLock(tip.lock)}\n`);
  return 0;
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
