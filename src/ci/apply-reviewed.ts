import { apply } from "../operations/apply.ts";
import { wholePlan } from "../deploy/plan/plan-project.ts";
import { readProgress } from "../operations/read-state.ts";
import { actions } from "../deploy/plan/changes/actions.ts";
import { MenuHistory } from "../operations/menu-history.ts";
import type { SavedPlan } from "../deploy/plan/saved/plan-file.ts";
import { suggest } from "../util/suggest.ts";
import { listed } from "../util/many.ts";
import { print } from "../cli/printer.ts";
import { appliedResult } from "../views/apply-result.ts";
import {
  type EndedPlan,
  newPlanWords,
  planEnding,
  resultComment,
} from "../views/pipeline-result.ts";
import { planMarkdown } from "../views/plan/plan-markdown.ts";
import { JobProblem, type Pull, problemOr } from "./forge.ts";
import { latestJob } from "./latest.ts";
import { EnvironmentJob, type Job, refuseFileState } from "./job.ts";
import { planForReview } from "./pull-request.ts";
import { originsOf } from "./unapplied.ts";
import { type PlanSource, mergedSources, namedSource, planIn, sourceOf } from "./reviewed.ts";
import type { ExitCode } from "../views/result.ts";

/**
 * Applies the plans that were reviewed for the merged pull requests, or the plan of a `run` that a
 * person named. If there is no plan, or it is stale, sends nothing and shows a new plan. Waits for the
 * lock of another run so many seconds.
 */
export async function applyReviewed(
  job: Job,
  { run, lockTimeout }: { readonly run: string | undefined; readonly lockTimeout: number },
): Promise<ExitCode> {
  const sources = await sourcesOf(job, run);
  job.output("artifact", job.artifacts.offer);
  for (const [at, environment] of job.environments.entries()) {
    const one = latestJob(job, environment);
    const { exit, toPoint } = await applyTo(one, sources, lockTimeout);
    if (toPoint !== undefined) await one.showLive(exit !== 0, toPoint);
    const left = job.environments.slice(at + 1);
    if (exit !== 0 && left.length > 0) {
      job.report(`Not applied yet, because ${environment} failed: ${listed(left)}.`);
    }
    if (exit !== 0) return exit;
  }
  return 0;
}

/**
 * Shows what an apply would do on the page of the run, and tells later jobs the environments that have
 * anything to apply. Needs no token of the service.
 */
export async function showReviewed(job: Job, run: string | undefined): Promise<ExitCode> {
  const sources = await sourcesOf(job, run);
  const needed: string[] = [];
  for (const environment of job.environments) {
    const one = latestJob(job, environment, "review");
    const isNeeded = async () => {
      const found = await Promise.all(sources.map((source) => planIn(one, source)));
      if (found.every(({ saved, unsent: why }) => !saved && !why)) return false;
      const { shown } = await planForReview(one);
      job.summarize(planMarkdown({ ...shown, directory: job.directory }));
      return true;
    };
    // The job that applies shows a problem where people see it.
    const known = await problemOr(isNeeded());
    if (known === false) job.report(`Nothing to apply to ${environment}.`);
    else needed.push(environment);
  }
  job.output("environments", JSON.stringify(needed));
  return 0;
}

async function sourcesOf(job: Job, run: string | undefined): Promise<readonly PlanSource[]> {
  const { branch, defaultBranch } = job.forge;
  if (!branch || branch !== defaultBranch) {
    throw new JobProblem("IVR680", `Only the default branch, ${defaultBranch}, can be applied.`);
  }
  return run === undefined ? mergedSources(job) : [await namedSource(job, run)];
}

/** Shows on the merged pull requests why the job failed before it could apply anything. */
export async function reportStopped(job: Job, problem: JobProblem): Promise<void> {
  const sources = await problemOr(sourcesOf(job, undefined));
  if (sources instanceof JobProblem) return;
  const pulls = sources.flatMap((source) => source.pulls);
  for (const environment of pulls.length === 0 ? [] : job.environments) {
    const diagnostics = problem.diagnostics(job.forge.name);
    const one = new EnvironmentJob(job, environment);
    await writeResult(one, { ...unsent, pulls, ending: "failed", diagnostics });
  }
}

/** How a plan ended, and the pull requests to write that to. */
type Ended = EndedPlan & { readonly pulls: readonly number[] };

/**
 * Applies every plan, and then shows one new plan for all that could not be applied. `toPoint` is absent
 * if nothing could be planned.
 */
async function applyTo(
  job: EnvironmentJob,
  sources: readonly PlanSource[],
  lockTimeout: number,
): Promise<Pick<Ended, "exit" | "toPoint">> {
  const exits: ExitCode[] = [];
  const all: Ended[] = [];
  const stopped = async (pulls: readonly number[], problem: JobProblem): Promise<Ended> => {
    const diagnostics = await job.printProblem(problem);
    return { ...unsent, pulls, ending: "failed", diagnostics };
  };
  for (const source of sources) {
    // Whoever has waited for the lock once does not wait again.
    const wait = exits.includes(4) ? 0 : lockTimeout;
    const done = await problemOr(applySource(job, source, wait));
    // The plans of other pull requests do not depend on this one.
    const ended = done instanceof JobProblem ? await stopped(source.pulls, done) : done;
    if (ended === undefined) continue;
    all.push(ended);
    if (ended.needs === undefined) exits.push(await writeResult(job, ended));
    if (exits.includes(130)) break;
  }
  if (all.length === 0) job.report(`Nothing to apply to ${job.environment}.`);
  const open = all.filter(({ needs }) => needs !== undefined);
  if (open.length > 0 && !exits.includes(130)) {
    // A push whose commits are unknown may have brought any pull request.
    const isKnown =
      open.every(({ pulls }) => pulls.length > 0) || sources.some(({ isManual }) => isManual);
    exits.push(...(await offerPlan(job, open, isKnown)));
  }
  await updateEarlier(job, all);
  const exit = worst.find((one) => exits.includes(one)) ?? 0;
  return { exit, toPoint: all.findLast(({ toPoint }) => toPoint !== undefined)?.toPoint };
}

/** The exit codes, the most serious first. */
const worst = [130, 3, 4, 1] as const;

/** The result of a plan that was not sent. */
const unsent = { results: [], progress: undefined, exit: 1 } as const;

/** Applies what was reviewed. Returns undefined if that changes nothing. */
async function applySource(
  job: EnvironmentJob,
  source: PlanSource,
  lockTimeout: number,
): Promise<Ended | undefined> {
  const { pulls, saved, unsent: found } = await planIn(job, source);
  if (saved !== undefined) return applyPlan(job, saved, pulls, lockTimeout);
  return found && { ...unsent, ...found, pulls, needs: found.why };
}

async function applyPlan(
  job: EnvironmentJob,
  saved: SavedPlan,
  pulls: readonly number[],
  lockTimeout: number,
): Promise<Ended> {
  const { forge, environment, context } = job;
  refuseFileState(context);
  const whose = pulls.length === 0 ? "" : ` (${forge.request} ${pulls.join(", ")})`;
  job.start(`ivrctl apply${whose}`);
  const owner = {
    by: `${forge.actor} (${forge.run})`,
    id: `${forge.lockId}-${environment}`,
    hasEnded: job.hasEnded,
  };
  const ended = await apply(context, { ...wholePlan, saved, owner, lockTimeout });
  const again = suggest("apply", [], environment);
  await print(appliedResult(ended, { again, later: again }), context);
  const results = ended.applied?.results ?? ended.notApplied ?? [];
  return { pulls, ...planEnding(ended, await readProgress(context, saved, results)) };
}

/** Shows a result on the page of the run and on its pull requests. Fails if that is not possible. */
async function writeResult(
  job: EnvironmentJob,
  { pulls, exit, ...parts }: Ended,
): Promise<ExitCode> {
  const { forge, environment, context, directory } = job;
  const at = context.host.clock.now().toISOString();
  const run = { at, by: forge.actor, id: forge.id, address: forge.run };
  const body = resultComment({ ...parts, environment, run, directory });
  job.summarize(body);
  let isWritten = true;
  for (const pull of pulls) {
    if (await job.write(pull, ["result", environment], () => ({ body }))) continue;
    job.report(`The result is not on ${forge.request} ${pull}.`);
    isWritten = false;
  }
  return exit === 0 && !isWritten ? 1 : exit;
}

/**
 * Shows and leaves one new plan for all that need it, which a person can apply by hand, and says so on
 * each pull request.
 */
async function offerPlan(
  job: EnvironmentJob,
  open: readonly Ended[],
  isKnown: boolean,
): Promise<ExitCode[]> {
  const { forge, environment, directory } = job;
  const made = await problemOr(planForReview(job));
  const found = made instanceof JobProblem ? await job.printProblem(made) : [];
  const shown = made instanceof JobProblem ? null : made.shown;
  const changes = shown?.refused ? undefined : shown?.plan?.changes;
  const isDone = changes?.length === 0;
  const isWaiting = changes?.every(({ action }) => action === "waiting");
  const keys = isKnown ? [] : (changes ?? []).map(({ key }) => key);
  const others = (await mergedFor(job, keys)).map(({ number }) => number);
  const pulls = [...new Set(open.flatMap((one) => one.pulls))];
  if (shown && !isDone) job.summarize(planMarkdown({ ...shown, directory }));
  if (changes && !isWaiting) job.leavePlan(environment, [...pulls, ...others], shown);
  const outcome = isDone ? "done" : isWaiting ? "waiting" : changes ? "new" : "none";
  const numbers = pulls.map((pull) => `${forge.request} ${pull}`);
  const next = (page: string) => newPlanWords(outcome, numbers, page, forge.byHand(forge.id));
  const why = [...new Set(open.map(({ needs }) => needs))].join(" ");
  const sent = isWaiting ? "" : " Nothing was sent for it.";
  job.report(`${why}${sent} ${next("the page of this run")}`);
  const exits: ExitCode[] = [];
  for (const one of open) {
    const shownResult = {
      ...one,
      pulls: one.pulls.length > 0 ? one.pulls : others,
      ending: isDone ? "up to date" : one.ending,
      diagnostics: [...one.diagnostics, ...found],
      exit: isDone ? 0 : 1,
      next: next(`<a href="${forge.page}">the page of this run</a>`),
    } as const;
    exits.push(await writeResult(job, shownResult));
  }
  return exits;
}

/** The merged pull requests that menus of the default branch come from. */
async function mergedFor(job: EnvironmentJob, keys: readonly string[]): Promise<readonly Pull[]> {
  const history = new MenuHistory(job.context, job.environment);
  const origins = await originsOf(job, history, keys, job.forge.commit);
  const pulls = [...origins.values()].flatMap(({ pull }) => pull ?? []);
  return [...new Map(pulls.map((pull) => [pull.number, pull])).values()];
}

/** Updates the results of earlier pull requests whose menus were sent with this plan, for example because they waited. */
async function updateEarlier(job: EnvironmentJob, all: readonly Ended[]): Promise<void> {
  const results = all.flatMap((one) => one.results);
  const sent = results.filter(
    ({ action, outcome }) => outcome === actions[action].outcome && !actions[action].isLeft,
  );
  const written = new Set(all.flatMap(({ pulls }) => pulls));
  const keys = sent.map(({ key }) => key);
  for (const pull of await mergedFor(job, keys)) {
    if (pull.isFork || written.has(pull.number)) continue;
    const read = async () =>
      planIn(job, sourceOf(pull, await job.forge.reviewed(pull, job.artifacts)));
    const found = await problemOr(read());
    const saved = found instanceof JobProblem ? undefined : found.saved;
    const progress = saved && (await readProgress(job.context, saved, results));
    if (progress === undefined) continue;
    const ending = progress.done === progress.results.length ? "applied" : "waiting";
    const refs = new Set(progress.results.map(({ ref }) => ref));
    const own = sent.filter(({ ref }) => refs.has(ref));
    const shown = { pulls: [pull.number], ending, exit: 0, progress, diagnostics: [] } as const;
    await writeResult(job, { ...shown, results: own, matters: progress.matters });
  }
}
