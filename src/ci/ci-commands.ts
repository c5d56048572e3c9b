import { type CommandGroup, command } from "../cli/command.ts";
import { lockFlags } from "../cli/flags.ts";
import { runJob } from "./job.ts";

const about =
  "Run the jobs of a pipeline on GitHub or GitLab.\n\n`ivrctl init --ci` writes a pipeline that uses these commands. They read what GitHub or GitLab says about the run from its variables.";

const env = {
  value: "NAME",
  about: "Use this environment, or several, separated by commas (required)",
} as const;

const pullRequest = command({
  about:
    "Check a pull request and show its plan in a comment.\n\nRuns `fmt --check`, `validate`, `test` and `plan`, even if one fails. Needs no service token: the plan is made from the agent list in the project and the state, or with `read_token:`. Leaves the plan in the folder ivrctl-ci for `ivrctl ci apply`.",
  flags: { env },
  examples: [["ivrctl ci pull-request --env staging,production", "one comment for both"]],
  run: (context) =>
    runJob(
      context,
      async (job) => (await import("./pull-request.ts")).reviewPullRequest(job),
      async (job, problem) => (await import("./pull-request.ts")).commentFailure(job, problem),
    ),
});

const apply = command({
  about:
    "Apply the plan of the merged pull request, exactly as it was reviewed.\n\nRun it again to continue after a failure. Without a reviewed plan, or with a stale one, it sends nothing and shows a new plan. The result is added to the pull request.",
  flags: {
    env,
    run: { value: "RUN", about: "Apply the plan of this run (GitHub) or job (GitLab) instead" },
    "lock-timeout": {
      ...lockFlags["lock-timeout"],
      about: "Wait this long for another run's lock (default: 1800)",
    },
  },
  examples: [
    ["ivrctl ci apply --env production", "after a merge"],
    ["ivrctl ci apply --env production --run 123", "apply the plan of run 123"],
  ],
  run: (context) =>
    runJob(context, async (job) => {
      const { run, "lock-timeout": lockTimeout = 1800 } = context.flags;
      const { applyReviewed } = await import("./apply-reviewed.ts");
      // A pipeline passes an empty text if nobody named a run.
      return applyReviewed(job, { run: run || undefined, lockTimeout });
    }),
});

const check = command({
  about:
    "Check live menus and the state on a schedule.\n\nRuns `plan`. Fails if there is no plan, if an agent has left, is blocked or has a different extension, if something was changed on the console, if an outcome is unknown, or if there is no state. Other changes are only reported.",
  flags: { env },
  examples: [["ivrctl ci check --env production", "every day"]],
  run: (context) => runJob(context, async (job) => (await import("./check.ts")).checkLive(job)),
});

const group: CommandGroup = {
  about,
  flags: { env },
  subcommands: { "pull-request": pullRequest, apply, check },
  examples: [
    ["ivrctl ci pull-request --env production", "for a pull request"],
    ["ivrctl ci apply --env production", "after the merge"],
  ],
};

export default group;
