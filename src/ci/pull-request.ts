import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { verdictOf } from "../call/verdict.ts";
import type { Context, ExitCode } from "../cli/command.ts";
import diff from "../commands/diff.ts";
import fmt from "../commands/fmt.ts";
import { type MadePlan, makePlan } from "../commands/plan.ts";
import { loadProject } from "../compile/load-project.ts";
import { planFileText } from "../deploy/plan/plan-file.ts";
import { Patterns } from "../deploy/plan/targets.ts";
import { type Diagnostic, Diagnostics } from "../diagnostics/diagnostic.ts";
import { menuFolder } from "../project/files.ts";
import { many } from "../util/many.ts";
import { prefixOf, showDiagnostics } from "../views/diagnostics/index.ts";
import { printCommand } from "../views/output.ts";
import { bannersOf, showPlan } from "../views/plan/index.ts";
import { showTested } from "../views/test/index.ts";
import type { Report } from "../views/test/report.ts";
import { type Section, footnoteOf, planComment } from "./comment.ts";
import { type JobFile, type Verdict, baseOf, isAffected, planFileName } from "./files.ts";
import type { Review } from "./forge.ts";
import { type Job, inEnvironment, inSection, markerOf, refuseFileState, report } from "./job.ts";
import { JobProblem } from "./problem.ts";

/**
 * Checks a pull request and shows what it changes, for every environment. Runs all checks, even if
 * one fails. A change without access to secrets and state is compared with the target branch instead.
 */
export async function reviewPullRequest(job: Job): Promise<ExitCode> {
  const { forge, context, environments } = job;
  const review = forge.review();
  const base = await baseOf(context.root, review);
  if (!(await isAffected(context, forge.top, base))) return skip(job, review);
  const isFormatted = await inSection(job, "ivrctl fmt --check", () => checkFormat(context));
  const parts: Part[] = [];
  for (const environment of environments) {
    parts.push(await examine(job, environment, review, base));
  }
  const shared = isFormatted ? [] : ["ivrctl fmt --check"];
  const failed = [...shared, ...parts.flatMap((part) => part.failed)];
  leave(
    job,
    parts.map(({ environment, verdict }) => [environment, shared.length > 0 ? "failed" : verdict]),
  );
  const sections = parts.flatMap(({ section }) => section ?? []);
  if (sections.length > 0) failed.push(...(await comment(job, review, sections, failed)));
  if (failed.length === 0) return 0;
  report(job, `Failed: ${failed.join(", ")}.`);
  return 1;
}

/** What the job found in one environment. */
interface Part {
  readonly environment: string;
  readonly verdict: Verdict;
  /** The commands that failed. */
  readonly failed: readonly string[];
  /** Undefined if there is no plan, because the change has no access to secrets. */
  readonly section: Section | undefined;
}

async function examine(job: Job, environment: string, review: Review, base: string): Promise<Part> {
  const { forge } = job;
  const context = inEnvironment(job, environment);
  const named = (command: string) => `ivrctl ${command} --env ${environment}`;
  const { diagnostics, tests, files } = await check(job, context, environment);
  const isValid = !diagnostics.some(({ severity }) => severity === "error");
  const failed = [
    ...(isValid ? [] : [named("validate")]),
    ...(isPassed(tests) ? [] : [named("test")]),
  ];
  let section: Section | undefined;
  let changed: ReadonlySet<string> = new Set();
  let verdict: Verdict = "failed";
  if (review.untrusted === undefined) {
    const planned = await plan(job, context, environment, files);
    ({ section, changed } = planned);
    if (planned.made.planned === undefined || planned.made.planned.refused) {
      failed.push(named("plan"));
    } else if (failed.length === 0) {
      verdict = planned.made.planned.plan.changes.length > 0 ? "changes" : "nothing";
    }
  } else if (!(await showDiff(job, context, review.untrusted, base))) failed.push(named("diff"));
  const prefix = prefixOf(context);
  const sorted = changedFirst(diagnostics, changed);
  printCommand(forge.annotate({ diagnostics: sorted, report: tests, prefix, work: job.work }));
  return { environment, verdict, failed, section };
}

async function checkFormat(context: Context): Promise<boolean> {
  const exit = await fmt.run({ ...context, args: [], format: "text", flags: { check: true } });
  return exit === 0;
}

/** Validates the project and runs its tests. */
async function check(job: Job, context: Context, environment: string) {
  const project = await loadProject(context, {
    paths: [],
    agentsFile: undefined,
    agentsRequired: false,
    advice: "all",
    tests: true,
  });
  const { diagnostics, menus } = project;
  await inSection(job, `ivrctl validate --env ${environment}`, () =>
    showDiagnostics(diagnostics, { ...context, format: "text" }),
  );
  const { suites, notRun, invariants } = project.tests;
  const tests: Report = {
    ...verdictOf(suites, invariants),
    invariants: invariants.length,
    notRun,
    coverage: undefined,
    diagnostics: [],
  };
  await inSection(job, `ivrctl test --env ${environment}`, () =>
    showTested(tests, { ...context, format: "text" }),
  );
  const files = new Map(menus.flatMap(({ key, source }) => (key ? [[key, source.file]] : [])));
  return { diagnostics, tests, files };
}

function isPassed({ results, violations }: Report): boolean {
  return violations.length === 0 && results.every(({ misses }) => misses.length === 0);
}

/** Makes the plan, leaves its file, and describes it for the comment. */
async function plan(
  job: Job,
  context: Context,
  environment: string,
  files: ReadonlyMap<string, string>,
) {
  const { forge } = job;
  const diagnostics = new Diagnostics();
  const made = await inSection(job, `ivrctl plan --env ${environment}`, () =>
    planForReview(job, context, diagnostics),
  );
  const { planned, shown, lock } = made;
  const changes = planned?.plan.changes ?? [];
  const changed = new Set(changes.flatMap(({ key }) => files.get(key) ?? []));
  const sorted = changedFirst(diagnostics.sorted(), changed);
  const relevant = sorted.filter((one) => concerns(one, changed));
  const others = sorted.length - relevant.length;
  const section: Section = {
    comment: {
      kind: "plan",
      outlook: planned && { kind: "plan", plan: planned.plan },
      environment,
      banners: bannersOf(shown),
      diagnostics: relevant,
      elsewhere:
        others === 0
          ? undefined
          : `${many(others, "more problem")} in menus that do not change: see <a href="${forge.run}">this run</a>.`,
    },
    lock,
    lockEnded: lock === null ? undefined : await forge.hasEnded(lock.id),
    unknown: changes.flatMap(({ action, key }) => (action === "unknown" ? key : [])),
    followUps: planned?.plan.followUps.length ?? 0,
  };
  return { made, section, changed };
}

/** Makes a plan and leaves its file for the job that applies it. */
export async function planForReview(
  job: Job,
  context: Context,
  diagnostics: Diagnostics,
): Promise<MadePlan> {
  const request = { targets: new Patterns([]), maxCreates: undefined };
  refuseFileState(context);
  const made = await makePlan({ ...context, flags: { agents: undefined } }, request, diagnostics);
  await showPlan(
    { ...made.shown, diagnostics: diagnostics.sorted() },
    { ...context, format: "text" },
  );
  const { planned } = made;
  if (planned !== undefined && !planned.refused) {
    const text = planFileText(planned.plan, planned.from, new Date().toISOString());
    writeFileSync(join(job.work, planFileName(planned.plan.environment)), text);
  }
  return made;
}

/** Leaves the file that says what was checked. */
export function leave(job: Job, verdicts: readonly (readonly [string, Verdict])[]): void {
  const environments = Object.fromEntries(verdicts);
  const file: JobFile = { version: 1, commit: job.forge.commit, environments };
  writeFileSync(join(job.work, "job.json"), `${JSON.stringify(file, null, 2)}\n`);
}

/** Errors, problems outside of menus, and problems in menus that change. */
function concerns({ severity, file }: Diagnostic, changed: ReadonlySet<string>): boolean {
  return severity === "error" || !file.startsWith(`${menuFolder}/`) || changed.has(file);
}

/** GitHub shows only the first annotations of a run. */
function changedFirst(
  diagnostics: readonly Diagnostic[],
  changed: ReadonlySet<string>,
): readonly Diagnostic[] {
  const rank = (one: Diagnostic) => (one.severity === "error" ? 0 : concerns(one, changed) ? 1 : 2);
  return diagnostics.toSorted((a, b) => rank(a) - rank(b));
}

async function showDiff(job: Job, context: Context, why: string, base: string): Promise<boolean> {
  const flags = { agents: undefined, "detailed-exitcode": false };
  const run = (format: string, terminal = context.terminal) =>
    diff.run({ ...context, args: [base], flags, format, terminal });
  const exit = await inSection(job, "ivrctl diff", () => run("text"));
  let markdown = "";
  await run("markdown", { ...context.terminal, say: () => {}, out: (text) => (markdown += text) });
  const note = `There is no plan for this change, because ${why}: such a change has no access to secrets and state. This is what it changes in the files.`;
  job.forge.summarize(`${markdown.trimEnd()}\n\n<sub>${note}</sub>`);
  return exit === 0;
}

/** Ends a job for a change that touches nothing of ivrctl, without a request to the service. */
async function skip(job: Job, review: Review): Promise<ExitCode> {
  const words = "This change touches no menu, configuration or agent file.";
  report(job, `${words} Nothing was checked.`);
  leave(
    job,
    job.environments.map((environment) => [environment, "unaffected"]),
  );
  if (review.pull !== undefined && review.untrusted === undefined) {
    const marker = markerOf(job, "plan");
    const body = `${marker}\n\n### No changes\n\n${words}\n\n${footnoteOf(job.forge, [])}\n`;
    await job.forge.comment(review.pull, marker, body, false);
  }
  return 0;
}

/** Writes the comment. Returns what failed. */
async function comment(
  job: Job,
  { pull }: Review,
  sections: readonly Section[],
  failed: readonly string[],
): Promise<string[]> {
  const { forge } = job;
  const marker = markerOf(job, "plan");
  const body = planComment(marker, sections, footnoteOf(forge, failed));
  forge.summarize(body);
  if (pull === undefined) return [];
  const hasChanges = sections.some(
    ({ comment: { outlook } }) => outlook?.kind !== "plan" || outlook.plan.changes.length > 0,
  );
  try {
    await forge.comment(pull, marker, body, hasChanges || failed.length > 0);
    return [];
  } catch (error) {
    if (!(error instanceof JobProblem)) throw error;
    // An old comment would show the plan of another commit, so the job must fail.
    report(job, [error.message, error.hint ?? []].flat().join(" "));
    return ["the comment with the plan"];
  }
}
