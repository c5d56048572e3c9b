import { isAbout } from "../diagnostics/groups.ts";
import { basename } from "node:path";
import * as z from "zod/mini";
import type { ExitCode } from "./result.ts";
import type { StepOutcome } from "../deploy/apply/step-results.ts";
import type { Progress } from "../deploy/matters/plan-progress.ts";
import type { Matter } from "../deploy/reasons/kinds.ts";
import type { Diagnostic } from "../diagnostics/diagnostic.ts";
import { actions } from "../deploy/plan/changes/actions.ts";
import type { FollowUp } from "../schema/state.ts";
import { validate } from "../schema/validated.ts";
import { groupBy } from "../util/group-by.ts";
import { listed, many } from "../util/many.ts";
import { parseJson } from "../util/parse-json.ts";
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
export function applyEnding(
  { exit, applied }: { readonly exit: ExitCode; readonly applied?: unknown },
  diagnostics: readonly Diagnostic[],
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

function isRefused(ending: Ending): boolean {
  return ending === "stale" || ending === "altered" || ending === "set back";
}

/** One run of an apply. */
interface Attempt {
  readonly ending: Ending;
  /** Why there is no plan, as a sentence. */
  readonly why?: string | undefined;
  readonly at: string;
  readonly by: string;
  /** The number and the address of the run. */
  readonly id: string;
  readonly run: string;
}

/** The result of an apply. */
export interface ShownResult {
  readonly environment: string;
  /** The folder of the project in its repository, if it is not the top. */
  readonly directory?: string | undefined;
  readonly attempt: Attempt;
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

/** What a comment remembers of earlier runs. It is data, so words can change, and no text is read back. */
const Memory = z.object({
  attempts: z.array(
    z.object({
      ending: z.custom<Ending>((value) => typeof value === "string" && value in headings),
      why: z.optional(z.string()),
      at: z.string(),
      by: z.string(),
      id: z.string(),
      run: z.string(),
      counts: z.record(z.string(), z.number()),
    }),
  ),
});
type Memory = z.infer<typeof Memory>;

const memoryStart = "<!-- ivrctl:memory ";

function memoryIn(comment: string): Memory {
  const line = comment.split(/\r?\n/).find((one) => one.startsWith(memoryStart)) ?? "";
  const text = Buffer.from(line.slice(memoryStart.length, -" -->".length), "base64url");
  const read = validate(Memory, parseJson(text));
  return read.success ? read.data : { attempts: [] };
}

/** A hidden block. Encoded, no text in it can end the comment, mention somebody or be a link. */
function memoryBlock(memory: Memory): string {
  return `${memoryStart}${Buffer.from(JSON.stringify(memory)).toString("base64url")} -->`;
}

/** The most earlier attempts that are kept. */
const mostAttempts = 9;

/**
 * The comment with the result: why something failed, what is left for a person, what the state says now,
 * and what each run did. `old` is the comment that it replaces, whose attempts stay.
 */
export function resultComment(result: ShownResult, old = ""): string {
  const { environment, directory, attempt, progress } = result;
  const where = directory === undefined ? environment : `${environment}, ${directory}`;
  const earlier = memoryIn(old).attempts.filter(({ run }) => run !== attempt.run);
  const attempts = [...earlier.slice(-mostAttempts), attemptOf(result)];
  const outcomes = (progress?.results ?? result.results).toSorted((a, b) => rankOf(a) - rankOf(b));
  const [errors, lines] = [errorLines(result), outcomeLines(outcomes)];
  const block = memoryBlock({ attempts });
  return fitting(commentLimit - markerRoom - block.length, (most) =>
    [
      `### ${headingOf(result, outcomes)} (${prose(where)})`,
      errors.length === 0 ? "" : ["#### Why", ...cut(errors, most, attempt)].join("\n"),
      ["#### Next", ...nextSteps(result)].join("\n"),
      lines.length === 0 ? "" : ["#### Now", ...cut(lines, most, attempt)].join("\n"),
      ["#### Attempts", ...attempts.map(attemptLine)].join("\n"),
      block,
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

function headingOf({ attempt, progress }: ShownResult, outcomes: readonly StepOutcome[]): string {
  const { ending } = attempt;
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
  const what = done === 0 ? "Not applied yet" : headings.waiting;
  return first?.outcome === "waiting" && more.length === 0
    ? `${what}: ${prose(`${first.key} waits${resultReason(first)}`)}`
    : `${what}: ${done} of ${outcomes.length} done`;
}

function attemptOf({ attempt, results, progress }: ShownResult): Memory["attempts"][number] {
  const refs = progress && new Set(progress.results.map(({ ref }) => ref));
  const words = results.filter(({ ref }) => refs?.has(ref) !== false).map(shownWord);
  const counts = Object.fromEntries(
    [...groupBy(words, (word) => word)].map(([word, all]) => [word, all.length]),
  );
  const { why, ...rest } = attempt;
  return { ...rest, ...(why !== undefined && { why }), counts };
}

const nothingConfirmed = "Nothing is confirmed: an outcome is unknown";
const unconfirmed: ReadonlySet<string> = new Set(["unknown", "failed", "not attempted", "waiting"]);

function attemptLine(attempt: Memory["attempts"][number]): string {
  const { ending, why, at, by, id, run } = attempt;
  const counts = Object.entries(attempt.counts).map(([word, count]) => `${count} ${word}`);
  const done = counts.length === 0 || isRefused(ending) ? "" : ` (${counts.join(", ")})`;
  const isIdle = ending === "applied" && done === "";
  const isConfirmed = Object.keys(attempt.counts).some((word) => !unconfirmed.has(word));
  const ended = ending === "unknown" && !isConfirmed ? nothingConfirmed : headings[ending];
  const words = why ?? (isIdle ? "Nothing was sent." : `${ended}${done}.`);
  return `- ${minute(at)} UTC, <a href="${encodeURI(run)}">run ${prose(id)}</a> by ${prose(by)}: ${message(words)}`;
}

/** The errors of this run, each once. If nothing was sent, the next step differs from their advice. */
function errorLines({ attempt, diagnostics, directory }: ShownResult): string[] {
  // A plan that is done can be stale.
  const errors = attempt.ending === "applied" ? [] : diagnostics.filter(isError);
  const lines = errors.map(({ code: id, message: words, hint }) => {
    const help = hint === undefined || isRefused(attempt.ending) ? [] : advice(hint, directory);
    return [`- ${id}: ${message(words)}`, help].flat().join("<br>");
  });
  return [...new Set(lines)];
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

function cut(lines: readonly string[], most: number, { run }: Attempt): string[] {
  const left = lines.length - most;
  const rest = `- <b>${many(left, "more line")}: see <a href="${run}">this run</a>.</b>`;
  return [...lines.slice(0, most), ...(left > 0 ? [rest] : [])];
}

function rankOf({ outcome, incomplete }: StepOutcome): number {
  const at = ["unknown", "failed", "waiting"].indexOf(incomplete ? "failed" : outcome);
  return at === -1 ? 3 : at;
}

/** What a person has to do, as a list. */
function nextSteps(result: ShownResult): string[] {
  const { environment, attempt, progress, rescued, next, toPoint, followUps = [] } = result;
  const { ending } = attempt;
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

/** How an apply ends that a new run of its job continues. */
const continues: ReadonlySet<Ending> = new Set(["failed", "interrupted", "locked", "unknown"]);
