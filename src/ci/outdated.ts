import { listed } from "../util/many.ts";
import { outdatedComment } from "../views/pipeline.ts";
import { JobProblem, type Pull, problemOr } from "./forge.ts";
import type { EnvironmentJob } from "./job.ts";
import { planIn, readProgress } from "./reviewed.ts";

/**
 * Says on open pull requests that their plan is outdated, because an apply has changed these menus.
 * So reviewers see it before the merge.
 */
export async function markOutdated(
  job: EnvironmentJob,
  changed: ReadonlySet<string>,
): Promise<void> {
  if (changed.size === 0) return;
  const { forge } = job;
  const open = await problemOr(forge.openPulls());
  if (open instanceof JobProblem) {
    return job.report(`The plans of open ${forge.request}s were not checked: ${open.message}`);
  }
  for (const pull of open.filter(({ isFork }) => !isFork)) {
    const problem = await problemOr(markPull(job, pull, changed));
    if (problem === undefined) continue;
    job.report(`The plan of ${forge.request} ${pull.number} was not checked: ${problem.message}`);
  }
}

async function markPull(
  job: EnvironmentJob,
  pull: Pull,
  changed: ReadonlySet<string>,
): Promise<void> {
  const { forge, context, artifacts, environment } = job;
  const reviewed = await forge.reviewed(pull, artifacts);
  const { saved } = await planIn(job, { pull, reviewed });
  const progress = saved && (await readProgress(context, saved, []));
  const stale = (progress?.results ?? [])
    .filter(({ key, outcome }) => outcome === "not_attempted" && changed.has(key))
    .map(({ key }) => key);
  if (stale.length === 0) return;
  const words = `plan is outdated: ${listed(stale)} changed on ${forge.defaultBranch}`;
  if (await job.showStatus(pull.head, environment, { isFine: false, words })) return;
  await job.write(pull.number, ["plan"], (old) =>
    old === undefined
      ? undefined
      : { body: outdatedComment(old, environment, `${environment}: ${words}`) },
  );
}
