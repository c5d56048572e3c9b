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
import { EnvironmentJob, type Job } from "./job.ts";
import { latestProject } from "./latest.ts";
import { planForReview } from "./pull-request.ts";
import { reportUnapplied } from "./unapplied.ts";
import type { ExitCode } from "../views/result.ts";

/**
 * Plans on a schedule. Fails if there is no plan, if something needs a person that is no change of a
 * file, or if a change of a file was not applied within so many seconds.
 */
export async function checkLive(job: Job, seconds: number): Promise<ExitCode> {
  job.keepAs(job.artifacts.review);
  let isFine = true;
  for (const environment of job.environments) {
    const made = await problemOr(check(job, environment, seconds));
    if (made instanceof JobProblem) await job.printProblem(made);
    const checked = made instanceof JobProblem ? lost(job, made, environment) : made;
    if (!(await report(job, checked, environment))) isFine = false;
  }
  return isFine ? 0 : 1;
}

/** Shows in the issues why the job failed before it had a plan. */
export async function reportLost(job: Job, problem: JobProblem): Promise<void> {
  for (const environment of job.environments) {
    await report(job, lost(job, problem, environment), environment);
  }
}

function lost({ forge }: Job, problem: JobProblem, environment: string): Checked {
  const diagnostics = problem.diagnostics(forge.name);
  return { diagnostics, shown: { plan: undefined, environment, diagnostics }, isPlanned: false };
}

/** What a check found. */
interface Checked {
  readonly diagnostics: readonly Diagnostic[];
  readonly shown: PlanReport;
  /** Whether there is a plan that could be applied. */
  readonly isPlanned: boolean;
}

async function check(job: Job, environment: string, seconds: number): Promise<Checked> {
  let { commit } = job.forge;
  const one = new EnvironmentJob(job, environment, {
    reads: "check",
    async latest(project) {
      const latest = await latestProject(job, environment, project);
      commit = latest.commit ?? commit;
      return latest;
    },
  });
  const { planned, shown } = await planForReview(one);
  const found = new Diagnostics();
  const { matters } = shown;
  reportMatters(
    matters.filter((open) => !isOnConsole(open)),
    found,
  );
  const unheard = job.forge.unheard?.();
  if (unheard !== undefined) found.addFile("IVR680", configName, ...unheard);
  await reportUnapplied(one, shown, { commit, seconds }, found);
  if (planned?.refused === false) {
    const isFine = ![...found.sorted(), ...shown.diagnostics].some(isError);
    await job.showLive(commit, environment, isFine, shown.matters);
  }
  reportMatters(matters.filter(isOnConsole), found);
  await print({ diagnostics: found.sorted() }, one.context);
  const diagnostics = [...found.sorted(), ...shown.diagnostics];
  if (diagnostics.some((problem) => isAbout(problem, "variable not set"))) {
    const words = "If the token is missing: the check uses `read_token:` of ivrctl.yaml";
    job.report(`${words}. See \`ivrctl explain ci\`.`);
  }
  return { diagnostics, shown, isPlanned: planned?.refused === false };
}

/** Shows what a check found on the page of the run and in its issue. Returns whether all is well. */
async function report(
  job: Job,
  { diagnostics, shown, isPlanned }: Checked,
  environment: string,
): Promise<boolean> {
  const { directory } = job;
  const problems = diagnostics.filter(isError);
  const isFine = isPlanned && problems.length === 0;
  const title = `${job.named(environment)} needs attention`;
  const isWritten = await job.write(undefined, ["attention", environment], (old) => {
    if (isFine) return old === undefined ? undefined : "closed";
    return { title, body: attentionIssue(problems, { ...job.forge, directory }) };
  });
  if (!isWritten && !isFine) job.report(`The issue about ${environment} was not written.`);
  const heading = isFine ? "No problems" : "Problems found";
  const plan = planSection({ ...shown, diagnostics, directory }, commentLimit);
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

function isError({ severity }: Diagnostic): boolean {
  return severity === "error";
}
