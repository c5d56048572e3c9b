import { isAbout } from "../diagnostics/groups.ts";
import { basename } from "node:path";
import type { EndedApply } from "./apply-result.ts";
import type { ExitCode } from "./result.ts";
import type { StepOutcome } from "../deploy/apply/step-results.ts";
import type { Progress } from "../deploy/matters/plan-progress.ts";
import { type Matter, isOnConsole } from "../deploy/reasons/kinds.ts";
import type { Diagnostic } from "../diagnostics/diagnostic.ts";
import { actions } from "../deploy/plan/changes/actions.ts";
import type { FollowUp } from "../schema/state.ts";
import { groupBy } from "../util/group-by.ts";
import { joined, listed, many } from "../util/many.ts";
import { type Hint, suggest } from "../util/suggest.ts";
import { minute } from "../util/time.ts";
import { doneHint } from "./follow-ups.ts";
import { advice, code, commentLimit, fitting, markerRoom, message, prose } from "./markdown.ts";
import { matterHint } from "../deploy/reasons/matter.ts";
import { resultReason } from "./result-words.ts";

/** How an apply ended. */
export type Ending = keyof typeof headings;

const headings = {
  applied: "Applied",
  waiting: "Partly applied",
  failed: "Apply failed",
  unknown: "Applied, but an outcome is unknown",
  interrupted: "Apply was interrupted",
  locked: "Nothing was sent: another run holds the lock",
  stale: "Nothing was sent: the plan is stale",
  altered: "Nothing was sent: the plan was altered after the review",
  "set back": "Nothing was sent: the state is older than the plan",
  "without state": "Nothing was sent: the state is not there",
  "state lost": "Nothing was sent: the state is gone or was set back",
  "failed checks": "Nothing was sent: it was merged although checks failed",
  "without plan": "Nothing was sent: there is no plan that was reviewed",
  "up to date": "Nothing to do",
} as const;

/** Returns how an apply ended, from its exit code, its errors and what the state says about its plan. */
function applyEnding(
  { exit, applied, diagnostics }: EndedApply,
  progress: Progress | undefined,
): Ending {
  const errors = diagnostics.filter(isError);
  const has = (group: Parameters<typeof isAbout>[1]) => errors.some((one) => isAbout(one, group));
  if (exit === 0) return "applied";
  if (applied === undefined) {
    if (has("state set back")) return "set back";
    if (has("stale plan")) return "stale";
    if (has("state lost")) return "state lost";
    if (has("state not begun")) return "without state";
  }
  if (exit === 4) return "locked";
  if (exit === 3) return "unknown";
  if (exit === 130) return "interrupted";
  const left = progress?.results.filter((result) => !isDone(result)) ?? [];
  const isWaiting = left.length > 0 && left.every(({ outcome }) => outcome === "waiting");
  return isWaiting && applied !== undefined ? "waiting" : "failed";
}

function isError({ severity }: Diagnostic): boolean {
  return severity === "error";
}

/** Whether nothing of the plan is ever sent. */
function isRefused(ending: Ending): boolean {
  return ["stale", "altered", "set back", "up to date"].includes(ending);
}

/** A run of an apply: when it ended, who started it, its number and its address. */
interface Run {
  readonly at: string;
  readonly by: string;
  readonly id: string;
  readonly address: string;
}

/** The result of an apply. */
export interface ShownResult {
  readonly environment: string;
  /** The folder of the project in its repository, if it is not the top. */
  readonly directory?: string | undefined;
  readonly run: Run;
  readonly ending: Ending;
  /** Why there was no plan, as a sentence. */
  readonly why?: string | undefined;
  /** The results of this run. */
  readonly results: readonly StepOutcome[];
  /** What needs a person about the menus of the plan. */
  readonly matters?: readonly Matter[] | undefined;
  /** What the state says about the plan. Undefined if there is no plan, or if the state cannot be read. */
  readonly progress: Progress | undefined;
  readonly diagnostics: readonly Diagnostic[];
  /** The phone numbers that a person points elsewhere. */
  readonly toPoint?: readonly Matter[] | undefined;
  /** The open follow-ups of the plan's menus. */
  readonly followUps?: readonly FollowUp[];
  /** How to go on without this plan, as Markdown. Undefined: this job can be run again. */
  readonly next?: string | undefined;
  /** The file with outcomes that could not be recorded, which the run keeps. */
  readonly rescued?: string | undefined;
}

/** What a run did for a plan. */
export interface EndedPlan extends Omit<ShownResult, "environment" | "run" | "directory"> {
  readonly exit: ExitCode;
  /** Why only a new plan can help, as a sentence. */
  readonly needs?: string | undefined;
}

/** How the apply of a plan ended. `progress` is what the state says about the plan now. */
export function planEnding(ended: EndedApply, progress: Progress | undefined): EndedPlan {
  const { diagnostics, rescued, followUps = [] } = ended;
  const results = ended.applied?.results ?? ended.notApplied ?? [];
  const isDone = progress !== undefined && progress.done === progress.results.length;
  // An outcome of an earlier plan that is not known is a matter for the scheduled check.
  const exit = isDone && rescued === undefined ? 0 : ended.exit || (progress && !isDone ? 1 : 0);
  const ending = isDone && exit === 0 ? "applied" : applyEnding(ended, progress);
  const keys = new Set(progress?.results.map(({ key }) => key));
  const refs = new Set(progress?.results.map(({ ref }) => ref));
  // What held menus of the plan back in this run. The state does not tell.
  const held = (ended.plan?.held ?? []).filter(
    (one) => one.exit > 0 && one.refs.some((ref) => refs.has(ref)),
  );
  // What waited for an id is in a new plan as soon as the id is recorded.
  const isReady = progress?.results.some(({ waitsFor }) => waitsFor?.length === 0) === true;
  const needs =
    ending === "stale"
      ? "The reviewed plan is stale."
      : ending === "applied" && isReady
        ? "Menus that waited for an id can be created now."
        : undefined;
  return {
    ending,
    exit,
    needs,
    results,
    progress,
    matters: progress
      ? [...held, ...progress.matters]
      : ended.matters?.filter((one) => !isOnConsole(one)),
    diagnostics,
    toPoint: ended.matters?.filter(isOnConsole),
    followUps: followUps.filter(({ key }) => keys.has(key)),
    rescued: rescued?.file,
  };
}

/** The comment with the result: why something failed, what is left for a person, and what the state says now. */
export function resultComment(result: ShownResult): string {
  const { environment, directory, run, progress } = result;
  const where = directory === undefined ? environment : `${environment}, ${directory}`;
  const outcomes = (progress?.results ?? result.results).toSorted((a, b) => rankOf(a) - rankOf(b));
  const causes = causeLines(result);
  const lines = result.ending === "up to date" ? [] : outcomeLines(outcomes);
  return fitting(commentLimit - markerRoom, (most) =>
    [
      `### ${headingOf(result, outcomes)} (${prose(where)})`,
      causes.length === 0 ? "" : ["#### Why", ...cut(causes, most, run)].join("\n"),
      ["#### Next", ...nextSteps(result)].join("\n"),
      lines.length === 0 ? "" : ["#### Now", ...cut(lines, most, run)].join("\n"),
      footnote(result),
    ]
      .filter((part) => part !== "")
      .join("\n\n"),
  );
}

function isDone({ outcome, incomplete, action }: StepOutcome): boolean {
  return incomplete === undefined && outcome === actions[action].outcome && !actions[action].isLeft;
}

function shownWord({ action, outcome }: StepOutcome): string {
  return action === "replace" && outcome === "created" ? "replaced" : outcome.replace("_", " ");
}

function headingOf({ ending, progress }: ShownResult, outcomes: readonly StepOutcome[]): string {
  if (ending === "up to date") return headings[ending];
  const { length: done } = outcomes.filter(isDone);
  const left = outcomes.filter((one) => !isDone(one));
  if (ending === "unknown" || left.some(({ outcome }) => outcome === "unknown")) {
    return done > 0 ? headings.unknown : nothingConfirmed;
  }
  if (outcomes.length === 0 || progress === undefined) {
    return ending === "applied" ? headings["up to date"] : headings[ending];
  }
  if (left.length === 0) return headings.applied;
  const [first, ...more] = left;
  const isWaiting = ending === "applied" || ending === "waiting";
  if (done === 0 && !isWaiting) return headings[ending];
  const partly = ending === "interrupted" ? headings.interrupted : headings.waiting;
  const what = done === 0 ? "Not applied yet" : partly;
  return first?.outcome === "waiting" && more.length === 0
    ? `${what}: ${prose(`${first.key} waits${resultReason(first)}`)}`
    : `${what}: ${done} of ${outcomes.length} done`;
}

const nothingConfirmed = "Nothing is confirmed: an outcome is unknown";

/** Which run this is about, and what it has done for the plan. */
function footnote({ run, ending, results, progress }: ShownResult): string {
  const { at, by, id, address } = run;
  const refs = progress && new Set(progress.results.map(({ ref }) => ref));
  const words = results.filter(({ ref }) => refs?.has(ref) !== false).map(shownWord);
  const counts = [...groupBy(words, (word) => word)].map(
    ([word, { length }]) => `${length} ${word}`,
  );
  const done = counts.length === 0 || isRefused(ending) ? "" : `: ${counts.join(", ")}`;
  return `<sub><a href="${encodeURI(address)}">Run ${prose(id)}</a> by ${prose(by)}, ${minute(at)} UTC${done}.</sub>`;
}

/** Why there was no plan, and the errors of this run, each once. If nothing was sent, the next step differs from their advice. */
function causeLines({ ending, why, diagnostics, directory }: ShownResult): string[] {
  // A plan that is done can be stale.
  const errors = ending === "applied" ? [] : diagnostics.filter(isError);
  const lines = errors.map(({ code: id, message: words, hint }) => {
    const help = hint === undefined || isRefused(ending) ? [] : advice(hint, directory);
    return [`- ${id}: ${message(words)}`, help].flat().join("<br>");
  });
  return [...new Set([...(why === undefined ? [] : [`- ${message(why)}`]), ...lines])];
}

/** What became of each step. Those that are left for the same reason share a line. */
function outcomeLines(outcomes: readonly StepOutcome[]): string[] {
  const shared = (one: StepOutcome) => `${shownWord(one)} ${reasonOf(one)}`;
  const groups = groupBy(outcomes, (one) =>
    isDone(one) ? `${shared(one)} ${one.ref}` : shared(one),
  );
  return [...groups.values()].flatMap((group) => {
    const names = group.map(({ key, name }) => `${code(key)} “${prose(name)}”`);
    const [first] = group;
    return first
      ? `- <b>${prose(shownWord(first))}</b>: ${listed(names)}${prose(reasonOf(first))}`
      : [];
  });
}

function reasonOf(result: StepOutcome): string {
  return result.outcome === "forgotten"
    ? ". Callers may still reach it until someone removes it on the console."
    : (resultReason(result) ?? "");
}

function cut(lines: readonly string[], most: number, { address }: Run): string[] {
  const left = lines.length - most;
  const rest = `- <b>${many(left, "more line")}: see <a href="${address}">this run</a>.</b>`;
  return [...lines.slice(0, most), ...(left > 0 ? [rest] : [])];
}

function rankOf({ outcome, incomplete }: StepOutcome): number {
  const at = ["unknown", "failed", "waiting"].indexOf(incomplete ? "failed" : outcome);
  return at === -1 ? 3 : at;
}

/** What a person has to do, as a list. */
function nextSteps(result: ShownResult): string[] {
  const { environment, ending, progress, rescued, next, toPoint, followUps = [] } = result;
  const results = progress?.results ?? result.results;
  const isLeft = progress === undefined ? ending !== "applied" : progress.done < results.length;
  const { matters = [] } = result;
  const others = progress?.otherUnknown ?? [];
  const done = doneHint(followUps, environment);
  const isWaiting = results.some(({ waitsFor = [] }) => waitsFor.length > 0);
  const file = rescued && basename(rescued);
  const hints: readonly (Hint | readonly Hint[])[] = [
    (toPoint ?? []).map(matterHint),
    file === undefined
      ? []
      : {
          words: `Some outcomes could not be recorded in the state. Before you resolve anything, download \`${file}\` from the artifacts of this run, then run:`,
          argv: suggest("state push", [file], environment),
        },
    matters.flatMap((one) => [matterHint(one)].concat(one.fix.slice(1))),
    isWaiting && next === undefined
      ? "Then run this job again. It shows a plan for what has waited."
      : [],
    isLeft && continues.has(ending) && next === undefined
      ? "Run this job again. It continues with what is left of the reviewed plan."
      : [],
    ending === "without state" || ending === "state lost"
      ? "Do what the error says, then run this job again."
      : [],
    result.diagnostics.flatMap((one) => (isAbout(one, "state set back") ? (one.hint ?? []) : [])),
    done === undefined ? [] : { words: `${done.when}:`, argv: done.argv },
    others.length === 0
      ? []
      : {
          words: `Not part of this plan: the outcome of ${listed(others.map((key) => `\`${key}\``))} is unknown since an earlier run. To see what was sent:`,
          argv: suggest("state show", others.slice(0, 1), environment),
        },
  ];
  const steps = [next ?? [], hints.flat().map((hint) => advice(hint, result.directory))].flat();
  return (steps.length === 0 ? ["Nothing is left to do."] : steps).map((step) => `- ${step}`);
}

/** What to do instead of applying a plan that does not count. `page` is where the new plan is. */
export function newPlanWords(
  outcome: "done" | "waiting" | "new" | "none",
  pulls: readonly string[],
  page: string,
  byHand: string,
): string {
  const whose = pulls.length > 1 ? ` It is for ${joined(pulls, "and")} together.` : "";
  return {
    done: "There is nothing to do. The state has what the files say.",
    waiting: "Record what the menus wait for. Then run this job again.",
    new: `Read the new plan on ${page}.${whose} To apply it, ${byHand}.`,
    none: `There is no new plan either. Fix the problems on ${page}.`,
  }[outcome];
}

/** How an apply ends that a new run of its job continues. */
const continues: ReadonlySet<Ending> = new Set(["failed", "interrupted", "locked", "unknown"]);
