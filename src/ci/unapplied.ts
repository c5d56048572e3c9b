import type { Change } from "../deploy/plan/changes/changes.ts";
import { actions } from "../deploy/plan/changes/actions.ts";
import type { Diagnostics } from "../diagnostics/diagnostic.ts";
import { MenuHistory } from "../operations/menu-history.ts";
import { configName } from "../project/files.ts";
import { groupBy } from "../util/group-by.ts";
import { listed } from "../util/many.ts";
import { minute, second } from "../util/time.ts";
import type { PlanDocument } from "../views/plan/describe.ts";
import { JobProblem, type Pull, problemOr } from "./forge.ts";
import type { EnvironmentJob } from "./job.ts";
import { readFromState } from "./reviewed.ts";

/** Where a change on the default branch comes from. */
interface Origin {
  /** Undefined if no pull request brought it, or if the platform does not say. */
  readonly pull: Pull | undefined;
  readonly at: string;
  /** `pull request 12` */
  readonly name: string;
}

/** The merged pull requests, or the commits, that changes up to a commit come from, by the key of the menu. */
export async function originsOf(
  { forge }: EnvironmentJob,
  history: MenuHistory,
  keys: readonly string[],
  from: string,
): Promise<ReadonlyMap<string, Origin>> {
  const byCommit = new Map<string, Origin>();
  const found = new Map<string, Origin>();
  for (const [key, { id, at }] of await history.origins(keys, from)) {
    let origin = byCommit.get(id);
    if (origin === undefined) {
      const pulls = await problemOr(forge.mergedWith(id));
      const [pull] = pulls instanceof JobProblem ? [] : pulls;
      const name = pull ? `${forge.request} ${pull.number}` : `commit ${id.slice(0, 12)}`;
      origin = { pull, name, at: pull?.mergedAt || at };
      byCommit.set(id, origin);
    }
    found.set(key, origin);
  }
  return found;
}

/** The last commit of the default branch, and how many seconds its changes may wait for their apply. */
export interface Deadline {
  readonly commit: string;
  readonly seconds: number;
}

/**
 * Reports the changes of the default branch that nobody has sent in time, and those that the service
 * refused. Leaves the plan, so that a person can apply it.
 */
export async function reportUnapplied(
  job: EnvironmentJob,
  shown: PlanDocument,
  { commit, seconds }: Deadline,
  found: Diagnostics,
): Promise<void> {
  const { forge, context, environment } = job;
  const waiting = (shown.plan?.changes ?? []).filter(({ action }) => !actions[action].isLeft);
  if (waiting.length === 0 || shown.refused) return;
  const history = new MenuHistory(context, environment);
  const origins = await originsOf(
    job,
    history,
    waiting.map(({ key }) => key),
    commit,
  );
  const refusals = await lastRefusals(job);
  const latest = new Date(context.host.clock.now().getTime() - seconds * 1000).toISOString();
  const late = waiting.filter((change) => {
    const origin = originIn(origins, change);
    return refusals.has(change.key) || origin === undefined || origin.at <= latest;
  });
  const hint = `Read the plan on the page of this run. To apply it, ${forge.byHand(forge.id)}. If its apply waits for an approval, approve that instead.`;
  for (const [origin, changes] of groupBy(late, (change) =>
    originWords(originIn(origins, change)),
  )) {
    const keys = changes.map(({ key }) => key);
    const said = new Set(keys.flatMap((key) => refusals.get(key) ?? []));
    const why = said.size === 0 ? "" : ` The service refused it: ${listed([...said])}.`;
    found.addFile("IVR686", configName, `${origin}${listed(keys)}.${why}`, hint);
  }
  const pulls = late.flatMap(({ key }) => origins.get(key)?.pull?.number ?? []);
  if (late.length > 0) job.leavePlan(environment, [...new Set(pulls)], shown);
}

/**
 * The commit that is not applied. Undefined if the menu was applied since: then the files are as they
 * were, and the service has changed, for example an agent's extension.
 */
function originIn(
  origins: ReadonlyMap<string, Origin>,
  { key, before }: Change,
): Origin | undefined {
  const origin = origins.get(key);
  const applied = before?.updated_at ?? before?.created_at ?? "";
  return origin && second(origin.at) >= second(applied) ? origin : undefined;
}

function originWords(origin: Origin | undefined): string {
  if (origin === undefined) return "Not applied, although no recent commit changed it: ";
  const { name, at, pull } = origin;
  const when = `${pull ? "merged " : ""}${minute(at)} UTC`;
  return `${name[0]?.toUpperCase()}${name.slice(1)} (${when}) is not applied: `;
}

/** What the service answered to the last request for each menu, if it refused that one. */
async function lastRefusals({ context }: EnvironmentJob): Promise<ReadonlyMap<string, string>> {
  const entries = await readFromState(context, (store) => store.history());
  const last = new Map<string, string>();
  for (const { event } of (entries ?? []).map(({ entry }) => entry)) {
    if (event.kind !== "outcome") continue;
    if (event.how !== "answer" || event.as !== "not-done") last.delete(event.key);
    else last.set(event.key, event.message.replace(/\.$/, ""));
  }
  return last;
}
