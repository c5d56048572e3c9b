import { type SavedPlan, savedFrom } from "../deploy/plan/saved/plan-file.ts";
import { Diagnostics } from "../diagnostics/diagnostic.ts";
import { isAbout } from "../diagnostics/groups.ts";
import { isAffected, messageOf, pushedCommits } from "../workspace/changed-files.ts";
import { ReviewedPlan } from "../schema/reviewed-plan.ts";
import { validate } from "../schema/validated.ts";
import { listed } from "../util/many.ts";
import { parseJson } from "../util/parse-json.ts";
import type { Ending, ShownResult } from "../views/pipeline-result.ts";
import { JobProblem, type Pull, type Reviewed, problemOr } from "./forge.ts";
import { type EnvironmentJob, type Job, planFileName } from "./job.ts";

/** Where a reviewed plan comes from. */
export interface PlanSource {
  /** The pull requests that it is for. A plan that a person names says it itself. */
  readonly pulls: readonly number[];
  /** The commit that had to be reviewed. Undefined if a person named a run. */
  readonly head?: string;
  readonly isManual?: boolean;
  /** A problem concerns only these pull requests: others of the push are applied. */
  readonly reviewed: Reviewed | JobProblem;
}

export async function namedSource(job: Job, named: string): Promise<PlanSource> {
  const { forge } = job;
  const [, id] = /^(?:https?:\S*\/(?:runs|jobs)\/)?(\d+)(?:[/?#]\S*)?$/.exec(named) ?? [];
  if (id === undefined) {
    throw new JobProblem("IVR682", "`--run` must be the id or the address of a run.");
  }
  const reviewed = await forge.reviewedIn(id, job.artifacts);
  if (reviewed) return { pulls: [], isManual: true, reviewed };
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
  const none = (why: string) => sources.push({ pulls: [], reviewed: why });
  const commits = await pushedCommits(context, forge.before, forge.commit);
  if (commits === undefined) {
    none(
      "git cannot list the commits of this push, so plans could be left out. The push was forced, or the checkout lacks the history (`fetch-depth: 0` on GitHub, `GIT_DEPTH: 0` on GitLab).",
    );
    return sources;
  }
  for (const commit of commits) {
    const isOurs = () => isAffected(context, prefix, `${commit}^1`, commit);
    const found = await problemOr(mergedWith(job, commit, isOurs));
    if (found instanceof JobProblem) {
      const named = [forge.namedIn(await messageOf(context, commit)) ?? []].flat();
      if (await isOurs()) sources.push({ pulls: named, reviewed: found });
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
    } else if (!sources.some(({ pulls: known }) => known.includes(pull.number))) {
      sources.push(sourceOf(pull, await problemOr(readBeforeMerge(job, pull))));
    }
  }
  return sources;
}

/** The plan of a merged pull request. */
export function sourceOf({ number, head }: Pull, reviewed: PlanSource["reviewed"]): PlanSource {
  return { pulls: [number], head, reviewed };
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
    return `${whose} was merged into ${pull.into}, not into ${forge.defaultBranch}.`;
  }
  if (pull.isFork) return `${whose} comes from a fork, so it has no plan.`;
  const reviewed = await forge.reviewed(pull, artifacts);
  if (typeof reviewed === "string") return reviewed;
  const isRead = Date.parse(reviewed.at) <= Date.parse(pull.mergedAt ?? "");
  return isRead ? reviewed : `${whose} was merged before run ${reviewed.run} had left its plan.`;
}

/** What was reviewed for an environment: a plan, why there is none that counts, or no changes. */
interface Found {
  /** The pull requests to write the result to. */
  readonly pulls: readonly number[];
  readonly saved?: SavedPlan;
  readonly unsent?: Pick<ShownResult, "ending" | "diagnostics"> & { readonly why: string };
}

/** Finds the reviewed plan for an environment. */
export async function planIn(
  { forge, environment }: EnvironmentJob,
  { pulls: own, head, isManual, reviewed }: PlanSource,
): Promise<Found> {
  if (reviewed instanceof JobProblem) throw reviewed;
  const without = (why: string, ending: Ending = "without plan"): Found => ({
    pulls: own,
    unsent: { ending, why, diagnostics: [] },
  });
  if (typeof reviewed === "string") return without(reviewed);
  const { run, file } = reviewed;
  const read = validate(ReviewedPlan, parseJson(await file(planFileName(environment))));
  if (!read.success) {
    const why = "it failed, or its plan has expired";
    return without(`Run ${run} has left no valid plan for ${environment}: ${why}.`);
  }
  const { commit, plan, failed = [] } = read.data;
  if (failed.length > 0) {
    const what = isManual ? "The plan does not count" : "It was merged";
    const words = `${what} although these failed in run ${run}: ${listed(failed)}.`;
    return without(words, "failed checks");
  }
  if (!isManual && commit !== head) {
    return without(`Run ${run} did not check the last commit of ${forge.request} ${own.join()}.`);
  }
  const pulls = isManual ? read.data.pulls : own;
  for (const number of isManual ? pulls : []) {
    if ((await forge.pull(number)).mergedAt !== undefined) continue;
    const words = `The plan of run ${run} cannot be applied: ${forge.request} ${number} is not merged.`;
    throw new JobProblem("IVR682", words, "Merge it first.");
  }
  if (plan === null) return { pulls };
  const unread = new Diagnostics();
  const saved = savedFrom("The plan", plan, unread);
  if (saved !== undefined) return { pulls, saved };
  const diagnostics = unread.sorted();
  const isAltered = diagnostics.some((one) => isAbout(one, "altered plan"));
  const ending = isAltered ? "altered" : "without plan";
  return {
    pulls,
    unsent: { ending, why: `The plan of run ${run} cannot be applied.`, diagnostics },
  };
}
