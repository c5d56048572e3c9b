import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { applyPlanFile } from "../commands/apply.ts";
import { isAffected, mostCommits, pushedCommits } from "../project/changes.ts";
import type { Project } from "../project/open-project.ts";
import { JobFile } from "../schema/job-file.ts";
import { validate } from "../schema/validate.ts";
import { suggest } from "../util/suggest.ts";
import { parseJson } from "../util/parse-json.ts";
import { print } from "../cli/printer.ts";
import { appliedResult } from "../views/apply.ts";
import { byHand, endingOf, reportsDone, resultComment } from "../views/pipeline.ts";
import { commentOf } from "../views/plan/index.ts";
import { planMarkdown } from "../views/plan/markdown.ts";
import type { Job, Pull, Reviewed } from "./forge.ts";
import { latestProject } from "./latest.ts";
import { leave, planFileName } from "./job-file.ts";
import { comment, inEnvironment, inSection, markerOf, refuseFileState, report } from "./job.ts";
import { JobProblem } from "./problem.ts";
import { planForReview } from "./pull-request.ts";
import type { ExitCode } from "../cli/result.ts";

interface Options {
  /** The run whose plan a person wants to apply. */
  readonly run: string | undefined;
  readonly newState: boolean;
  /** Seconds to wait for the lock of another run. */
  readonly lockTimeout: string;
}

/**
 * Applies the plans that were reviewed for the merged pull requests, or the plan of a run that a
 * person named. If there is no plan, or it is stale, sends nothing and shows a new plan.
 */
export async function applyReviewed(job: Job, options: Options): Promise<ExitCode> {
  job.forge.output("artifact", job.artifacts.offer);
  const sources = await findSources(job, options.run);
  for (const environment of job.environments) {
    const latest = (project: Project) => latestProject(job, environment, project);
    const current = { ...job, context: { ...job.context, latest } };
    const exit = await applyTo(current, environment, sources, options);
    if (exit !== 0) return exit;
  }
  return 0;
}

/** Where a reviewed plan comes from. */
interface Source {
  /** Undefined if a person named a run, or for a commit without a pull request. */
  readonly pull: Pull | undefined;
  readonly reviewed: Reviewed;
}

async function findSources(job: Job, run: string | undefined): Promise<readonly Source[]> {
  const { forge, artifacts, context, prefix } = job;
  const { before, after } = forge.pushed();
  if (run !== undefined) {
    if (!/^\d+$/.test(run)) throw new JobProblem("IVR682", "`--run` must be a number.");
    const reviewed = await whenReady(job, () => forge.reviewedIn(run, artifacts));
    return [{ pull: undefined, reviewed }];
  }
  const sources: Source[] = [];
  const none = (why: string, pull?: Pull) =>
    sources.push({ pull, reviewed: { kind: "none", why } });
  const commits = await pushedCommits(context, before, after);
  if (commits.length > mostCommits) {
    none(`This push has more than ${mostCommits} commits. The oldest were not looked at.`);
  }
  for (const commit of commits.slice(-mostCommits)) {
    const pulls = await forge.mergedWith(commit);
    const mergedAs = (wanted: readonly string[]) =>
      pulls.find((pull) => pull.mergedAs.some((merge) => wanted.includes(merge)));
    const pull = mergedAs([commit]) ?? mergedAs(commits);
    if (pull === undefined) {
      if (await isAffected(context, prefix, `${commit}^1`, commit)) {
        none(`Commit ${commit.slice(0, 12)} belongs to no merged ${forge.request}.`);
      }
    } else if (sources.some((source) => source.pull?.number === pull.number)) continue;
    else if (pull.fromFork) {
      none(`A ${forge.request} from a fork (${pull.number}) has no plan.`, pull);
    } else {
      const reviewed = await whenReady(job, () => forge.reviewed(pull, artifacts));
      sources.push({ pull, reviewed });
    }
  }
  return sources;
}

/** Milliseconds between two looks for a plan that is not ready, and how often to look. */
const pause = 10_000;
const mostLooks = 180;

/** Waits for a job that is still making its plan. */
async function whenReady({ context }: Job, look: () => Promise<Reviewed>): Promise<Reviewed> {
  for (let looks = 1; ; looks += 1) {
    const reviewed = await look();
    if (reviewed.kind !== "pending" || looks === mostLooks) return reviewed;
    if (looks === 1) context.terminal.say(`${reviewed.why} Waiting for it.\n`);
    await context.host.clock.sleep(pause);
  }
}

async function applyTo(
  job: Job,
  environment: string,
  sources: readonly Source[],
  options: Options,
): Promise<ExitCode> {
  const missing: string[] = [];
  let isIdle = true;
  for (const source of sources) {
    const plan = await planIn(job, environment, source);
    if (plan.kind === "none") missing.push(plan.why);
    if (plan.kind !== "plan") continue;
    // After the first plan, there is a state.
    const newState = options.newState && isIdle;
    isIdle = false;
    const exit = await applyPlan(job, environment, source.pull, plan, { ...options, newState });
    if (exit !== 0) return exit;
  }
  if (missing.length > 0) return offerPlan(job, environment, missing.join(" "), !isIdle);
  if (isIdle) report(job, `Nothing to apply to ${environment}.`);
  return 0;
}

type PlanIn =
  | { readonly kind: "plan"; readonly run: string; readonly file: string }
  | { readonly kind: "nothing" }
  | { readonly kind: "none"; readonly why: string };

/** Returns the reviewed plan for an environment, as a file. */
async function planIn(
  { forge, work }: Job,
  environment: string,
  { pull, reviewed }: Source,
): Promise<PlanIn> {
  if (reviewed.kind !== "found") return { kind: "none", why: reviewed.why };
  const { run, file } = reviewed;
  const none = (why: string): PlanIn => ({ kind: "none", why: `Run ${run} ${why}.` });
  const read = validate(JobFile, parseJson(await file("job.json")));
  if (!read.success) return none("has left no valid plan");
  if (pull !== undefined && read.data.commit !== pull.head) {
    return none(`did not check the last commit of ${forge.request} ${pull.number}`);
  }
  const verdict = read.data.environments[environment];
  if (verdict === "failed") return none(`failed for ${environment}, so its plan does not count`);
  if (verdict === "nothing" || verdict === "unaffected") return { kind: "nothing" };
  const content = verdict && (await file(planFileName(environment)));
  if (content === undefined) return none(`has no plan for ${environment}`);
  const path = join(work, `reviewed.${run}.${environment}.json`);
  writeFileSync(path, content);
  return { kind: "plan", run, file: path };
}

async function applyPlan(
  job: Job,
  environment: string,
  pull: Pull | undefined,
  { run, file }: Extract<PlanIn, { kind: "plan" }>,
  { newState, lockTimeout }: Options,
): Promise<ExitCode> {
  const { forge } = job;
  const context = { ...inEnvironment(job, environment), format: "text" };
  refuseFileState(context);
  const title = `ivrctl apply (plan of run ${run})`;
  const { ended, diagnostics } = await inSection(job, title, async () => {
    const by = `${forge.actor} (${forge.run})`;
    const lockId = `${forge.lockId}-${environment}`;
    const apply = (confirmed: boolean) =>
      applyPlanFile(context, { file, by, newState: confirmed, lockId, lockTimeout });
    const first = await apply(newState);
    // The confirmation can be for another environment of the job. Nothing was sent.
    const isForAnother =
      job.environments.length > 1 && first.diagnostics.some(({ code }) => code === "IVR620");
    const done = isForAnother ? await apply(false) : first;
    const next = suggest("apply", [], environment);
    const shown = appliedResult({ environment, next, ...done.ended }, done.diagnostics);
    await print({ exit: done.ended.exit, ...shown }, context);
    return done;
  });
  const ending = endingOf(ended, diagnostics);
  const results = ended.applied?.results ?? ended.notApplied ?? [];
  const firstApply = byHand(forge.name, run, true);
  const saved = ended.rescued?.file;
  const artifact = `${job.artifacts.offer}-rescue`;
  const result = resultComment({
    environment,
    ending,
    results,
    diagnostics,
    firstApply,
    rescued: saved === undefined ? undefined : { file: saved, artifact },
    run: forge.run,
  });
  forge.summarize(result);
  if (pull !== undefined) {
    const body = `${markerOf(job, "result", environment)}\n\n${result}\n`;
    // A run that did nothing must not hide what an earlier one did.
    const keeps = (old: string) => ended.applied === undefined && reportsDone(old);
    // The apply is done, so a failure here does not fail the job.
    if (!(await comment(job, pull.number, { body, create: true }, keeps))) {
      report(job, `The result is not on the ${forge.request}.`);
    }
  }
  return ending === "stale"
    ? offerPlan(job, environment, "The reviewed plan is stale.")
    : ended.exit;
}

/** Shows and leaves a new plan, which a person can apply by hand. `hasApplied`: after other plans. */
async function offerPlan(
  job: Job,
  environment: string,
  why: string,
  hasApplied = false,
): Promise<ExitCode> {
  const { forge } = job;
  const { planned, shown } = await planForReview(job, inEnvironment(job, environment));
  const isPossible = planned !== undefined && !planned.refused;
  // A menu that waits needs the id of another menu first. Then the next plan has it.
  if (isPossible && planned.plan.changes.every(({ action }) => action === "waiting")) {
    report(job, `${why} There is nothing to do.`);
    return 0;
  }
  const next = isPossible
    ? ` To apply the plan below, ${byHand(forge.name, forge.id, false)}.`
    : "";
  report(job, `${why} Nothing${hasApplied ? " more" : ""} was sent.${next}`);
  if (isPossible) leave(job, [[environment, "changes"]]);
  forge.summarize(planMarkdown(commentOf(shown)));
  return 1;
}
