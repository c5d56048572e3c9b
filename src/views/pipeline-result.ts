import { basename } from "node:path";
import type { ExitCode } from "../cli/result.ts";
import type { Result } from "../deploy/apply/results.ts";
import type { Progress } from "../deploy/apply/plan-progress.ts";
import type { Diagnostic } from "../diagnostics/diagnostic.ts";
import { OutcomeCounts } from "../schema/output/apply.ts";
import { counted } from "../schema/output/shared-fields.ts";
import type { FollowUp } from "../schema/state.ts";
import { listed, many } from "../util/many.ts";
import { type Hint, suggest } from "../util/suggest.ts";
import { minute } from "../util/time.ts";
import { doneHint } from "./follow-ups.ts";
import { advice, code, commentLimit, fitting, markerRoom, message, prose } from "./markdown.ts";
import { mattersAfter, resultReason } from "./results.ts";

/** How an apply ended. */
export type Ending = keyof typeof headings;

const headings = {
  applied: "Applied",
  failed: "Apply failed",
  unknown: "Applied, but an outcome is unknown",
  interrupted: "Apply was interrupted",
  locked: "Nothing was sent: another run holds the lock",
  stale: "Nothing was sent: the plan is stale",
  altered: "Nothing was sent: the plan was altered after the review",
  "set back": "Nothing was sent: the state is older than the plan",
  "without state": "Nothing was sent: the state is not there",
  "state lost": "Nothing was sent: the state is gone or was set back",
  "without plan": "Nothing was sent: there is no plan that was reviewed",
  "up to date": "Nothing to do",
} as const;

const staleCodes = ["IVR622", "IVR623", "IVR624", "IVR625", "IVR627", "IVR638"];

/** Returns how an apply ended, from its exit code and its errors. */
export function applyEnding(
  { exit, applied }: { readonly exit: ExitCode; readonly applied?: unknown },
  diagnostics: readonly Diagnostic[],
): Ending {
  const errors = diagnostics.filter(isError);
  const codes = new Set<string>(errors.map(({ code: id }) => id));
  if (exit === 0) return "applied";
  if (applied === undefined) {
    if (codes.has("IVR621")) return "altered";
    if (codes.has("IVR628")) return "set back";
    if (staleCodes.some((id) => codes.has(id))) return "stale";
    if (codes.has("IVR629")) return "state lost";
    if (codes.has("IVR608")) return "without state";
  }
  if (exit === 4) return "locked";
  if (exit === 3) return "unknown";
  return exit === 130 ? "interrupted" : "failed";
}

function isError({ severity }: Diagnostic): boolean {
  return severity === "error";
}

/** Whether a new plan can help: the reviewed one cannot be applied any more. */
export function needsNewPlan(ending: Ending): boolean {
  return ending === "stale" || ending === "altered";
}

function isRefused(ending: Ending): boolean {
  return needsNewPlan(ending) || ending === "set back";
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
  readonly results: readonly Result[];
  /** What the state says about the plan. Undefined if there is no plan, or if the state cannot be read. */
  readonly progress: Progress | undefined;
  readonly diagnostics: readonly Diagnostic[];
  /** The path of the plan in messages. The file is gone when somebody reads the comment. */
  readonly planFile?: string;
  /** The new menus that a person has to point phone numbers at, in words. */
  readonly toPoint?: readonly string[];
  /** The open follow-ups of the plan's menus. */
  readonly followUps?: readonly FollowUp[];
  /** How to go on without this plan, as Markdown. Undefined: this job can be run again. */
  readonly next?: string | undefined;
  /** The file with outcomes that could not be recorded, which the run keeps. */
  readonly rescued?: string | undefined;
}

const attemptsTitle = "#### Attempts";
const nowTitle = "#### Now";

/**
 * The comment with the result: what each run did, what the state says now, and what is left for a
 * person. `old` is the comment that it replaces, whose attempts stay.
 */
export function resultComment(shown: ShownResult, old = ""): string {
  const { environment, attempt, progress, results } = shown;
  // Without a plan, this run knows nothing about what earlier ones did.
  const kept = progress === undefined && results.length === 0 ? doneIn(old) : undefined;
  const attempts = [...attemptsIn(old, attempt.run), attemptLine(shown)];
  const [errors, lines, next] = [errorLines(shown), resultLines(shown), nextSteps(shown)];
  return fitting(commentLimit - markerRoom, (most) =>
    [
      kept?.heading ?? `### ${headingOf(shown)} (${prose(environment)})`,
      [attemptsTitle, ...attempts, ...cut(errors, most, attempt)].join("\n"),
      kept?.now ?? (lines.length === 0 ? "" : [nowTitle, ...cut(lines, most, attempt)].join("\n")),
      ["#### Next", ...next].join("\n"),
    ]
      .filter((block) => block !== "")
      .join("\n\n"),
  );
}

/** What a comment says about a plan that was applied at least in part. */
function doneIn(old: string): { readonly heading: string; readonly now: string } | undefined {
  const heading = /^### (?:Applied|Partly applied).*$/m.exec(old)?.[0];
  const now = old.split("\n\n").find((block) => block.startsWith(`${nowTitle}\n`));
  return heading === undefined ? undefined : { heading, now: now ?? "" };
}

function headingOf({ attempt, progress }: ShownResult): string {
  if (progress === undefined) return headings[attempt.ending];
  const { results, done } = progress;
  if (done === results.length) return done === 0 ? "Nothing to do" : headings.applied;
  if (results.some(({ outcome }) => outcome === "unknown")) return headings.unknown;
  return done === 0 && attempt.ending !== "applied"
    ? headings[attempt.ending]
    : `Partly applied: ${done} of ${results.length} done`;
}

/** The most earlier attempts that are kept. */
const mostAttempts = 9;

function attemptsIn(old: string, run: string): readonly string[] {
  const [, list = ""] = old.replaceAll("\r", "").split(`${attemptsTitle}\n`);
  const [lines = ""] = list.split("\n\n");
  return lines
    .split("\n")
    .filter((line) => line.startsWith("- ") && !line.includes(`href="${run}"`))
    .slice(-mostAttempts);
}

function attemptLine({ attempt, results, progress }: ShownResult): string {
  const { ending, why, at, by, id, run } = attempt;
  const refs = progress && new Set(progress.results.map(({ ref }) => ref));
  const shown = results.filter(({ ref }) => refs?.has(ref) !== false).map(({ outcome }) => outcome);
  const counts = Object.entries(counted(OutcomeCounts, shown))
    .filter(([, count]) => count > 0)
    .map(([outcome, count]) => `${count} ${outcome.replace("_", " ")}`);
  const done = counts.length === 0 || isRefused(ending) ? "" : ` (${counts.join(", ")})`;
  const isIdle = ending === "applied" && done === "";
  const words = why ?? (isIdle ? "Nothing was left to do." : `${headings[ending]}${done}.`);
  return `- ${minute(at)} UTC, <a href="${run}">run ${prose(id)}</a> by ${prose(by)}: ${message(words)}`;
}

/** The errors of this run. If nothing was sent, the next step differs from their advice. */
function errorLines({ attempt, diagnostics, directory, planFile = "" }: ShownResult): string[] {
  // A plan that is done can be stale.
  const errors = attempt.ending === "applied" ? [] : diagnostics.filter(isError);
  return errors.map(({ code: id, message: words, hint }) => {
    const named = planFile === "" ? words : words.replaceAll(planFile, "The plan");
    const help = hint === undefined || isRefused(attempt.ending) ? [] : advice(hint, directory);
    return [`  - ${id}: ${message(named)}`, help].flat().join("<br>");
  });
}

/** What became of each step. What needs a person comes first if there is no room for all. */
function resultLines({ progress, results }: ShownResult): string[] {
  return (progress?.results ?? results)
    .toSorted((a, b) => rankOf(a) - rankOf(b))
    .map((result) => {
      const word = result.outcome.replace("_", " ");
      const reason = resultReason(result) ?? "";
      return `- <b>${word}</b>: ${code(result.key)} “${prose(result.name)}”${prose(reason)}`;
    });
}

function cut(lines: readonly string[], most: number, { run }: Attempt): string[] {
  const left = lines.length - most;
  const rest = `- <b>${many(left, "more line")}: see <a href="${run}">this run</a>.</b>`;
  return [...lines.slice(0, most), ...(left > 0 ? [rest] : [])];
}

function rankOf({ outcome, incomplete }: Result): number {
  const at = ["unknown", "failed", "waiting"].indexOf(incomplete ? "failed" : outcome);
  return at === -1 ? 3 : at;
}

const setBackAdvice =
  "The state was reset after the plan was made. Menus that were created since then are missing in it. A new plan would create them again, so restore the newer state first.";

/** What a person has to do, as a list. */
function nextSteps(shown: ShownResult): string[] {
  const { environment, attempt, progress, rescued, next, followUps = [], toPoint = [] } = shown;
  const { ending } = attempt;
  const results = progress?.results ?? shown.results;
  const isLeft = progress === undefined ? ending !== "applied" : progress.done < results.length;
  const others = progress?.otherUnknown ?? [];
  const done = doneHint(followUps, environment);
  const waiting = shown.results.filter(({ outcome }) => outcome !== "unknown");
  const unknown = results.filter(({ outcome }) => outcome === "unknown");
  const file = rescued && basename(rescued);
  const hints: readonly (Hint | readonly Hint[])[] = [
    file === undefined
      ? []
      : {
          words: `Some outcomes could not be recorded in the state. Before you resolve anything, download \`${file}\` from the artifacts of this run, then run:`,
          argv: suggest("state push", [file], environment),
        },
    mattersAfter([...waiting, ...unknown], environment),
    isLeft && continues.has(ending) && next === undefined
      ? "Run this job again. It continues with what is left of the reviewed plan."
      : [],
    ending === "without state" || ending === "state lost"
      ? "Do what the error says, then run this job again."
      : [],
    ending === "set back" ? setBackAdvice : [],
    toPoint,
    done === undefined ? [] : { words: `${done.when}:`, argv: done.argv },
    others.length === 0
      ? []
      : {
          words: `Not part of this plan: the outcome of ${listed(others.map((key) => `\`${key}\``))} is unknown since an earlier run. To see what was sent:`,
          argv: suggest("state show", others.slice(0, 1), environment),
        },
  ];
  const steps = [next ?? [], hints.flat().map((hint) => advice(hint, shown.directory))].flat();
  return (steps.length === 0 ? ["Nothing is left to do."] : steps).map((step) => `- ${step}`);
}

/** How an apply ends that a new run of its job continues. */
const continues: ReadonlySet<Ending> = new Set(["failed", "interrupted", "locked", "unknown"]);
