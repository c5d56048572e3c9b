import type { makePlan } from "../commands/plan.ts";
import { describeOutside } from "../deploy/plan/outside.ts";
import { unknownMatters } from "../deploy/state/open-matters.ts";
import type { Code } from "../diagnostics/codes.ts";
import { Diagnostics } from "../diagnostics/diagnostic.ts";
import { configName } from "../project/files.ts";
import { type Hint, suggest } from "../util/suggest.ts";
import { print } from "../cli/printer.ts";
import { waitMatters, waitsBriefly } from "../views/plan/matters.ts";
import { attentionIssue } from "../views/pipeline.ts";
import { commentLimit } from "../views/markdown.ts";
import { planSection } from "../views/plan/plan-markdown.ts";
import type { EnvironmentJob, Job } from "./forge.ts";
import { hasEnded, inEnvironment, keepIssue, summarize } from "./job.ts";
import { planForReview } from "./pull-request.ts";
import type { ExitCode } from "../cli/result.ts";

/**
 * Plans on a schedule. Fails if there is no plan, or if something needs a person that is no change of
 * a file.
 */
export async function checkLive(job: Job): Promise<ExitCode> {
  let failed = false;
  for (const environment of job.environments) {
    const environmentJob = inEnvironment(job, environment, { reads: "check" });
    const made = await planForReview(environmentJob);
    const found = await openMatters(environmentJob, made);
    await print({ diagnostics: found.sorted() }, environmentJob.context);
    const diagnostics = [...found.sorted(), ...made.shown.diagnostics];
    const problems = diagnostics.filter(
      ({ code, severity }) => severity === "error" || needPerson.has(code),
    );
    const isFine = made.planned?.refused === false && problems.length === 0;
    const origin = { ...job.forge, directory: job.directory };
    await keepIssue(environmentJob, isFine ? undefined : attentionIssue(problems, origin));
    const heading = isFine ? "No problems" : "Problems found";
    const plan = planSection({ ...made.shown, diagnostics }, commentLimit);
    summarize(job, `### ${heading} (${environment})\n\n${plan}`);
    failed ||= !isFine;
  }
  return failed ? 1 : 0;
}

/** Only warnings in a plan: a menu cannot be compared, a bind is unknown. */
const needPerson: ReadonlySet<Code> = new Set(["IVR637", "IVR670", "IVR684"]);

type Made = Pick<Awaited<ReturnType<typeof makePlan>>, "shown" | "lock">;

/** What a plan shows and no file caused, and what earlier runs left in the state. */
async function openMatters(job: EnvironmentJob, { shown, lock }: Made): Promise<Diagnostics> {
  const { environment } = job;
  const { changes = [] } = shown.plan ?? {};
  const found = new Diagnostics();
  const add = (message: string, hint: Hint) => found.addFile("IVR684", configName, message, hint);
  for (const message of changes.flatMap(describeOutside)) {
    add(message, {
      words: "To see what apply would do, run:",
      argv: suggest("plan", [], environment),
    });
  }
  for (const change of changes) {
    const { key, action, waitsFor = [] } = change;
    const ids = waitsFor.filter(({ because }) => because === "unidentified");
    const [hint] = waitMatters([{ ...change, waitsFor: ids }], environment);
    if (action !== "waiting" || ids.length === 0 || hint === undefined) continue;
    add(
      `\`${key}\` is not on the service as in its file: it waits for ${waitsBriefly(ids)}.`,
      hint,
    );
  }
  const isAbandoned = lock !== null && (await hasEnded(job, lock.id)) === true;
  // The requests of a run in progress look like unknown outcomes.
  const unknown = changes.flatMap(({ key, pending }) => (pending ? { name: key, pending } : []));
  if (lock === null || isAbandoned) {
    for (const { message, hint } of unknownMatters(unknown, environment)) add(message, hint);
  }
  return found;
}
