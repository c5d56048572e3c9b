import { writeFileSync } from "node:fs";
import { join } from "node:path";
import diff from "../commands/diff.ts";
import fmt from "../commands/fmt.ts";
import { makePlan } from "../commands/plan.ts";
import { writeComparison } from "../commands/preview.ts";
import { loadProject } from "../compile/load-project.ts";
import { Patterns } from "../deploy/plan/targets.ts";
import { Diagnostics } from "../diagnostics/diagnostic.ts";
import { mergeBase, changedFiles, isAffected } from "../project/changes.ts";
import type { Verdict } from "../schema/job-file.ts";
import {
  type PlanForReview,
  changedFirst,
  planComment,
  unaffectedComment,
} from "../views/pipeline.ts";
import { planResult } from "../views/plan/index.ts";
import { planJson } from "../views/plan/json.ts";
import { testResult } from "../commands/test.ts";
import { print } from "../cli/printer.ts";
import { failedIn, testReport } from "../views/test/report.ts";
import type { EnvironmentJob, Job, Review } from "./forge.ts";
import {
  comment,
  projectDirectory,
  hasEnded,
  inEnvironment,
  inSection,
  keepAs,
  leave,
  commentMarker,
  planFileName,
  refuseFileState,
  report,
  summarize,
} from "./job.ts";
import type { ExitCode } from "../cli/result.ts";

/**
 * Checks a pull request and shows what it changes, for every environment. Runs all checks, even if
 * one fails. A change without access to secrets and state is compared with the target branch instead.
 */
export async function reviewPullRequest(job: Job): Promise<ExitCode> {
  const { forge, context, environments, prefix } = job;
  keepAs(job, job.artifacts.review);
  const review = forge.review();
  const pulls = [review.pull ?? []].flat();
  const base = await mergeBase(context, review.base, review.head);
  const origin = { ...forge, failed: [], directory: projectDirectory(job) };
  if (!(await isAffected(context, prefix, base))) {
    const words = "This change touches no menu, configuration or agent file.";
    report(job, `${words} Nothing was checked.`);
    leave(
      job,
      pulls,
      environments.map((name) => [name, "nothing"]),
    );
    const isShown =
      review.untrusted !== undefined ||
      (await showComment(job, review, unaffectedComment(words, origin), false));
    return isShown ? 0 : 1;
  }
  const isFormatted = await inSection(job, "ivrctl fmt --check", async () => {
    const own = { ...context, args: [], format: "text", flags: { check: true } };
    return (await print(await fmt.run(own), own)) === 0;
  });
  const parts: Part[] = [];
  for (const environment of environments) {
    const own = inEnvironment(job, environment, { reads: "review" });
    parts.push(await examine(own, review, base));
  }
  const failed = new Set([
    ...(isFormatted ? [] : ["ivrctl fmt --check"]),
    ...parts.flatMap((part) => part.failed),
  ]);
  const plans = parts.flatMap(({ plan }) => plan ?? []);
  let isSeen = true;
  if (plans.length > 0) {
    const body = planComment(plans, { ...origin, failed: [...failed] });
    const hasChanges = plans.some(({ plan }) => plan === undefined || plan.changes.length > 0);
    summarize(job, body);
    isSeen = await showComment(job, review, body, hasChanges || failed.size > 0);
  }
  // An old comment would show the plan of a different commit, so the job must fail.
  if (!isSeen) failed.add("the comment with the plan");
  const counts = isFormatted && isSeen;
  leave(
    job,
    pulls,
    parts.map(({ environment, verdict }) => [environment, counts ? verdict : "failed"]),
  );
  if (failed.size === 0) return 0;
  report(job, `Failed: ${[...failed].join(", ")}.`);
  return 1;
}

/** Updates the comment with the plan, if there is a pull request. Creates it only if `create` is set. */
async function showComment(
  job: Job,
  { pull }: Review,
  body: string,
  create: boolean,
): Promise<boolean> {
  if (pull === undefined) return true;
  const first = commentMarker(job, "plan");
  return comment(job, pull, first, (old) => (old === undefined && !create ? undefined : body));
}

/** What the job found in one environment. */
interface Part {
  readonly environment: string;
  readonly verdict: Verdict;
  /** The commands and the menu tests that failed. */
  readonly failed: readonly string[];
  /** Undefined if the change has no access to secrets. */
  readonly plan: PlanForReview | undefined;
}

async function examine(job: EnvironmentJob, { untrusted }: Review, base: string): Promise<Part> {
  const { context, environment } = job;
  const { diagnostics, tests, files } = await check(job);
  const made = untrusted === undefined ? await planForReview(job) : undefined;
  const changes = made?.shown.plan?.changes ?? [];
  const touched = (await changedFiles(context, base)) ?? [];
  const changed = new Set([
    ...touched.map((path) => path.slice(job.prefix.length)),
    ...changes.flatMap(({ key }) => files.get(key) ?? []),
  ]);
  const isShown =
    untrusted === undefined
      ? made?.shown.plan && !made.shown.refused
      : await showDiff(job, untrusted, base);
  const isInvalid = diagnostics.some(({ severity }) => severity === "error");
  const failed = [
    ...failedIn(tests).map(
      ({ key, name, file, line }) => `test of ${key} “${name}” (${file}:${line})`,
    ),
    ...(isInvalid ? [`ivrctl validate --env ${environment}`] : []),
    ...(isShown ? [] : [`ivrctl ${made ? "plan" : "diff"} --env ${environment}`]),
  ];
  const page = join(job.work, `preview.${environment}.html`);
  const hasPreview = await writeComparison(context, base, page);
  const sorted = changedFirst(diagnostics, changed);
  context.terminal.data(job.forge.annotate({ ...job, diagnostics: sorted, report: tests }));
  const lock = made?.lock ?? null;
  const lockEnded = lock === null ? undefined : await hasEnded(job, lock.id);
  const plan = made && {
    ...made.shown,
    changed,
    lock,
    lockEnded,
    hasPreview,
    isLive: made.isLive,
  };
  const { learned = [] } = made?.shown.plan ?? {};
  const hasChanges =
    changes.length > 0 || learned.some(({ kind }) => kind === "changed-on-console");
  const verdict =
    failed.length > 0 || made === undefined ? "failed" : hasChanges ? "changes" : "nothing";
  return { environment, verdict, failed, plan };
}

/** Validates the project and runs its tests. Also returns the file of each menu. */
async function check(job: EnvironmentJob) {
  const { context } = job;
  const project = await loadProject(context, {
    paths: [],
    agentsRequired: false,
    advice: "all",
    tests: true,
  });
  const { diagnostics, menus } = project;
  const audience = { ...context, format: "text" };
  const validated = { diagnostics, diagnosticsAreText: true } as const;
  await inSection(job, "ivrctl validate", () => print(validated, audience));
  const tests = testReport(project.tests);
  await inSection(job, "ivrctl test", () => print(testResult(tests, audience), audience));
  const files = new Map(menus.flatMap(({ key, source }) => (key ? [[key, source.file]] : [])));
  return { diagnostics, tests, files };
}

/** Makes and shows a plan, and leaves its file for the job that applies it. */
export async function planForReview(job: EnvironmentJob) {
  const { context, environment } = job;
  const request = { targets: new Patterns([]), maxCreates: undefined, allowed: new Set<never>() };
  const found = new Diagnostics();
  refuseFileState(context);
  const made = await inSection(job, "ivrctl plan", async () => {
    const own = await makePlan({ ...context, flags: { agents: undefined } }, request, found);
    const shown = { ...own.shown, diagnostics: found.sorted() };
    await print(planResult(shown), { ...context, format: "text" });
    return { ...own, shown };
  });
  const { planned } = made;
  if (planned !== undefined && !planned.refused) {
    const file = join(job.work, planFileName(environment));
    writeFileSync(file, planJson(made.shown));
  }
  return made;
}

async function showDiff(job: EnvironmentJob, why: string, base: string): Promise<boolean> {
  const flags = { summary: false, "detailed-exitcode": false };
  const own = { ...job.context, args: [base], flags, format: "text" };
  const { compared, exit } = await inSection(job, "ivrctl diff", async () => {
    const result = await diff.run(own);
    return { compared: result, exit: await print(result, own) };
  });
  const markdown = (await compared.formats?.["markdown"]?.()) ?? "";
  const note = `There is no plan for this change, because ${why}: such a change has no access to secrets and state. This is what it changes in the files.`;
  summarize(job, `${markdown.trimEnd()}\n\n<sub>${note}</sub>`);
  return exit === 0;
}
