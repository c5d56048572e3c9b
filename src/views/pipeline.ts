import { basename } from "node:path";
import type { Result } from "../deploy/apply/results.ts";
import type { Plan } from "../deploy/plan/plan.ts";
import { type Lock, describeLock } from "../deploy/state/store.ts";
import type { Diagnostic } from "../diagnostics/diagnostic.ts";
import { menuFolder } from "../project/files.ts";
import { listed, many } from "../util/many.ts";
import { commandText, hintText, suggest } from "../util/suggest.ts";
import { code, commandList, fit, message, prose } from "./markdown.ts";
import { doubtWords, resolveCommands } from "./plan/details.ts";
import { type ShownPlan, commentOf } from "./plan/index.ts";
import { type Comment, commentLimit, planSection } from "./plan/markdown.ts";
import { waitHintsAfter, waitsBriefly } from "./plan/waiting.ts";
import { answerWords } from "./text.ts";
import type { ExitCode } from "../cli/result.ts";

/** The plan of one environment, and what a reviewer has to know about it. */
export interface PlanForReview extends ShownPlan {
  /** The files that the change touches, and the files of the menus that the plan changes. */
  readonly changed: ReadonlySet<string>;
  readonly lock: Lock | null;
  /** Whether the run that holds the lock has ended; undefined if that is unknown. */
  readonly lockEnded: boolean | undefined;
  /** Whether the run keeps a page that compares the menus with the target branch. */
  readonly hasPreview: boolean;
}

/** Where a comment comes from. */
interface Origin {
  readonly commit: string;
  /** The address of the run. */
  readonly run: string;
  /** The checks that failed. */
  readonly failed: readonly string[];
}

/** Where the files are that a run keeps, after the address of the run. */
const artifacts: Readonly<Record<Platform, string>> = {
  GitHub: "#artifacts",
  GitLab: "/artifacts/browse/ivrctl-ci/",
};

/** The comment on a pull request, with all environments of the pipeline. */
export function planComment(
  first: string,
  plans: readonly PlanForReview[],
  origin: Origin & { readonly platform: Platform },
): string {
  const kept = plans.some(({ hasPreview }) => hasPreview);
  const last = footnote(origin, kept ? origin.run + artifacts[origin.platform] : undefined);
  // Two characters separate blocks.
  const room = commentLimit - first.length - last.length - 2 * (plans.length + 2);
  const sections = plans.map((plan) =>
    planSection(reviewOf(plan, origin.run), Math.floor(room / plans.length)).trimEnd(),
  );
  return `${[first, ...sections, last].join("\n\n")}\n`;
}

/** The comment on a pull request that does not concern ivrctl any more. */
export function unaffectedComment(first: string, words: string, origin: Origin): string {
  return `${first}\n\n### No changes\n\n${words}\n\n${footnote(origin)}\n`;
}

function footnote({ commit, run, failed }: Origin, preview?: string): string {
  const faults = failed.length === 0 ? "" : `<b>Failed: ${failed.map(prose).join(", ")}.</b> `;
  const pages =
    preview === undefined
      ? ""
      : ` Call the menus before and after: <a href="${preview}">preview</a>.`;
  return `<sub>${faults}Commit ${commit}, <a href="${run}">this run</a>.${pages}</sub>`;
}

function reviewOf(shown: PlanForReview, run: string): Comment {
  const { diagnostics, changed } = shown;
  const relevant = changedFirst(diagnostics, changed).filter((one) => concerns(one, changed));
  const others = diagnostics.length - relevant.length;
  return {
    ...commentOf(shown),
    alerts: alertsOf(shown),
    diagnostics: relevant,
    elsewhere:
      others === 0
        ? undefined
        : `${many(others, "more problem")} in menus that do not change: see <a href="${run}">this run</a>.`,
  };
}

/** Errors first, then problems in menus that change. GitHub shows only the first annotations. */
export function changedFirst(
  diagnostics: readonly Diagnostic[],
  changed: ReadonlySet<string>,
): readonly Diagnostic[] {
  const rank = (one: Diagnostic) => (one.severity === "error" ? 0 : concerns(one, changed) ? 1 : 2);
  return diagnostics.toSorted((a, b) => rank(a) - rank(b));
}

function concerns({ severity, file }: Diagnostic, changed: ReadonlySet<string>): boolean {
  return severity === "error" || !file.startsWith(`${menuFolder}/`) || changed.has(file);
}

/** What a person has to know before the changes. */
function alertsOf({ plan, environment, lock, lockEnded }: PlanForReview): string[] {
  const command = (words: string, ...subjects: readonly string[]) =>
    code(commandText(suggest(words, subjects, environment ?? "")));
  // The requests of a run in progress look like unknown outcomes.
  const unknown = lockEnded === false ? [] : unknownIn(plan);
  const followUps = plan?.followUps.length ?? 0;
  return [
    ...(lock === null ? [] : [lockWords(lock, lockEnded, command("unlock", lock.id))]),
    ...(unknown.length === 0
      ? []
      : [
          `The outcome of ${listed(unknown.map(code))} is unknown. Nothing is sent for ${unknown.length === 1 ? "it" : "them"} until a person resolves this. To see what was sent: ${command("state show", ...unknown.slice(0, 1))}`,
        ]),
    ...(followUps === 0
      ? []
      : [`${many(followUps, "follow-up")} open. To see them: ${command("state list")}`]),
  ];
}

function unknownIn(plan: Plan | undefined): string[] {
  return (plan?.changes ?? []).flatMap(({ action, key }) => (action === "unknown" ? key : []));
}

function lockWords(lock: Lock, hasEnded: boolean | undefined, release: string): string {
  const held = `The state is locked by ${prose(describeLock(lock))}.`;
  if (hasEnded === true) return `${held} That run has ended. Release its lock: ${release}`;
  return hasEnded === false
    ? `${held} That run is in progress. Its requests in flight are shown as unknown. Do not resolve them.`
    : `${held} If that run has ended, release its lock: ${release}`;
}

/** How an apply ended. */
type Ending = keyof typeof headings;

const headings = {
  applied: "Applied",
  failed: "Apply failed",
  unknown: "Applied, but an outcome is unknown",
  interrupted: "Apply was interrupted",
  locked: "Nothing was sent: another run holds the lock",
  stale: "Nothing was sent: the plan is stale",
  "set back": "Nothing was sent: the state is older than the plan",
  "without state": "Nothing was sent: there is no complete state",
} as const;

const staleCodes: ReadonlySet<string> = new Set(["IVR621", "IVR622", "IVR623", "IVR624", "IVR625"]);

/** Returns how an apply ended, from its exit code and its errors. */
export function endingOf(
  { exit, applied }: { readonly exit: ExitCode; readonly applied?: unknown },
  diagnostics: readonly Diagnostic[],
): Ending {
  const errors = diagnostics.filter(({ severity }) => severity === "error");
  const codes = new Set<string>(errors.map(({ code: id }) => id));
  if (exit === 0) return "applied";
  if (applied === undefined) {
    if (codes.has("IVR628")) return "set back";
    if ([...codes].some((id) => staleCodes.has(id))) return "stale";
    if (codes.has("IVR608")) return "without state";
  }
  if (exit === 4) return "locked";
  if (exit === 3) return "unknown";
  return exit === 130 ? "interrupted" : "failed";
}

export type Platform = "GitHub" | "GitLab";

/** How to apply the plan of a run or a job by hand, as Markdown. */
export function byHand(platform: Platform, run: string, newState: boolean): string {
  if (platform === "GitHub") {
    const more = newState ? " and `new-state: true`" : "";
    return `start this workflow by hand with \`run: ${run}\`${more}`;
  }
  const more = newState ? " and `IVRCTL_NEW_STATE` set to `true`" : "";
  return `run a new pipeline on the default branch with \`IVRCTL_RUN\` set to \`${run}\`${more}`;
}

/** The result of an apply. */
interface ShownResult {
  readonly environment: string;
  readonly ending: Ending;
  readonly results: readonly Result[];
  readonly diagnostics: readonly Diagnostic[];
  /** How to apply the same plan to a service without state. */
  readonly firstApply: string;
  /** Where outcomes are that could not be recorded: a file, in an artifact of the run. */
  readonly rescued?: { readonly file: string; readonly artifact: string } | undefined;
  /** The address of the run. */
  readonly run: string;
}

/** The result of an apply, for the pull request and the page of the run. */
export function resultComment(shown: ShownResult): string {
  const { environment, ending, results, diagnostics, firstApply, rescued, run } = shown;
  const errors = diagnostics.filter(({ severity }) => severity === "error");
  const lineOf = (result: Result) => resultLine(result, results, environment);
  // What needs a person comes first if there is no room for all.
  const menus = fit(results, resultRoom, (result) => lineOf(result).length + 1, rankOf);
  const problems = fit(errors.map(errorLine), errorRoom, (line) => line.length + 1);
  const left = menus.left.length + problems.left.length;
  return [
    `### ${headings[ending]} (${prose(environment)})`,
    menus.shown.map(lineOf).join("\n"),
    ...waitHintsAfter(results, environment).map(commandList),
    problems.shown.join("\n"),
    left === 0 ? "" : `<b>${many(left, "more line")}: see <a href="${run}">this run</a>.</b>`,
    ending === "without state"
      ? `If the service has no menus that the state lacks, ${firstApply}.`
      : "",
    ending === "set back" ? setBackAdvice : "",
    rescued === undefined
      ? ""
      : `<b>Some outcomes could not be recorded in the state.</b> Before you resolve anything, download ${code(basename(rescued.file))} from the artifact ${code(rescued.artifact)} of this run, then run: ${code(commandText(suggest("state push", [basename(rescued.file)], environment)))}`,
    `<sub>Result of <a href="${run}">this run</a>.</sub>`,
  ]
    .filter((block) => block !== "")
    .join("\n\n");
}

/** Whether the text of a result says that something was done, or may have been. */
export function reportsDone(result: string): boolean {
  return /^### Applied|^- <b>(?:created|updated|bound|deleted|moved|forgotten|restored)</m.test(
    result,
  );
}

const setBackAdvice =
  "The state was reset or deleted after the plan was made. Menus that were created since then are missing in it. A new plan would create them again, so restore the newer state first.";

/** The most characters for the menus and for the errors. The rest of the comment needs few. */
const resultRoom = 40_000;
const errorRoom = 20_000;

function rankOf({ outcome, incomplete }: Result): number {
  const at = ["unknown", "failed", "waiting"].indexOf(incomplete ? "failed" : outcome);
  return at === -1 ? 3 : at;
}

function errorLine({ code: id, message: words, hint }: Diagnostic): string {
  return [`- ${id}: ${message(words)}`, hint === undefined ? [] : message(hintText(hint))]
    .flat()
    .join("<br>");
}

function resultLine(result: Result, results: readonly Result[], environment: string): string {
  const { key, name, action, outcome, status, message: words, waitsFor = [], incomplete } = result;
  const head = `- <b>${outcome.replace("_", " ")}</b>: ${code(key)} “${prose(name)}”`;
  const answer = prose(answerWords(status, words));
  if (incomplete !== undefined) {
    const why = answerWords(incomplete.status, incomplete.message);
    return `${head}, but its links are missing: ${prose(why)}. The next apply adds them.`;
  }
  if (outcome === "failed") return `${head}: ${answer}`;
  if (outcome === "waiting") return `${head}: waits for ${prose(waitsBriefly(waitsFor, results))}`;
  if (outcome === "not_attempted" && result.changed !== undefined) return `${head}: ${answer}`;
  if (outcome !== "unknown") return head;
  const commands = resolveCommands(key, environment, action).map(
    ({ when, argv }) => `  - ${prose(when)}: ${code(commandText(argv))}`,
  );
  const look = `${doubtWords(action)} Look for “${prose(name)}” on the console.`;
  return [`${head}: ${answer}${answer.endsWith(".") ? "" : "."} ${look}`, ...commands].join("\n");
}
