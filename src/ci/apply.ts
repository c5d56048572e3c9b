import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { ExitCode } from "../cli/command.ts";
import { type Performed, performApply } from "../commands/apply.ts";
import { type Diagnostic, Diagnostics } from "../diagnostics/diagnostic.ts";
import { validate } from "../schema/validate.ts";
import { showApplied } from "../views/apply.ts";
import { bannersOf } from "../views/plan/index.ts";
import { planMarkdown } from "../views/plan/markdown.ts";
import { resultComment } from "./comment.ts";
import { JobFile, isAffected, planFileName, pushedCommits } from "./files.ts";
import type { Pull, Reviewed } from "./forge.ts";
import { type Job, inEnvironment, inSection, markerOf, refuseFileState, report } from "./job.ts";
import { JobProblem } from "./problem.ts";
import { leave, planForReview } from "./pull-request.ts";

export interface ApplyOptions {
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
export async function applyReviewed(job: Job, options: ApplyOptions): Promise<ExitCode> {
  const wanted = await findPlans(job, options.run);
  for (const environment of job.environments) {
    const exit = await applyTo(job, environment, wanted, options);
    if (exit !== 0) return exit;
  }
  return 0;
}

/** A plan that was reviewed, or why there is none. */
interface Wanted {
  /** Undefined if a person named a run. */
  readonly pull: Pull | undefined;
  readonly reviewed: Exclude<Reviewed, { kind: "pending" }>;
}

/** Milliseconds between two looks for a plan that is not ready, and how often to look. */
const pause = 10_000;
const mostLooks = 180;

async function findPlans(job: Job, run: string | undefined): Promise<readonly Wanted[]> {
  const { forge, artifact, context } = job;
  const { before, after } = forge.pushed();
  if (run !== undefined) {
    const look = () => forge.reviewedIn(run, artifact);
    return [{ pull: undefined, reviewed: await waitFor(job, look) }];
  }
  const found: Wanted[] = [];
  for (const commit of await pushedCommits(context.root, before, after)) {
    const pull = await forge.mergedAs(commit);
    if (pull !== undefined) {
      const why = `${capital(forge.request)} ${pull.number} came from a fork, so it has no plan.`;
      const reviewed = pull.fromFork
        ? ({ kind: "none", why } as const)
        : await waitFor(job, () => forge.reviewed(pull, artifact));
      found.push({ pull, reviewed });
    } else if (await isAffected(context, forge.top, `${commit}^1`, commit)) {
      const why = `Commit ${commit.slice(0, 12)} belongs to no merged ${forge.request}.`;
      found.push({ pull: undefined, reviewed: { kind: "none", why } });
    }
  }
  return found;
}

/** Waits for a job that is still making its plan. */
async function waitFor(
  { context }: Job,
  look: () => Promise<Reviewed>,
): Promise<Wanted["reviewed"]> {
  for (let looks = 1; ; looks += 1) {
    const reviewed = await look();
    if (reviewed.kind !== "pending") return reviewed;
    if (looks === mostLooks) return { kind: "none", why: reviewed.why };
    if (looks === 1) context.terminal.say(`${reviewed.why} Waiting for it.\n`);
    await sleep(pause);
  }
}

async function applyTo(
  job: Job,
  environment: string,
  wanted: readonly Wanted[],
  options: ApplyOptions,
): Promise<ExitCode> {
  const missing: string[] = [];
  let applied = 0;
  for (const { pull, reviewed } of wanted) {
    const plan = await planIn(job, environment, pull, reviewed);
    if (plan.kind === "none") missing.push(plan.why);
    if (plan.kind !== "plan") continue;
    applied += 1;
    const exit = await applyPlan(job, environment, plan, { ...options, pull });
    if (exit !== 0) return exit;
  }
  if (missing.length > 0) return offerPlan(job, environment, missing.join(" "));
  if (applied === 0) report(job, `Nothing to apply to ${environment}.`);
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
  pull: Pull | undefined,
  reviewed: Wanted["reviewed"],
): Promise<PlanIn> {
  if (reviewed.kind === "none") return reviewed;
  const { run, file } = reviewed;
  const none = (why: string): PlanIn => ({ kind: "none", why: `Run ${run} ${why}.` });
  const read = validate(JobFile, parsed(await file("job.json")));
  if (!read.success) return none("has left no valid plan");
  if (pull !== undefined && read.data.commit !== pull.head) {
    return none(`checked another commit than the last one of ${forge.request} ${pull.number}`);
  }
  const verdict = read.data.environments[environment];
  if (verdict === undefined) return none(`has no plan for ${environment}`);
  if (verdict === "failed") return none(`failed for ${environment}, so its plan does not count`);
  if (verdict !== "changes") return { kind: "nothing" };
  const content = await file(planFileName(environment));
  if (content === undefined) return none(`has no plan for ${environment}`);
  const path = join(work, `reviewed.${run}.${environment}.json`);
  writeFileSync(path, content);
  return { kind: "plan", run, file: path };
}

function parsed(content: Buffer | undefined): unknown {
  try {
    return JSON.parse(content?.toString("utf8") ?? "");
  } catch {
    return undefined;
  }
}

interface PlanOptions extends ApplyOptions {
  readonly pull: Pull | undefined;
}

async function applyPlan(
  job: Job,
  environment: string,
  { run, file }: Extract<PlanIn, { kind: "plan" }>,
  { pull, newState, lockTimeout }: PlanOptions,
): Promise<ExitCode> {
  const { forge } = job;
  const context = {
    ...inEnvironment(job, environment),
    args: [file],
    format: "text",
    flags: {
      "auto-approve": false,
      agents: undefined,
      target: [],
      "max-creates": undefined,
      "new-state": newState,
      "lock-id": `${forge.lockId}-${environment}`,
      "lock-timeout": lockTimeout,
    },
  };
  refuseFileState(context);
  const performed = await inSection(job, `ivrctl apply (plan of run ${run})`, async () => {
    const done = await performApply(context, `${forge.actor} (${forge.run})`);
    await showApplied({ environment, ...done.ended }, done.diagnostics, context);
    return done;
  });
  const result = resultOf(performed);
  const body = resultComment(performed, {
    environment,
    heading: `${headings[result]} (${environment})`,
    advice: adviceFor(job, result, run),
    run: forge.run,
  });
  report(job, body);
  if (pull !== undefined) await commentResult(job, environment, pull, body);
  const { exit } = performed.ended;
  return result === "stale" ? offerPlan(job, environment, "The reviewed plan is stale.") : exit;
}

/** How an apply ended. */
type ApplyResult = "applied" | "failed" | "unknown" | "interrupted" | "locked" | Refused;
/** Nothing was sent, because something does not fit the plan. */
type Refused = "stale" | "went back" | "without state";

const headings: Readonly<Record<ApplyResult, string>> = {
  applied: "Applied",
  failed: "Apply failed",
  unknown: "Applied, but an outcome is unknown",
  interrupted: "Apply was interrupted",
  locked: "Nothing was sent: another run holds the lock",
  stale: "Nothing was sent: the plan is stale",
  "went back": "Nothing was sent: the state is older than the plan",
  "without state": "Nothing was sent: there is no state",
};

const staleCodes: ReadonlySet<string> = new Set(["IVR621", "IVR622", "IVR623", "IVR624", "IVR625"]);

function resultOf({ ended, diagnostics }: Performed): ApplyResult {
  const codes = new Set(diagnostics.filter(isError).map(({ code }) => code));
  if (ended.exit === 0) return "applied";
  if (ended.applied === undefined) {
    if (codes.has("IVR628")) return "went back";
    if ([...codes].some((code) => staleCodes.has(code))) return "stale";
    if (codes.has("IVR608")) return "without state";
  }
  if (ended.exit === 4) return "locked";
  if (ended.exit === 3) return "unknown";
  return ended.exit === 130 ? "interrupted" : "failed";
}

function isError({ severity }: Diagnostic): boolean {
  return severity === "error";
}

function adviceFor({ forge }: Job, result: ApplyResult, run: string): string {
  if (result === "without state") {
    return `If ivrctl has never created anything on this service, ${forge.byHand(run, { newState: true })}.`;
  }
  return result === "went back"
    ? "The state was reset or deleted after the plan was made. Menus that were created since then are missing in it. A new plan would create them again, so restore the newer state first."
    : "";
}

/** Adds the result to the pull request. The apply is done, so a failure here does not fail the job. */
async function commentResult(
  job: Job,
  environment: string,
  pull: Pull,
  body: string,
): Promise<void> {
  const marker = markerOf(job, "result", environment);
  try {
    await job.forge.comment(pull.number, marker, `${marker}\n\n${body}\n`, true);
  } catch (error) {
    if (!(error instanceof JobProblem)) throw error;
    report(job, `The result is not on the ${job.forge.request}. ${error.message}`);
  }
}

/** Shows and leaves a new plan, which a person can apply by hand. */
async function offerPlan(job: Job, environment: string, why: string): Promise<ExitCode> {
  const { forge } = job;
  const diagnostics = new Diagnostics();
  const { planned, shown } = await inSection(job, `ivrctl plan --env ${environment}`, () =>
    planForReview(job, inEnvironment(job, environment), diagnostics),
  );
  if (planned !== undefined && !planned.refused && planned.plan.changes.length === 0) {
    report(job, `${why} There is nothing to do.`);
    return 0;
  }
  const isPossible = planned !== undefined && !planned.refused;
  const next = isPossible
    ? ` To apply the plan below, ${forge.byHand(undefined, { newState: false })}.`
    : "";
  report(job, `${why} Nothing was sent.${next}`);
  if (isPossible) leave(job, [[environment, "changes"]]);
  forge.summarize(
    planMarkdown({
      kind: "plan",
      outlook: planned && { kind: "plan", plan: planned.plan },
      environment,
      banners: bannersOf(shown),
      diagnostics: diagnostics.sorted(),
    }),
  );
  return 1;
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
