import {
  type Applied,
  type Result,
  type ResultOutcome,
  type Unidentified,
  resultOutcomes,
} from "../deploy/apply/results.ts";
import { numberCounts, numberLines } from "./apply-numbers.ts";
import { reasonText, words, wordsOf } from "./apply-progress.ts";
import type { Rescued } from "../deploy/apply/apply-and-rescue.ts";
import type { Plan } from "../deploy/plan/plan.ts";
import { groupBy } from "../util/group-by.ts";
import { type Argv, suggest } from "../util/suggest.ts";
import type { Diagnostic } from "../diagnostics/diagnostic.ts";
import type { ApplyContent, ResultOutput } from "../schema/output/apply.ts";
import type { FollowUp } from "../schema/state.ts";
import type { Result as CommandResult } from "../cli/result.ts";
import { diagnosticsJson } from "./json.ts";
import { doubtWords, resolveCommands, unknownHint } from "./plan/details.ts";
import { withNames } from "./plan/on-service.ts";
import { changeWords } from "./plan/parts.ts";
import { describeDifference } from "./plan/words.ts";
import { followUpJson } from "./plan/json.ts";
import { followUpsCount } from "./plan/text.ts";
import { waitHintsAfter, waitsBriefly } from "./plan/waiting.ts";
import { type Page, visible } from "./terminal.ts";
import { answerInParentheses } from "./text.ts";
import { unrecordedText } from "./unrecorded.ts";

function afterColon(result: Result): string {
  const reason = reasonText(result).replace(/[.\s]+$/, "");
  return reason === "" ? "." : `: ${reason}.`;
}

interface Ended {
  readonly environment: string | null;
  /** Undefined if there is none. */
  readonly plan?: Plan | undefined;
  readonly applied?: Applied;
  readonly rescued?: Rescued;
  /** The results of a plan that was not applied. */
  readonly notApplied?: readonly Result[];
  readonly followUps?: readonly FollowUp[];
  /** The command that continues an apply that did not do everything. */
  readonly next: Argv;
  /** The diagnostics that were printed before. */
  readonly printed?: readonly Diagnostic[];
}

/** What apply did, in every format. */
export function appliedResult(
  {
    environment,
    plan,
    applied,
    rescued,
    notApplied = [],
    followUps = [],
    next,
    printed = [],
  }: Ended,
  diagnostics: readonly Diagnostic[],
): Omit<CommandResult, "exit"> {
  const alreadyPrinted = new Set(printed.map(identityOf));
  const fresh = diagnostics.filter((diagnostic) => !alreadyPrinted.has(identityOf(diagnostic)));
  const results = applied?.results ?? notApplied;
  // Errors have their own advice.
  const hasErrors = fresh.some(({ severity }) => severity === "error");
  return {
    diagnostics: fresh,
    ...(applied && {
      summary: (page) =>
        `${followUpsCount(followUps, environment ?? "", page)}${page.style("bold", countsText(applied, environment))}\n`,
      matters: (page) =>
        problemLines(applied, plan, environment ?? "", page)
          .map((line) => `${line}\n`)
          .join(""),
      urgent: (page) => unrecordedText(applied, rescued, environment ?? "", page),
      next: ({ command }) => (hasErrors ? "" : nextText(applied, command(next))),
    }),
    formats: {
      json() {
        const content: ApplyContent = {
          environment,
          summary: summaryJson(results),
          results: results.map(resultJson),
          follow_ups: followUps.map(followUpJson),
        };
        return diagnosticsJson(diagnostics, content);
      },
    },
  };
}

function summaryJson(results: readonly Result[]): ApplyContent["summary"] {
  return {
    created: countOf(results, "created"),
    updated: countOf(results, "updated"),
    bound: countOf(results, "bound"),
    deleted: countOf(results, "deleted"),
    failed: countOf(results, "failed"),
    unknown: countOf(results, "unknown"),
    not_attempted: countOf(results, "not_attempted"),
    waiting: countOf(results, "waiting"),
    moved: countOf(results, "moved"),
    forgotten: countOf(results, "forgotten"),
    restored: countOf(results, "restored"),
    missing: countOf(results, "missing"),
    drift: countOf(results, "drift"),
  };
}

function resultJson(result: Result): ResultOutput {
  const { key, name, action, outcome, status, message, attempts, id, changed, waitsFor } = result;
  const { bind, incomplete } = result;
  return {
    key,
    name,
    action,
    outcome,
    status,
    message,
    attempts,
    ...(id === undefined ? {} : { id }),
    ...(bind === undefined ? {} : { bind }),
    ...(changed === undefined ? {} : { changed }),
    ...(incomplete === undefined ? {} : { incomplete }),
    ...(waitsFor === undefined ? {} : { waits_for: waitsFor }),
  };
}

function identityOf({ code, file, line, column, message }: Diagnostic): string {
  return [code, file, line, column, message].join(" ");
}

function countOf(results: readonly Result[], outcome: ResultOutcome): number {
  return results.filter((result) => result.outcome === outcome).length;
}

/** The results that are about menus, and not only about their phone numbers. */
function withoutBinds(results: readonly Result[]): Result[] {
  return results.filter(({ action }) => action !== "bind");
}

function countsText({ results }: Applied, environment: string | null): string {
  const menus = withoutBinds(results);
  const ordered = resultOutcomes.flatMap((outcome) =>
    menus.filter((result) => result.outcome === outcome),
  );
  const counts = [
    ...[...groupBy(ordered, (result) => wordsOf(result)[0])].map(
      ([word, own]) => `${own.length} ${word}`,
    ),
    ...numberCounts(results),
  ];
  const head = counts.length === 0 ? "nothing to do" : counts.join(", ");
  return `${environment ?? "Apply"}: ${head}.`;
}

/** How to continue; empty if everything was tried and created. */
function nextText({ results }: Applied, command: string): string {
  const words = nextWords(results);
  return words === undefined ? "" : `${words}\n  ${command}\n`;
}

function nextWords(results: readonly Result[]): string | undefined {
  const all = results.flatMap(({ bind = [], ...result }) => [result, ...bind]);
  const incomplete = results.flatMap((result) => result.incomplete ?? []);
  const failed = all.filter(({ outcome }) => outcome === "failed");
  const denied = [...failed, ...incomplete].find(({ status }) => isDenied(status))?.status;
  if (denied === 403) {
    return "Apply stopped, because the token may not do this (HTTP 403). Check the scope of the token, then run:";
  }
  if (denied !== undefined) {
    return `Apply stopped, because the service rejected the token (HTTP ${denied}). Check the token, then run:`;
  }
  const isStopped = incomplete.length > 0 || all.some(({ outcome }) => outcome === "not_attempted");
  if (isStopped) return "To continue, run:";
  if (failed.length > 0) return "To try again, run:";
  return countOf(results, "waiting") > 0 && waitHintsAfter(results, "").length > 0
    ? "Then, to continue with the menus that wait, run:"
    : undefined;
}

/** The menus that were not created. Those that a person must look for come last. */
function problemLines(
  { results: all, unrecorded, unidentified }: Applied,
  plan: Plan | undefined,
  environment: string,
  page: Page,
): string[] {
  const { style: paint } = page;
  const results = withoutBinds(all);
  const of = (wanted: ResultOutcome) => results.filter(({ outcome }) => outcome === wanted);
  const painted = (outcome: ResultOutcome) => paint(words[outcome][1], words[outcome][0]);
  // `unrecordedText` says how to record them.
  const known = new Set(
    unrecorded.flatMap(({ key, outcome }) => (outcome.kind === "unknown" ? [] : key)),
  );
  const unknown = of("unknown");
  const earlier = unknown.filter(({ action }) => action === "unknown").map(({ key }) => key);
  const recent = unknown.filter(({ action }) => action !== "unknown");
  const open = unknown.filter(({ key }) => !known.has(key));
  const why = (result: Result) =>
    `${afterColon(result)}${open.length === 1 && open[0] === result ? ` ${doubtWords(result.action)}` : ""}`;
  return [
    ...waitingLines(results, painted("waiting"), environment, page),
    ...unidentifiedLines(unidentified),
    ...incompleteLines(results),
    ...notAttemptedLine(
      of("not_attempted").filter(({ changed }) => changed === undefined),
      painted("not_attempted"),
    ),
    ...of("not_attempted").flatMap((result) => changedLines(result, plan, painted(result.outcome))),
    ...[
      ...groupBy(of("failed"), (result) => `${wordsOf(result)[0]} ${reasonText(result)}`).values(),
    ].map(
      (own) =>
        `  ${own.map(({ key }) => visible(key)).join(", ")}: ${paint("red", wordsOf(own[0])[0])}${answerInParentheses(own[0])}`,
    ),
    ...numberLines(all, paint),
    ...(earlier.length === 0
      ? []
      : [`  ${earlier.map(visible).join(", ")}: ${painted("unknown")} since an earlier run`]),
    ...[...groupBy(recent, why)].map(
      ([reason, own]) =>
        `  ${own.map(({ key }) => visible(key)).join(", ")}: ${painted("unknown")}${reason}`,
    ),
    ...resolveLines(open, environment, page),
  ];
}

/** How to resolve unknown outcomes. */
function resolveLines(open: readonly Result[], environment: string, page: Page): string[] {
  const [first, ...more] = open;
  if (first === undefined) return [];
  const keys = open.map(({ key }) => key);
  const { words: advice, argv } = unknownHint(keys, environment);
  const command = page.command(argv);
  if (more.length > 0) {
    return [
      open.some(({ action }) => action === "update" || action === "delete")
        ? "  It is not known whether these requests arrived. They are never sent again on their own."
        : "  Menus with an unknown outcome may or may not exist. They are never sent again on their own.",
      `  ${advice}`,
      `    ${command}`,
    ];
  }
  return [
    ...(first.action === "unknown"
      ? [`    ${advice}`, `      ${command}`]
      : [resolveHint(first, environment, page)]),
    "  A menu with an unknown outcome is never sent again on its own.",
  ];
}

/** The new menus whose ids are not known. */
function unidentifiedLines(all: readonly Unidentified[]): string[] {
  return [...groupBy(all, ({ why }) => why)].map(([why, own]) => {
    const keys = own.map(({ key }) => visible(key)).join(", ");
    return `  ${keys}: created, but ${whyUnidentified[why]}, so the id is not known yet. The next apply looks again.`;
  });
}

const whyUnidentified: Record<Unidentified["why"], string> = {
  "not-found": "the list of the service does not show which menu it is",
  interrupted: "the list of the service was not read, because the run was interrupted",
  stopped: "apply stopped before it could look in the list of the service",
};

/** The new menus that have another destination in place of their links. */
function incompleteLines(results: readonly Result[]): string[] {
  return results.flatMap(({ key, incomplete }) =>
    incomplete === undefined
      ? []
      : `  ${visible(key)}: created, but its links are missing${answerInParentheses(incomplete)}. The next apply adds them.`,
  );
}

/** What somebody changed on the console, so that a menu was not updated or deleted. */
function changedLines(result: Result, plan: Plan | undefined, word: string): string[] {
  const { key, message, changed, naming } = result;
  const change = plan?.changes.find((one) => one.key === key);
  if (changed === undefined || (change?.action !== "update" && change?.action !== "delete"))
    return [];
  const after = change.action === "delete" ? change.before : change.after;
  const now = naming === undefined ? after : withNames(after, naming);
  return [
    `  ${visible(key)}: ${word}: ${visible(message ?? "")}`,
    ...changed.map((difference) => {
      const { what, ...values } = describeDifference(difference, change.before, now);
      return `    ${visible(`${what}: ${changeWords(values)}`)}`;
    }),
  ];
}

/** The menus that wait, and how to get what they wait for. */
function waitingLines(
  results: readonly Result[],
  word: string,
  environment: string,
  { command }: Page,
): string[] {
  const waiting = results.filter(({ outcome }) => outcome === "waiting");
  return [
    ...[...groupBy(waiting, ({ waitsFor = [] }) => waitsBriefly(waitsFor, results))].map(
      ([what, own]) => `  ${keysText(own)}: ${word} for ${visible(what)}`,
    ),
    ...waitHintsAfter(results, environment).map(({ words: advice, commands }) =>
      [`  ${visible(advice)}`].concat(commands.map((argv) => `    ${command(argv)}`)).join("\n"),
    ),
  ];
}

/** A menu that was not attempted needs no explanation, so a long list is cut. */
function notAttemptedLine(own: readonly Result[], word: string): string[] {
  return own.length === 0 ? [] : [`  ${keysText(own)}: ${word}`];
}

function keysText(results: readonly Result[]): string {
  const keys = results.slice(0, maxListed).map(({ key }) => visible(key));
  const more = results.length > maxListed ? `, and ${results.length - maxListed} more` : "";
  return `${keys.join(", ")}${more}`;
}

const maxListed = 12;

function isDenied(status: number | null): boolean {
  return status === 401 || status === 403;
}

function resolveHint(
  { key, name, action }: Result,
  environment: string,
  { command }: Page,
): string {
  return [
    `    Look for “${visible(name)}” on the console. To see what was sent, and when:`,
    `      ${command(suggest("state show", [key], environment))}`,
    ...resolveCommands(key, environment, action).flatMap(({ when, argv }) => [
      `    ${when}:`,
      `      ${command(argv)}`,
    ]),
  ].join("\n");
}
