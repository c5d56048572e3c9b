import { type CommandGroup, command } from "../cli/command.ts";
import { lockFlags } from "../cli/flags.ts";
import { runJob } from "../ci/job.ts";

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
      async (job) => (await import("../ci/pull-request.ts")).reviewPullRequest(job),
      async (job, _, words) => (await import("../ci/pull-request.ts")).commentFailure(job, words),
    ),
});

const apply = command({
  about:
    "Apply the plan of the merged pull request, exactly as it was reviewed.\n\nRun it again to continue after a failure. Without a reviewed plan, or with a stale one, it sends nothing and shows a new plan. The result is added to the pull request.",
  flags: {
    env,
    run: { value: "RUN", about: "Apply the plan of this run (GitHub) or job (GitLab) instead" },
    show: {
      about: "Send nothing. Show what waits, and leave the environments as an output of the step",
    },
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
    runJob(
      context,
      async (job) => {
        const { run, show, "lock-timeout": lockTimeout = 1800 } = context.flags;
        const { applyReviewed, showReviewed } = await import("../ci/apply-reviewed.ts");
        // A pipeline passes an empty text if nobody named a run.
        const named = run || undefined;
        return show ? showReviewed(job, named) : applyReviewed(job, { run: named, lockTimeout });
      },
      async (job, problem) => {
        // Nobody merged the plan that a person names.
        if (context.flags.run || context.flags.show) return;
        await (await import("../ci/apply-reviewed.ts")).reportStopped(job, problem);
      },
    ),
});

const check = command({
  about:
    "Check live menus and the state on a schedule.\n\nRuns `plan`. Fails if there is no plan or no state, if a merged change is not applied after an hour or was refused by the service, if an agent has left, is blocked or has a different extension, if something was changed on the console, or if an outcome is unknown. Leaves the plan of changes that are not applied in the folder ivrctl-ci.",
  flags: {
    env,
    "apply-within": {
      value: "SECONDS",
      max: 31_536_000,
      about: "Fail if a merged change is not applied after this time (default: 3600)",
    },
  },
  examples: [["ivrctl ci check --env production", "every day"]],
  run: (context) =>
    runJob(
      context,
      async (job) => {
        const { "apply-within": seconds = 3600 } = context.flags;
        return (await import("../ci/check.ts")).checkLive(job, seconds);
      },
      async (job, problem) => (await import("../ci/check.ts")).reportLost(job, problem),
    ),
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
