import { apply } from "../operations/apply.ts";
import { actions } from "../deploy/plan/changes/actions.ts";
import { MenuHistory } from "../operations/menu-history.ts";
import { isOnConsole } from "../deploy/reasons/kinds.ts";
import type { SavedPlan } from "../deploy/plan/saved/plan-file.ts";
import { isAbout } from "../diagnostics/groups.ts";
import { suggest } from "../util/suggest.ts";
import { joined, listed } from "../util/many.ts";
import { print } from "../cli/printer.ts";
import { appliedResult } from "../views/apply-result.ts";
import {
  type Ending,
  type ShownResult,
  applyEnding,
  resultComment,
} from "../views/pipeline-result.ts";
import { planMarkdown } from "../views/plan/plan-markdown.ts";
import { JobProblem, type Pull, problemOr } from "./forge.ts";
import { latestProject } from "./latest.ts";
import { EnvironmentJob, type Job, refuseFileState } from "./job.ts";
import { planForReview, wholePlan } from "./pull-request.ts";
import { originsOf } from "./unapplied.ts";
import { type PlanSource, mergedSources, namedSource, planIn, readProgress } from "./reviewed.ts";
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
  job.keepAs(job.artifacts.offer);
  for (const [at, environment] of job.environments.entries()) {
    let { commit } = job.forge;
    const one = new EnvironmentJob(job, environment, {
      async latest(project) {
        const latest = await latestProject(job, environment, project);
        commit = latest.commit ?? commit;
        return latest;
      },
    });
    const { exit, toPoint } = await applyTo(one, sources, lockTimeout);
    if (toPoint !== undefined) await job.showLive(commit, environment, exit === 0, toPoint);
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
    const one = new EnvironmentJob(job, environment, {
      reads: "review",
      latest: (project) => latestProject(job, environment, project),
    });
    const isNeeded = async () => {
      const found = await Promise.all(sources.map((source) => planIn(one, source)));
      if (found.every(({ saved, why }) => saved === undefined && why === undefined)) return false;
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
  const { name, branch, defaultBranch } = job.forge;
  const sources = branch === defaultBranch ? await problemOr(mergedSources(job)) : [];
  if (sources instanceof JobProblem) return;
  for (const environment of job.environments) {
    const pulls = sources.flatMap(({ pull }) => pull?.number ?? []);
    const diagnostics = problem.diagnostics(name);
    const one = new EnvironmentJob(job, environment);
    if (pulls.length > 0)
      await writeResult(one, { ...unsent, pulls, ending: "failed", diagnostics });
  }
}

/** How a plan ended. */
interface Ended extends Omit<ShownResult, "environment" | "attempt" | "directory"> {
  /** The pull requests to write the result to. */
  readonly pulls: readonly number[];
  readonly isManual?: boolean | undefined;
  readonly ending: Ending;
  /** Why there is no plan, as a sentence. */
  readonly why?: string;
  readonly exit: ExitCode;
  /** Why only a new plan can help, as a sentence. */
  readonly needs?: string | undefined;
}

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
  for (const source of sources) {
    // Whoever has waited for the lock once does not wait again.
    const wait = exits.includes(4) ? 0 : lockTimeout;
    const done = await problemOr(applySource(job, source, wait));
    const found = done instanceof JobProblem ? await stoppedBy(job, source, done) : done;
    if (found === undefined) continue;
    const ended = { ...found, isManual: source.isManual };
    all.push(ended);
    if (ended.needs === undefined) exits.push(await writeResult(job, ended));
    if (exits.includes(130)) break;
  }
  if (all.length === 0) job.report(`Nothing to apply to ${job.environment}.`);
  const open = all.filter(({ needs }) => needs !== undefined);
  if (open.length > 0 && !exits.includes(130)) exits.push(...(await offerPlan(job, open)));
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
  const { pulls, saved, why, isFailed, diagnostics = [] } = await planIn(job, source);
  if (saved !== undefined) return applyPlan(job, saved, pulls, lockTimeout);
  if (why === undefined) return undefined;
  const isAltered = diagnostics.some((one) => isAbout(one, "altered plan"));
  const ending = isAltered ? "altered" : isFailed ? "failed checks" : "without plan";
  return { ...unsent, pulls, ending, why, diagnostics, needs: why };
}

/** What stopped the job before it could send a plan. The plans of other pull requests do not depend on it. */
async function stoppedBy(
  job: EnvironmentJob,
  { pull, named }: PlanSource,
  problem: JobProblem,
): Promise<Ended> {
  const pulls = [pull?.number ?? named ?? []].flat();
  return { ...unsent, pulls, ending: "failed", diagnostics: await job.printProblem(problem) };
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
  const ended = await job.inSection(`ivrctl apply${whose}`, async () => {
    const owner = {
      by: `${forge.actor} (${forge.run})`,
      id: `${forge.lockId}-${environment}`,
      hasEnded: (id: string) => job.hasEnded(id),
    };
    const done = await apply(context, { ...wholePlan, saved, owner, lockTimeout });
    const again = suggest("apply", [], environment);
    await print(appliedResult(done, { again, later: again }), context);
    return done;
  });
  const { diagnostics, rescued, followUps = [] } = ended;
  const results = ended.applied?.results ?? ended.notApplied ?? [];
  const progress = await readProgress(context, saved, results);
  const isDone = progress !== undefined && progress.done === progress.results.length;
  // An outcome of an earlier plan that is not known is a matter for the scheduled check.
  const exit = isDone && rescued === undefined ? 0 : ended.exit || (progress && !isDone ? 1 : 0);
  const ending = isDone && exit === 0 ? "applied" : applyEnding(ended, diagnostics, progress);
  const keys = new Set(progress?.results.map(({ key }) => key));
  const refs = new Set(progress?.results.map(({ ref }) => ref));
  // What held menus of the plan back in this run. The state does not tell.
  const held = (ended.plan?.held ?? []).filter(
    (one) => one.exit > 0 && one.refs.some((ref) => refs.has(ref)),
  );
  // What waited for an id is in a new plan as soon as the id is recorded.
  const isReady = progress?.results.some(({ waitsFor }) => waitsFor?.length === 0) === true;
  const needs =
    ending === "stale"
      ? "The reviewed plan is stale."
      : ending === "applied" && isReady
        ? "Menus that waited for an id can be created now."
        : undefined;
  return {
    pulls,
    ending,
    exit,
    needs,
    results,
    progress,
    matters: progress
      ? [...held, ...progress.matters]
      : ended.matters?.filter((one) => !isOnConsole(one)),
    diagnostics,
    toPoint: ended.matters?.filter(isOnConsole),
    followUps: followUps.filter(({ key }) => keys.has(key)),
    rescued: rescued?.file,
  };
}

/** Shows a result on the page of the run and on its pull requests. Fails if that is not possible. */
async function writeResult(
  job: EnvironmentJob,
  { pulls, ending, why, exit, ...parts }: Ended,
): Promise<ExitCode> {
  const { forge, environment, context, directory } = job;
  const at = context.host.clock.now().toISOString();
  const attempt = { ending, why, at, by: forge.actor, id: forge.id, run: forge.run };
  const shown = { ...parts, environment, attempt, directory };
  job.summarize(resultComment(shown));
  let isWritten = true;
  for (const pull of pulls) {
    const post = (old: string | undefined) => ({ body: resultComment(shown, old) });
    if (await job.write(pull, ["result", environment], post)) continue;
    job.report(`The result is not on ${forge.request} ${pull}.`);
    isWritten = false;
  }
  return exit === 0 && !isWritten ? 1 : exit;
}

/**
 * Shows and leaves one new plan for all that need it, which a person can apply by hand, and says so on
 * each pull request.
 */
async function offerPlan(job: EnvironmentJob, open: readonly Ended[]): Promise<ExitCode[]> {
  const { forge, environment, directory } = job;
  const why = [...new Set(open.map(({ needs }) => needs))].join(" ");
  const pulls = [...new Set(open.flatMap((one) => one.pulls))];
  const made = await problemOr(planForReview(job));
  const found = made instanceof JobProblem ? await job.printProblem(made) : [];
  const { planned, shown = null } = made instanceof JobProblem ? {} : made;
  const changes = planned?.refused === false ? planned.plan.changes : undefined;
  const isDone = changes?.length === 0;
  const isWaiting = changes?.every(({ action }) => action === "waiting");
  if (shown && !isDone) job.summarize(planMarkdown({ ...shown, directory }));
  // A push whose commits are unknown may have brought them.
  const isKnown = open.every((one) => one.pulls.length > 0 || one.isManual);
  const keys = (changes ?? []).map(({ key }) => key);
  const others = isKnown ? [] : (await mergedFor(job, keys)).map(({ number }) => number);
  if (changes && !isWaiting) job.leavePlan(environment, [...pulls, ...others], shown);
  const next = (page: string) => {
    if (isDone) return "There is nothing to do. The state has what the files say.";
    if (isWaiting) return "Record what the menus wait for. Then run this job again.";
    if (!changes) return `There is no new plan either. Fix the problems on ${page}.`;
    const numbers = pulls.map((pull) => `${forge.request} ${pull}`);
    const whose = pulls.length > 1 ? ` It is for ${joined(numbers, "and")} together.` : "";
    return `Read the new plan on ${page}.${whose} To apply it, ${forge.byHand(forge.id)}.`;
  };
  const unsent = isWaiting ? "" : " Nothing was sent for it.";
  job.report(`${why}${unsent} ${next("the page of this run")}`);
  const said = next(`<a href="${forge.page}">the page of this run</a>`);
  const exits: ExitCode[] = [];
  for (const one of open) {
    const ending = isDone ? "up to date" : one.ending;
    const diagnostics = [...(one.diagnostics ?? []), ...found];
    const exit = isDone ? 0 : 1;
    exits.push(
      await writeResult(job, {
        ...one,
        pulls: one.pulls.length > 0 ? one.pulls : others,
        diagnostics,
        exit,
        ending,
        next: said,
      }),
    );
  }
  return exits;
}

/** The merged pull requests that menus of the default branch come from. */
async function mergedFor(job: EnvironmentJob, keys: readonly string[]): Promise<readonly Pull[]> {
  const history = new MenuHistory(job.context, job.environment);
  const origins = await originsOf(job, history, keys, job.forge.commit);
  return [
    ...new Map(
      [...origins.values()].flatMap(({ pull }) => (pull ? [[pull.number, pull]] : [])),
    ).values(),
  ];
}

/** Updates the results of earlier pull requests whose menus were sent with this plan, for example because they waited. */
async function updateEarlier(job: EnvironmentJob, all: readonly Ended[]): Promise<void> {
  const { forge, context, artifacts } = job;
  const results = all.flatMap((one) => one.results);
  const sent = results.filter(
    ({ action, outcome }) => outcome === actions[action].outcome && !actions[action].isLeft,
  );
  const written = new Set(all.flatMap(({ pulls }) => pulls));
  const pulls =
    sent.length === 0
      ? []
      : await mergedFor(
          job,
          sent.map(({ key }) => key),
        );
  for (const pull of pulls.filter(({ number, isFork }) => !isFork && !written.has(number))) {
    const read = async () => planIn(job, { pull, reviewed: await forge.reviewed(pull, artifacts) });
    const found = await problemOr(read());
    const saved = found instanceof JobProblem ? undefined : found.saved;
    const progress = saved && (await readProgress(context, saved, results));
    if (progress === undefined) continue;
    const ending = progress.done === progress.results.length ? "applied" : "waiting";
    const refs = new Set(progress.results.map(({ ref }) => ref));
    const own = sent.filter(({ ref }) => refs.has(ref));
    const shown = { pulls: [pull.number], ending, exit: 0, progress, diagnostics: [] } as const;
    await writeResult(job, { ...shown, results: own, matters: progress.matters });
  }
}
