import type { Caller } from "../operations/caller.ts";
import { latestProject } from "../operations/latest-project.ts";
import { JobProblem } from "./forge.ts";
import { EnvironmentJob, type Job } from "./job.ts";

/**
 * A job in an environment whose commands use the files that the default branch has now. A job may wait
 * for an approval or be run again, so newer commits may have reverted what it would send, or fixed what
 * it would report.
 */
export function latestJob(job: Job, environment: string, reads?: Caller["reads"]): EnvironmentJob {
  const { defaultBranch: branch } = job.forge;
  const one: EnvironmentJob = new EnvironmentJob(job, environment, {
    ...(reads && { reads }),
    async latest(project) {
      const latest = await latestProject(project, branch, environment);
      if ("problem" in latest) {
        const words = `Nothing was sent, because the last commit of ${branch} cannot be read: ${latest.problem.replace(/\.$/, "")}.`;
        const hint =
          "Check that `git fetch origin` works in this job with its token. Then run it again.";
        throw new JobProblem("IVR681", words, hint);
      }
      one.commit = latest.commit;
      const words = `${branch} has changed since this run. Its files at ${latest.commit} count.`;
      if (latest.branch) job.context.terminal.say(`${words}\n`);
      return latest;
    },
  });
  return one;
}
