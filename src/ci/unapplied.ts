import { actions } from "../deploy/plan/changes/actions.ts";
import type { Diagnostics } from "../diagnostics/diagnostic.ts";
import { MenuHistory } from "../operations/menu-history.ts";
import { configName } from "../project/files.ts";
import { groupBy } from "../util/group-by.ts";
import { listed } from "../util/many.ts";
import { second } from "../util/time.ts";
import type { PlanDocument } from "../views/plan/describe.ts";
import { JobProblem, type Pull, problemOr } from "./forge.ts";
import type { EnvironmentJob, Job } from "./job.ts";
import { readFromState } from "../operations/read-state.ts";
import { lastRefusals } from "../deploy/state/history.ts";
import { notApplied } from "../views/pipeline.ts";

/** Where a change on the default branch comes from. */
interface Origin {
  /** Undefined if no pull request brought it, or if the platform does not say. */
  readonly pull: Pull | undefined;
  readonly at: string;
  /** `pull request 12` */
  readonly name: string;
}

/** The pull request that merged a commit. Undefined if there is none, or if the platform does not say. */
export async function mergedPull({ forge }: Job, commit: string): Promise<Pull | undefined> {
  const pulls = await problemOr(forge.mergedWith(commit));
  return pulls instanceof JobProblem ? undefined : pulls[0];
}

/** The merged pull requests, or the commits, that changes up to a commit come from, by the key of the menu. */
export async function originsOf(
  job: EnvironmentJob,
  history: MenuHistory,
  keys: readonly string[],
  from: string,
): Promise<ReadonlyMap<string, Origin>> {
  const byCommit = new Map<string, Origin>();
  const found = new Map<string, Origin>();
  if (keys.length === 0) return found;
  for (const [key, { id, at }] of await history.origins(keys, from)) {
    let origin = byCommit.get(id);
    if (origin === undefined) {
      const pull = await mergedPull(job, id);
      const name = pull ? `${job.forge.request} ${pull.number}` : `commit ${id.slice(0, 12)}`;
      origin = { pull, name, at: pull?.mergedAt || at };
      byCommit.set(id, origin);
    }
    found.set(key, origin);
  }
  return found;
}

/**
 * Reports the changes of the default branch that nobody has sent within so many seconds, and those that
 * the service refused. Leaves the plan, so that a person can apply it.
 */
export async function reportUnapplied(
  job: EnvironmentJob,
  shown: PlanDocument,
  seconds: number,
  found: Diagnostics,
): Promise<void> {
  const { forge, context, environment } = job;
  const waiting = (shown.plan?.changes ?? []).filter(({ action }) => !actions[action].isLeft);
  if (waiting.length === 0 || shown.refused) return;
  const history = new MenuHistory(context, environment);
  const keys = waiting.map(({ key }) => key);
  const origins = await originsOf(job, history, keys, job.commit);
  const refusals = lastRefusals((await readFromState(context, (store) => store.history())) ?? []);
  const latest = new Date(context.host.clock.now().getTime() - seconds * 1000).toISOString();
  const late = waiting.flatMap(({ key, before }) => {
    const origin = origins.get(key);
    // Applied since: the files are as they were, and the service has changed, for example an extension.
    const applied = second(before?.updated_at ?? before?.created_at ?? "");
    const from = origin && second(origin.at) >= applied ? origin : undefined;
    const isLate = refusals.has(key) || from === undefined || from.at <= latest;
    return isLate ? [{ key, from }] : [];
  });
  const hint = `Read the plan on the page of this run. To apply it, ${forge.byHand(forge.id)}. If its apply waits for an approval, approve that instead.`;
  for (const group of groupBy(late, ({ from }) => from?.name).values()) {
    const names = group.map(({ key }) => key);
    const said = new Set(names.flatMap((key) => refusals.get(key) ?? []));
    const why = said.size === 0 ? "" : ` The service refused it: ${listed([...said])}.`;
    found.addFile("IVR686", configName, `${notApplied(group[0].from, names)}${why}`, hint);
  }
  const pulls = new Set(late.flatMap(({ key }) => origins.get(key)?.pull?.number ?? []));
  if (late.length > 0) job.leavePlan(environment, [...pulls], shown);
}
