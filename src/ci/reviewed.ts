import type { Caller } from "../operations/caller.ts";
import { type Progress, planProgress } from "../deploy/matters/plan-progress.ts";
import type { StepOutcome } from "../deploy/apply/step-results.ts";
import { type SavedPlan, savedFrom } from "../deploy/plan/saved/plan-file.ts";
import { reporting } from "../deploy/state/access.ts";
import type { StateStore } from "../deploy/state/log/state-store.ts";
import { openState } from "../deploy/state/open-store.ts";
import { type Diagnostic, Diagnostics } from "../diagnostics/diagnostic.ts";
import { isAffected, messageOf, mostCommits, pushedCommits } from "../workspace/changed-files.ts";
import { ReviewedPlan } from "../schema/reviewed-plan.ts";
import { validate } from "../schema/validated.ts";
import { listed } from "../util/many.ts";
import { parseJson } from "../util/parse-json.ts";
import { JobProblem, type Pull, type Reviewed, problemOr } from "./forge.ts";
import { type EnvironmentJob, type Job, planFileName } from "./job.ts";

/** Where a reviewed plan comes from. */
export interface PlanSource {
  /** Undefined if a person named a run, or for a commit without a pull request. */
  readonly pull: Pull | undefined;
  /** The pull request that the commit names, if the platform could not be asked. */
  readonly named?: number | undefined;
  /** Whether a person named the run. */
  readonly isManual?: boolean;
  /** A problem concerns only this pull request: others of its push are applied. */
  readonly reviewed: Reviewed | JobProblem;
}

export async function namedSource(job: Job, named: string): Promise<PlanSource> {
  const { forge } = job;
  const [, sign, id] = /^(#|https?:\S*\/(?:runs|jobs)\/)?(\d+)(?:[/?#]\S*)?$/.exec(named) ?? [];
  if (id === undefined) {
    const words = "`--run` must be a number, as in `12` or `#12`, or the address of a run.";
    throw new JobProblem("IVR682", words);
  }
  const reviewed = await forge.reviewedIn(id, sign === "#", job.artifacts);
  if (reviewed) return { pull: undefined, isManual: true, reviewed };
  throw new JobProblem(
    "IVR682",
    `The plan of run ${named} cannot be applied.`,
    "Choose a run of this workflow (on GitLab, a job) for a branch in this repository.",
  );
}

/** The pull requests that a push merged, each once, and the commits without one. */
export async function mergedSources(job: Job): Promise<readonly PlanSource[]> {
  const { forge, context, prefix } = job;
  const sources: PlanSource[] = [];
  const none = (why: string, pull?: Pull) =>
    sources.push({ pull, reviewed: { kind: "none", why } });
  const commits = await pushedCommits(context, forge.before, forge.commit);
  if (commits === undefined) {
    none(
      "git cannot list the commits of this push, so plans could be left out. The push was forced, or the checkout lacks the history (`fetch-depth: 0` on GitHub, `GIT_DEPTH: 0` on GitLab).",
    );
    return sources;
  }
  if (commits.length > mostCommits) {
    none(`This push has more than ${mostCommits} commits. The oldest were not looked at.`);
  }
  for (const commit of commits.slice(-mostCommits)) {
    const isOurs = () => isAffected(context, prefix, `${commit}^1`, commit);
    const found = await problemOr(mergedWith(job, commit, isOurs));
    if (found instanceof JobProblem) {
      const named = forge.namedIn(await messageOf(context, commit));
      if (await isOurs()) sources.push({ pull: undefined, named, reviewed: found });
      continue;
    }
    const isHere = ({ into }: Pull) => into === forge.defaultBranch;
    const pulls = found.toSorted((a, b) => Number(isHere(b)) - Number(isHere(a)));
    const mergedAs = (wanted: readonly string[]) =>
      pulls.find((pull) => pull.mergedAs.some((merge) => wanted.includes(merge)));
    const pull = mergedAs([commit]) ?? mergedAs(commits);
    if (pull === undefined) {
      if (await isOurs()) {
        none(`Commit ${commit.slice(0, 12)} belongs to no merged ${forge.request}.`);
      }
    } else if (!sources.some((source) => source.pull?.number === pull.number)) {
      sources.push({ pull, reviewed: await problemOr(readBeforeMerge(job, pull)) });
    }
  }
  return sources;
}

/** The merged pull requests of a commit. Soon after a merge, the platform may know none. */
async function mergedWith(
  { forge, context }: Job,
  commit: string,
  isExpected: () => Promise<boolean>,
): Promise<readonly Pull[]> {
  for (let looks = 1; ; looks += 1) {
    const pulls = await forge.mergedWith(commit);
    if (pulls.length > 0 || looks === mostLooks || !(await isExpected())) return pulls;
    await context.host.clock.sleep(2000 * looks);
  }
}

const mostLooks = 4;

/** The plan that was there to read when a pull request was merged. */
async function readBeforeMerge({ forge, artifacts }: Job, pull: Pull): Promise<Reviewed> {
  const whose = `${forge.request[0]?.toUpperCase()}${forge.request.slice(1)} ${pull.number}`;
  if (pull.into !== forge.defaultBranch) {
    const why = `${whose} was merged into ${pull.into}, not into ${forge.defaultBranch}.`;
    return { kind: "none", why };
  }
  if (pull.isFork) return { kind: "none", why: `${whose} comes from a fork, so it has no plan.` };
  const reviewed = await forge.reviewed(pull, artifacts);
  const isRead =
    reviewed.kind === "none" || Date.parse(reviewed.at) <= Date.parse(pull.mergedAt ?? "");
  if (isRead) return reviewed;
  return { kind: "none", why: `${whose} was merged before run ${reviewed.run} had left its plan.` };
}

/** What was reviewed for an environment: a plan, no changes, or nothing that counts. */
interface Found {
  /** The pull requests to write the result to. */
  readonly pulls: readonly number[];
  readonly saved?: SavedPlan;
  /** Why no plan counts, as a sentence. */
  readonly why?: string;
  /** Whether checks failed. */
  readonly isFailed?: boolean;
  /** Why the plan cannot be applied. */
  readonly diagnostics?: readonly Diagnostic[];
}

/** Finds the reviewed plan for an environment. */
export async function planIn(
  { forge, environment }: EnvironmentJob,
  { pull, reviewed }: PlanSource,
): Promise<Found> {
  const own = pull === undefined ? [] : [pull.number];
  const without = (why: string): Found => ({ pulls: own, why });
  if (reviewed instanceof JobProblem) throw reviewed;
  if (reviewed.kind !== "found") return without(reviewed.why);
  const { run, file } = reviewed;
  const read = validate(ReviewedPlan, parseJson(await file(planFileName(environment))));
  if (!read.success) {
    const why = "it failed, or its plan has expired";
    return without(`Run ${run} has left no valid plan for ${environment}: ${why}.`);
  }
  const { commit, pulls, plan, failed = [] } = read.data;
  if (failed.length > 0) {
    const what = pull === undefined ? "The plan does not count" : "It was merged";
    return {
      ...without(`${what} although these failed in run ${run}: ${listed(failed)}.`),
      isFailed: true,
    };
  }
  if (pull !== undefined && commit !== pull.head) {
    const last = `the last commit of ${forge.request} ${pull.number}`;
    return without(`Run ${run} did not check ${last}.`);
  }
  for (const number of pull === undefined ? pulls : []) {
    if ((await forge.pull(number)).mergedAt !== undefined) continue;
    const words = `The plan of run ${run} cannot be applied: ${forge.request} ${number} is not merged.`;
    throw new JobProblem("IVR682", words, "Merge it first.");
  }
  const found = { pulls: pull === undefined ? pulls : own };
  if (plan === null) return found;
  const unread = new Diagnostics();
  const saved = savedFrom("The plan", plan, unread);
  if (saved !== undefined) return { ...found, saved };
  const why = `The plan of run ${run} cannot be applied.`;
  return { ...found, why, diagnostics: unread.sorted() };
}

/** What the state says about a plan now. Undefined if it cannot be read. */
export async function readProgress(
  context: Caller,
  saved: SavedPlan,
  results: readonly StepOutcome[],
): Promise<Progress | undefined> {
  return readFromState(context, async (store) => {
    const { state } = await store.read();
    return planProgress(saved, { state, history: await store.history() }, results);
  });
}

/** Reads something from the state. Undefined if that is not possible. */
export async function readFromState<T>(
  context: Caller,
  read: (store: StateStore) => Promise<T>,
): Promise<T | undefined> {
  const found = new Diagnostics();
  const { store } = await openState(context, found);
  return store && reporting(store, found, () => read(store));
}
