import { join } from "node:path";
import { formatFiles } from "../operations/format.ts";
import { MenuHistory } from "../operations/menu-history.ts";
import { wholePlan } from "../deploy/plan/plan-project.ts";
import { makePlan } from "../operations/made-plan.ts";
import { writeComparison } from "../operations/preview.ts";
import { fetch } from "../project/git.ts";
import { loadProject } from "../workspace/load-project.ts";
import type { Change } from "../deploy/plan/changes/changes.ts";
import { Diagnostics } from "../diagnostics/diagnostic.ts";
import { changedFiles, isAffected, reviewBase } from "../workspace/changed-files.ts";
import {
  type PlanForReview,
  changedFirst,
  planComment,
  planLine,
  shortComment,
} from "../views/pipeline.ts";
import { message } from "../views/markdown.ts";
import { listed } from "../util/many.ts";
import type { PlanDocument } from "../views/plan/describe.ts";
import { planResult } from "../views/plan/plan-result.ts";
import { testResult } from "../views/test/test-result.ts";
import { print } from "../cli/printer.ts";
import { failedIn, testReport } from "../views/test/test-report.ts";
import { type Pull, type Review, problemOr } from "./forge.ts";
import { EnvironmentJob, type Job, refuseFileState } from "./job.ts";
import { overlapsOf } from "./overlaps.ts";
import { mergedPull, originsOf } from "./unapplied.ts";
import type { ExitCode } from "../views/result.ts";

/**
 * Checks a pull request and shows what it changes, for every environment. Runs all checks, even if
 * one fails. A change without access to secrets and state is compared with the target branch instead.
 */
export async function reviewPullRequest(job: Job): Promise<ExitCode> {
  const { forge, context, artifacts, prefix } = job;
  const review = forge.review();
  const now = await pullOf(job, review);
  if (now?.mergedAt !== undefined && (await job.posted(now.number, ["plan"])).old) {
    job.report(`This ${forge.request} is merged. The plan that was reviewed stays as it is.`);
    return 0;
  }
  job.output("artifact", artifacts.review);
  const base = await reviewBase(context, review.base, review.head);
  if (await isAffected(context, prefix, base)) {
    return show(job, review, await examineAll(job, review, base));
  }
  const words = "This change touches no menu, configuration or agent file.";
  job.report(`${words} Nothing was checked.`);
  const plans = new Map(job.environments.map((environment) => [environment, null]));
  const body = shortComment("No changes", words, forge);
  return show(job, review, { plans, failed: new Set(), body });
}

/** Shows on the pull request why its job failed before it had a plan. */
export async function commentFailure(job: Job, problem: string): Promise<void> {
  const words = `${problem}\n\nThere is no plan for this commit, and no older plan counts.`;
  const body = shortComment("Failed: there is no plan", words, job.forge);
  const failed = new Set(["the job, before it had a plan"]);
  const act = async () => show(job, job.forge.review(), { plans: new Map(), failed, body });
  await problemOr(act());
}

/** The pull request as it is now. Undefined if there is none, or if this run cannot write to it. */
async function pullOf({ forge }: Job, { pull, untrusted }: Review): Promise<Pull | undefined> {
  return pull === undefined || untrusted !== undefined ? undefined : forge.pull(pull);
}

/** Shows what the job found in the comment and at the commit, and leaves the plans for the apply. */
async function show(job: Job, review: Review, examined: Examined): Promise<ExitCode> {
  const { plans, failed } = examined;
  // An old comment would show the plan of a different commit, so the job must fail.
  if (!(await commentPlan(job, review, examined))) failed.add("the comment with the plan");
  if (failed.size > 0) job.report(`Failed: ${[...failed].join(", ")}.`);
  if (failed.size > 0 && review.queued !== undefined) {
    const words = `Failed: ${message(listed([...failed]))}.`;
    const body = shortComment("The merge queue did not merge this", words, job.forge);
    await job.write(review.queued, ["queue"], () => ({ body }));
  }
  const isFine = failed.size === 0;
  const state = isFine ? "success" : "failure";
  for (const environment of job.environments) {
    const plan = plans.get(environment) ?? null;
    if (isFine && !plans.has(environment)) continue;
    job.leavePlan(environment, [review.pull ?? []].flat(), plan, [...failed]);
    const words = isFine ? planLine(plan) : `failed: ${listed([...failed])}`;
    if (!review.untrusted) await job.showStatus(review.head, environment, { state, words });
  }
  return isFine ? 0 : 1;
}

/** Writes the comment with the plan, unless there can be none, or this run is older than the pull request. */
async function commentPlan(
  job: Job,
  review: Review,
  { plans, failed, body }: Examined,
): Promise<boolean> {
  const { forge } = job;
  const now = await pullOf(job, review);
  if (now === undefined) return true;
  if (now.head !== review.head) {
    const words = `This run is old: it checked commit ${review.head}, but the last commit of ${forge.request} ${now.number} is ${now.head}.`;
    job.report(`${words} The comment with the plan stays as it is.`);
    return true;
  }
  const hasNews = failed.size > 0 || [...plans.values()].some((plan) => plan !== null);
  return job.write(now.number, ["plan"], (old) =>
    (old === undefined ? hasNews : now.mergedAt === undefined) ? { body } : undefined,
  );
}

/** What the job found. */
interface Examined {
  /** The plan of each environment; null if there is nothing to do. */
  readonly plans: ReadonlyMap<string, PlanDocument | null>;
  /** The commands and the menu tests that failed. */
  readonly failed: Set<string>;
  /** The comment. */
  readonly body: string;
}

async function examineAll(job: Job, review: Review, base: string): Promise<Examined> {
  const { forge, context, environments, directory } = job;
  const formatCheck = "ivrctl fmt --check";
  job.start(formatCheck);
  const exit = await print(await formatFiles(context, { paths: [], check: true }), context);
  const failed = new Set(exit === 0 ? [] : [formatCheck]);
  const shown: PlanForReview[] = [];
  const plans = new Map<string, PlanDocument | null>();
  const originOf = (commit: string) => requestOf(job, commit);
  for (const environment of environments) {
    const environmentJob = new EnvironmentJob(job, environment, { reads: "review", originOf });
    const part = await examine(environmentJob, review, base);
    for (const what of part.failed) failed.add(what);
    if (part.plan === undefined) continue;
    shown.push(part.plan);
    plans.set(environment, part.hasChanges ? part.plan : null);
  }
  const body = planComment(shown, { ...forge, failed: [...failed], directory });
  if (shown.length > 0) job.summarize(body);
  return { plans, failed, body };
}

/** Validates the project, runs its tests and makes its plan. */
async function examine(job: EnvironmentJob, { pull, untrusted }: Review, base: string) {
  const { context, environment, forge } = job;
  const asked = { paths: [], agentsRequired: false, advice: "all", tests: true } as const;
  const project = await loadProject(context, asked);
  const { diagnostics, hasErrors } = project;
  job.start("ivrctl validate");
  await print({ diagnostics, diagnosticsAreText: true }, context);
  const tests = testReport(project);
  job.start("ivrctl test");
  await print(testResult(tests, context), context);
  const made = untrusted === undefined ? await planForReview(job) : undefined;
  const { changes = [], learned = [] } = made?.shown.plan ?? {};
  const touched = (await changedFiles(context, base)) ?? [];
  const changed = new Set([
    ...touched.map((path) => path.slice(job.prefix.length)),
    ...changes.flatMap(({ file }) => file ?? []),
  ]);
  const isPlanned = made?.shown.plan && !made.shown.refused && !made.mustChangeFiles;
  const failed = [
    ...failedIn(tests).map(
      ({ key, name, file, line }) => `test of ${key} “${name}” (${file}:${line})`,
    ),
    ...(hasErrors ? [`ivrctl validate --env ${environment}`] : []),
    ...(made === undefined || isPlanned ? [] : [`ivrctl plan --env ${environment}`]),
  ];
  const page = join(job.work, `preview.${environment}.html`);
  const hasPreview = await writeComparison(context, base, page);
  context.terminal.data(forge.annotate(job, changedFirst(diagnostics, changed), tests));
  if (made === undefined) {
    const words = `There is no plan for this change, because ${untrusted}`;
    job.report(`${words}: such a change has no access to secrets and state.`);
    return { failed };
  }
  const { shown, isLive } = made;
  const hasChanges =
    changes.length > 0 || learned.some(({ kind }) => kind === "changed-on-console");
  const history = new MenuHistory(context, environment);
  const others = await mergedBefore(job, history, changes, base);
  const isCompared = pull !== undefined && !hasErrors;
  const overlaps = isCompared ? await overlapsOf(job, pull, base, history) : new Map();
  const plan = { ...shown, changed, others, overlaps, hasPreview, isLive };
  return { failed, hasChanges, plan };
}

/** Names the pull request of a commit, which the checkout may lack. */
async function requestOf(job: Job, commit: string): Promise<string | undefined> {
  await fetch(job.context, commit);
  const pull = await mergedPull(job, commit);
  return pull && `${job.forge.request} ${pull.number}`;
}

/** The changes that the target branch has without this change, and the pull requests they are from. */
async function mergedBefore(
  job: EnvironmentJob,
  history: MenuHistory,
  changes: readonly Change[],
  base: string,
): Promise<ReadonlyMap<string, string>> {
  const own = await history.changed(base, "HEAD");
  const others = changes.flatMap(({ key }) => (own.has(key) ? [] : key));
  const origins = await originsOf(job, history, others, base);
  return new Map(others.map((key) => [key, origins.get(key)?.name ?? "an earlier commit"]));
}

/** Makes and shows a plan. */
export async function planForReview(job: EnvironmentJob) {
  const { context } = job;
  const found = new Diagnostics();
  refuseFileState(context);
  job.start("ivrctl plan");
  const made = await makePlan(context, { ...wholePlan, hasEnded: job.hasEnded }, found);
  const shown = { ...made.shown, diagnostics: found.sorted() };
  await print(planResult(shown), context);
  return { ...made, shown };
}
