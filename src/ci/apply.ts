import { applyPlanFile } from "../commands/apply.ts";
import { menusToPoint } from "../deploy/apply/plan-progress.ts";
import { actions } from "../deploy/plan/actions.ts";
import { readSaved } from "../deploy/plan/plan-file.ts";
import { Diagnostics } from "../diagnostics/diagnostic.ts";
import { shownPath } from "../project/files.ts";
import { suggest } from "../util/suggest.ts";
import { joined } from "../util/many.ts";
import { print } from "../cli/printer.ts";
import { appliedResult } from "../views/apply.ts";
import {
  type ShownResult,
  applyEnding,
  needsNewPlan,
  resultComment,
} from "../views/pipeline-result.ts";
import { planMarkdown } from "../views/plan/plan-markdown.ts";
import { JobProblem } from "./forge.ts";
import { latestProject } from "./latest.ts";
import { markOutdated } from "./outdated.ts";
import { EnvironmentJob, type Job, refuseFileState } from "./job.ts";
import { planForReview } from "./pull-request.ts";
import {
  type PlanFile,
  type Source,
  mergedSources,
  namedSource,
  planIn,
  readProgress,
} from "./reviewed.ts";
import type { ExitCode } from "../cli/result.ts";

interface Options {
  /** The run whose plan a person wants to apply. */
  readonly run: string | undefined;
  /** Seconds to wait for the lock of another run. */
  readonly lockTimeout: number;
}

/**
 * Applies the plans that were reviewed for the merged pull requests, or the plan of a run that a
 * person named. If there is no plan, or it is stale, sends nothing and shows a new plan.
 */
export async function applyReviewed(job: Job, { run, lockTimeout }: Options): Promise<ExitCode> {
  const { branch, defaultBranch } = job.forge;
  if (!branch || branch !== defaultBranch) {
    throw new JobProblem("IVR680", `Only the default branch, ${defaultBranch}, can be applied.`);
  }
  job.keepAs(job.artifacts.offer);
  const sources = run === undefined ? await mergedSources(job) : [await namedSource(job, run)];
  for (const environment of job.environments) {
    const environmentJob: EnvironmentJob = new EnvironmentJob(job, environment, {
      latest: (project) => latestProject(environmentJob, project),
    });
    const exit = await applyTo(environmentJob, sources, lockTimeout);
    if (exit !== 0) return exit;
  }
  return 0;
}

/** Applies every plan, and then shows one new plan for all that could not be applied. */
async function applyTo(
  job: EnvironmentJob,
  sources: readonly Source[],
  lockTimeout: number,
): Promise<ExitCode> {
  const exits: ExitCode[] = [0];
  const changed = new Set<string>();
  const refused: Refused[] = [];
  const found = await Promise.all(sources.map((source) => planIn(job, source)));
  for (const { plan, pulls, why } of found) {
    if (why !== undefined) {
      const shown = { results: [], progress: undefined, diagnostics: [] };
      refused.push({ pulls, attempt: { ending: "without plan", why }, shown });
    }
    if (plan === undefined) continue;
    // Whoever has waited for the lock once does not wait again.
    const wait = exits.includes(4) ? 0 : lockTimeout;
    const ended = await applyPlan(job, plan, pulls, wait, changed);
    if (typeof ended === "number") exits.push(ended);
    else refused.push(ended);
    if (ended === 130) break;
  }
  if (refused.length > 0 && !exits.includes(130)) exits.push(await offerFor(job, refused));
  else if (found.every(({ plan }) => plan === undefined)) {
    job.report(`Nothing to apply to ${job.environment}.`);
  }
  await markOutdated(job, changed);
  return worst.find((exit) => exits.includes(exit)) ?? 0;
}

/** The exit codes, the most serious first. */
const worst = [130, 3, 4, 1] as const;

/** What cannot be applied without a new plan. */
interface Refused {
  readonly pulls: readonly number[];
  readonly attempt: Pick<ShownResult["attempt"], "ending" | "why">;
  readonly shown: ShownParts;
}

/** Shows and leaves one new plan for all that was refused, and says so on each pull request. */
async function offerFor(job: EnvironmentJob, refused: readonly Refused[]): Promise<ExitCode> {
  const whys = refused.map(
    ({ attempt: { ending, why } }) =>
      why ??
      (ending === "applied"
        ? "What waited for an id can be created now."
        : `The reviewed plan is ${ending}.`),
  );
  const all = [...new Set(refused.flatMap(({ pulls }) => pulls))];
  const offer = await offerPlan(job, [...new Set(whys)].join(" "), all);
  const exits: ExitCode[] = [];
  for (const { pulls, attempt, shown } of refused) {
    const isDone = offer.exit === 0 && attempt.ending === "without plan";
    const how = isDone ? { ...attempt, ending: "up to date" as const } : attempt;
    exits.push(await writeResult(job, pulls, how, { ...shown, next: offer.next }, offer.exit));
  }
  return exits.includes(1) ? 1 : offer.exit;
}

async function applyPlan(
  job: EnvironmentJob,
  { run, file }: PlanFile,
  pulls: readonly number[],
  lockTimeout: number,
  changed: Set<string>,
): Promise<ExitCode | Refused> {
  const { forge, environment, context } = job;
  const endpoint = refuseFileState(context);
  const ended = await job.inSection(`ivrctl apply (plan of run ${run})`, async () => {
    const owner = {
      by: `${forge.actor} (${forge.run})`,
      id: `${forge.lockId}-${environment}`,
      hasEnded: (id: string) => job.hasEnded(id),
    };
    const done = await applyPlanFile(context, { file, owner, lockTimeout });
    const again = suggest("apply", [], environment);
    await print(appliedResult(done, { again, later: again }), context);
    return done;
  });
  const { diagnostics, rescued, followUps = [] } = ended;
  const results = ended.applied?.results ?? ended.notApplied ?? [];
  for (const { key, action, outcome } of ended.applied?.results ?? []) {
    if (outcome === actions[action].outcome && !actions[action].isLeft) changed.add(key);
  }
  const saved = readSaved(context.root, file, new Diagnostics());
  const progress = saved && (await readProgress(context, saved, results));
  const isDone = progress !== undefined && progress.done === progress.results.length;
  // An outcome of an earlier plan that is not known is a matter for the scheduled check.
  const exit = isDone && rescued === undefined ? 0 : ended.exit || (progress && !isDone ? 1 : 0);
  const ending = isDone && exit === 0 ? "applied" : applyEnding(ended, diagnostics, progress);
  const keys = new Set(progress?.results.map(({ key }) => key));
  const shown = {
    results,
    progress,
    matters: progress?.matters ?? ended.matters,
    diagnostics,
    planFile: shownPath(context.root, file),
    ...(saved && progress && { toPoint: menusToPoint(saved, progress, endpoint?.operations) }),
    followUps: followUps.filter(({ key }) => keys.has(key)),
    rescued: rescued?.file,
  };
  // What waited for an id is in a new plan as soon as the id is recorded.
  const isReady = progress?.results.some(({ waitsFor }) => waitsFor?.length === 0) === true;
  if (needsNewPlan(ending) || (ending === "applied" && isReady))
    return { pulls, attempt: { ending }, shown };
  return writeResult(job, pulls, { ending }, shown, exit);
}

/** What a result shows, except for how the run ended. */
type ShownParts = Omit<ShownResult, "environment" | "attempt" | "directory">;

/** Shows a result on the page of the run and on its pull requests. Fails if that is not possible. */
async function writeResult(
  job: EnvironmentJob,
  pulls: readonly number[],
  how: Pick<ShownResult["attempt"], "ending" | "why">,
  result: ShownParts,
  exit: ExitCode,
): Promise<ExitCode> {
  const { forge, environment, context, directory } = job;
  const at = context.host.clock.now().toISOString();
  const attempt = { ...how, at, by: forge.actor, id: forge.id, run: forge.run };
  const shown = { ...result, environment, attempt, directory };
  job.summarize(resultComment(shown));
  let isWritten = true;
  for (const pull of pulls) {
    if (await job.comment(pull, ["result", environment], (old) => resultComment(shown, old))) {
      continue;
    }
    job.report(`The result is not on ${forge.request} ${pull}.`);
    isWritten = false;
  }
  return exit === 0 && !isWritten ? 1 : exit;
}

/** Shows and leaves a new plan, which a person can apply by hand. Returns what to say about it. */
async function offerPlan(
  job: EnvironmentJob,
  why: string,
  pulls: readonly number[],
): Promise<{ readonly exit: ExitCode; readonly next: string }> {
  const { forge } = job;
  const { planned, shown } = await planForReview(job);
  const isPossible = planned !== undefined && !planned.refused;
  if (isPossible && planned.plan.changes.length === 0) {
    job.report(`${why} There is nothing to do.`);
    return { exit: 0, next: "There is nothing to do: the state has what the files say." };
  }
  job.summarize(planMarkdown(shown));
  if (isPossible && planned.plan.changes.every(({ action }) => action === "waiting")) {
    const next = "Record what the menus wait for. Then run this job again.";
    job.report(`${why} ${next}`);
    return { exit: 1, next };
  }
  if (isPossible) job.leavePlan(job.environment, pulls, shown);
  const numbers = pulls.map((pull) => `${forge.request} ${pull}`);
  const whose = pulls.length > 1 ? ` It is for ${joined(numbers, "and")} together.` : "";
  const nextOn = (page: string) =>
    isPossible
      ? `Read the new plan on ${page}.${whose} To apply it, ${forge.byHand}.`
      : `There is no new plan either. Fix the problems on ${page}.`;
  job.report(`${why} Nothing was sent for it. ${nextOn("the page of this run")}`);
  return { exit: 1, next: nextOn(`<a href="${forge.page}">the page of this run</a>`) };
}
