import type { Matter } from "../deploy/reasons/kinds.ts";
import { reportMatter } from "../deploy/reasons/matter.ts";
import { actions } from "../deploy/plan/changes/actions.ts";
import { destinationsOf, linkedIds } from "../model/menu.ts";
import { menuRecord } from "../deploy/state/view.ts";
import { isAbout } from "../diagnostics/groups.ts";
import { Diagnostics } from "../diagnostics/diagnostic.ts";
import { lastChange } from "../workspace/changed-files.ts";
import { configName } from "../project/files.ts";
import { callersReach } from "../operations/opened-source.ts";
import { print } from "../cli/printer.ts";
import { reachMatters } from "../views/reach.ts";
import { attentionIssue } from "../views/pipeline.ts";
import { commentLimit } from "../views/markdown.ts";
import type { PlanDocument } from "../views/plan/describe.ts";
import { planSection } from "../views/plan/plan-markdown.ts";
import { EnvironmentJob, type Job } from "./job.ts";
import { latestProject } from "./latest.ts";
import { planForReview } from "./pull-request.ts";
import type { ExitCode } from "../views/result.ts";

/**
 * Plans on a schedule. Fails if there is no plan, or if something needs a person that is no change of
 * a file.
 */
export async function checkLive(job: Job): Promise<ExitCode> {
  const { directory } = job;
  let failed = false;
  for (const environment of job.environments) {
    const environmentJob = new EnvironmentJob(job, environment, {
      reads: "check",
      latest: (project) => latestProject(job, environment, project),
    });
    const made = await planForReview(environmentJob);
    const reach = await callersReach(environmentJob.context);
    const found = reportMatters([...reachMatters(reach, environment), ...made.shown.matters]);
    await reportFreed(environmentJob, made.shown, found);
    await print({ diagnostics: found.sorted() }, environmentJob.context);
    const diagnostics = [...found.sorted(), ...made.shown.diagnostics];
    if (diagnostics.some((one) => isAbout(one, "variable not set"))) {
      const words = "If the token is missing: the check uses `read_token:` of ivrctl.yaml";
      job.report(`${words}. See \`ivrctl explain ci\`.`);
    }
    const problems = diagnostics.filter(({ severity }) => severity === "error");
    const isFine = made.planned?.refused === false && problems.length === 0;
    const origin = { ...job.forge, directory };
    const title = `${job.named(environment)} needs attention`;
    const isWritten = await job.write(undefined, ["attention", environment], (old) => {
      if (isFine) return old === undefined ? undefined : "closed";
      return { title, body: attentionIssue(problems, origin) };
    });
    if (!isWritten && !isFine) job.report(`The issue about ${environment} was not written.`);
    const heading = isFine ? "No problems" : "Problems found";
    const plan = planSection({ ...made.shown, diagnostics, directory }, commentLimit);
    job.summarize(`### ${heading} (${environment})\n\n${plan}`);
    failed ||= !isFine;
  }
  return failed ? 1 : 0;
}

/** What needs a person, as diagnostics. Unless a file caused it, no review will show it. */
function reportMatters(open: readonly Matter[]): Diagnostics {
  const found = new Diagnostics();
  // A run in progress is no problem, and the next apply takes over the lock of one that has ended.
  for (const one of open.filter(({ kind, exit }) => exit > 0 && kind !== "locked")) {
    reportMatter(one, { file: configName }, found, "error");
  }
  return found;
}

/**
 * What waited for an id that a person has recorded since, if nothing was sent for it yet. Its file is
 * older than the record, so its review is over, and no pull request will show it.
 */
async function reportFreed(
  { context, prefix }: EnvironmentJob,
  { plan, state }: PlanDocument,
  found: Diagnostics,
): Promise<void> {
  if (plan === undefined || state === undefined) return;
  for (const { key, action, file = "", before, after } of plan.changes) {
    if (actions[action].isLeft || after === undefined) continue;
    const known = new Set(before && linkedIds(destinationsOf(before.menu)));
    const links = destinationsOf(after).flatMap((one) =>
      one.kind === "menu" && one.id !== undefined && !known.has(one.id) ? (one.key ?? []) : [],
    );
    for (const to of new Set(links)) {
      const { how, at = "" } = menuRecord(state, to)?.current?.identified ?? {};
      const since = Math.ceil(Date.parse(at) / 1000);
      if (how !== "person" || (await lastChange(context, "HEAD", prefix + file, since))) continue;
      const words = `${key}: it waited for the id of ${to}, which is recorded now. Nothing was sent for it yet.`;
      found.addFile("IVR684", file, words, "Run its apply job again. It shows a plan for it.");
    }
  }
}
