import { type Matter, isOnConsole } from "../deploy/reasons/kinds.ts";
import { reportMatter } from "../deploy/reasons/matter.ts";
import { isAbout } from "../diagnostics/groups.ts";
import { type Diagnostic, Diagnostics } from "../diagnostics/diagnostic.ts";
import { configName } from "../project/files.ts";
import { print } from "../cli/printer.ts";
import { attentionIssue } from "../views/pipeline.ts";
import { commentLimit } from "../views/markdown.ts";
import type { PlanReport } from "../views/plan/describe.ts";
import { planSection } from "../views/plan/plan-markdown.ts";
import { JobProblem, problemOr } from "./forge.ts";
import type { Job } from "./job.ts";
import { latestJob } from "./latest.ts";
import { planForReview } from "./pull-request.ts";
import { reportUnapplied } from "./unapplied.ts";
import type { ExitCode } from "../views/result.ts";

/**
 * Plans on a schedule. Fails if there is no plan, if something needs a person that is no change of a
 * file, or if a change of a file was not applied within so many seconds.
 */
export async function checkLive(job: Job, seconds: number): Promise<ExitCode> {
  job.output("artifact", job.artifacts.review);
  let exit: ExitCode = 0;
  for (const environment of job.environments) {
    const made = await problemOr(check(job, environment, seconds));
    const diagnostics = made instanceof JobProblem ? await job.printProblem(made) : [];
    const checked =
      made instanceof JobProblem ? { plan: undefined, environment, diagnostics } : made;
    if (!(await report(job, environment, checked))) exit = 1;
  }
  return exit;
}

/** Shows in the issues why the job failed before it had a plan. */
export async function reportLost(job: Job, problem: JobProblem): Promise<void> {
  const diagnostics = problem.diagnostics(job.forge.name);
  for (const environment of job.environments) {
    await report(job, environment, { plan: undefined, environment, diagnostics });
  }
}

async function check(job: Job, environment: string, seconds: number): Promise<PlanReport> {
  const one = latestJob(job, environment, "check");
  const { shown } = await planForReview(one);
  const found = new Diagnostics();
  const { matters } = shown;
  reportMatters(
    matters.filter((open) => !isOnConsole(open)),
    found,
  );
  const unheard = job.forge.unheard?.();
  if (unheard !== undefined) found.addFile("IVR680", configName, ...unheard);
  await reportUnapplied(one, shown, seconds, found);
  if (isPlanned(shown)) {
    await one.showLive([...found.sorted(), ...shown.diagnostics].some(isError), shown.matters);
  }
  reportMatters(matters.filter(isOnConsole), found);
  await print({ diagnostics: found.sorted() }, one.context);
  const diagnostics = [...found.sorted(), ...shown.diagnostics];
  if (diagnostics.some((problem) => isAbout(problem, "variable not set"))) {
    const words = "If the token is missing: the check uses `read_token:` of ivrctl.yaml";
    job.report(`${words}. See \`ivrctl explain ci\`.`);
  }
  return { ...shown, diagnostics };
}

/** Shows what a check found on the page of the run and in its issue. Returns whether all is well. */
async function report(job: Job, environment: string, checked: PlanReport): Promise<boolean> {
  const { directory, forge } = job;
  const problems = checked.diagnostics.filter(isError);
  const isFine = isPlanned(checked) && problems.length === 0;
  const title = `${job.named(environment)} needs attention`;
  const isWritten = await job.write(undefined, ["attention", environment], (old) => {
    if (isFine) return old === undefined ? undefined : "closed";
    return { title, body: attentionIssue(problems, { ...forge, directory }) };
  });
  if (!isWritten && !isFine) job.report(`The issue about ${environment} was not written.`);
  const heading = isFine ? "No problems" : "Problems found";
  const plan = planSection({ ...checked, directory }, commentLimit);
  job.summarize(`### ${heading} (${environment})\n\n${plan}`);
  return isFine;
}

/** What needs a person, as diagnostics. Unless a file caused it, no review will show it. */
function reportMatters(open: readonly Matter[], found: Diagnostics): void {
  // A run in progress is no problem, and the next apply takes over the lock of one that has ended.
  for (const one of open.filter(({ kind, exit }) => exit > 0 && kind !== "locked")) {
    reportMatter(one, { file: configName }, found, "error");
  }
}

/** Whether there is a plan that could be applied. */
function isPlanned({ plan, refused }: PlanReport): boolean {
  return plan !== undefined && refused !== true;
}

function isError({ severity }: Diagnostic): boolean {
  return severity === "error";
}
