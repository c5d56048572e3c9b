import { listed } from "../util/many.ts";
import { outdatedComment } from "../views/pipeline.ts";
import { problemOr } from "./forge.ts";
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
  const { forge, context, artifacts, environment } = job;
  const mark = async () => {
    for (const pull of (await forge.openPulls()).filter(({ isFork }) => !isFork)) {
      const reviewed = await forge.reviewed(pull, artifacts);
      const { saved } = await planIn(job, { pull, reviewed });
      const progress = saved && (await readProgress(context, saved, []));
      const stale = (progress?.results ?? [])
        .filter(({ key, outcome }) => outcome === "not_attempted" && changed.has(key))
        .map(({ key }) => key);
      if (stale.length === 0) continue;
      const words = `plan is outdated: ${listed(stale)} changed on ${forge.defaultBranch}`;
      if (await job.showStatus(pull.head, environment, { isFine: false, words })) continue;
      await job.write(pull.number, ["plan"], (old) =>
        old === undefined
          ? undefined
          : { body: outdatedComment(old, environment, `${environment}: ${words}`) },
      );
    }
  };
  const problem = changed.size === 0 ? undefined : await problemOr(mark());
  if (problem === undefined) return;
  job.report(`The plans of open ${forge.request}s were not checked: ${problem.message}`);
}
