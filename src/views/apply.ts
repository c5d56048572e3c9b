import { type Applied, type Result, countOutcomes } from "../deploy/apply/results.ts";
import { reasonText, resultText } from "./apply-progress.ts";
import type { Rescued } from "../deploy/apply/apply-and-rescue.ts";
import type { Plan } from "../deploy/plan/plan.ts";
import { describeDoubt, resolveCommands, unknownHint } from "../deploy/state/open-matters.ts";
import { groupBy } from "../util/group-by.ts";
import { many } from "../util/many.ts";
import { phoneText } from "../util/phone.ts";
import type { Argv } from "../util/suggest.ts";
import type { Diagnostic } from "../diagnostics/diagnostic.ts";
import type { ApplyContent, ResultOutput } from "../schema/output/apply.ts";
import type { FollowUp } from "../schema/state.ts";
import type { Result as CommandResult } from "../cli/result.ts";
import { diagnosticsJson } from "./json.ts";
import { isLost } from "../deploy/plan/recovered.ts";
import { lostMatters, waitMattersAfter, waitsBriefly } from "./plan/matters.ts";
import { describeDifferences } from "./plan/words.ts";
import { followUpJson } from "./plan/json.ts";
import { followUpsCount } from "./follow-ups.ts";
import { type Page, visible } from "./terminal.ts";
import { answerInParentheses, wrapAdvice } from "./text.ts";
import { unrecordedText } from "./unrecorded.ts";

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
): CommandResult {
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
          summary: countOutcomes(results),
          results: results.map(resultJson),
          follow_ups: followUps.map(followUpJson),
        };
        return diagnosticsJson(diagnostics, content);
      },
    },
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

function countsText({ results }: Applied, environment: string | null): string {
  const menus = results.filter(({ action }) => action !== "bind");
  const outcomes = Object.keys(countOutcomes([]));
  const rank = ({ outcome }: Result) => outcomes.indexOf(outcome);
  const ordered = menus.toSorted((a, b) => rank(a) - rank(b));
  const counted = (own: readonly Pick<Result, "action" | "outcome">[]) =>
    [...groupBy(own, (result) => resultText(result)[0])].map(([word, { length }]) => [
      length,
      word,
    ]);
  const counts = [
    ...counted(ordered).map(([count, word]) => `${count} ${word}`),
    ...counted(numbersIn(results)).map(
      ([count, word]) => `${many(Number(count), "phone number")} ${word}`,
    ),
  ];
  const all = counts.length === 0 ? "nothing to do" : counts.join(", ");
  return `${environment ?? "Apply"}: ${all}.`;
}

/** The results of phone numbers, in the form of those of menus. */
function numbersIn(results: readonly Result[]): Result[] {
  return results.flatMap(({ key: menu, name, bind = [] }) =>
    bind.map(({ number, outcome, status, message, attempts }) => {
      const key = `${menu}: ${phoneText(number)}`;
      return { key, name, action: "bind", outcome, status, message, attempts };
    }),
  );
}

/** How to continue; empty if everything was tried and created. */
function nextText({ results }: Applied, command: string): string {
  const words = nextWords(results);
  return words === undefined ? "" : `${words}\n  ${command}\n`;
}

function nextWords(results: readonly Result[]): string | undefined {
  const all = [...results, ...numbersIn(results)];
  const incomplete = results.flatMap((result) => result.incomplete ?? []);
  const failed = all.filter(({ outcome }) => outcome === "failed");
  const denied = [...failed, ...incomplete].find(({ status }) => status === 401 || status === 403);
  if (denied?.status === 403) {
    return "Apply stopped, because the token may not do this (HTTP 403). Check the scope of the token, then run:";
  }
  if (denied !== undefined) {
    return "Apply stopped, because the service rejected the token (HTTP 401). Check the token, then run:";
  }
  const isStopped = all.some(
    ({ action, outcome }) => outcome === "not_attempted" && action !== "blocked",
  );
  if (incomplete.length > 0 || isStopped) return "To continue, run:";
  if (failed.length > 0) return "To try again, run:";
  const waiting = results.filter(({ outcome }) => outcome === "waiting");
  if (waiting.some(({ waitsFor = [] }) => waitsFor.length === 0)) return "To continue, run:";
  return waiting.length > 0 && waitMattersAfter(results, "").length > 0
    ? "Then, to continue with the menus that wait, run:"
    : undefined;
}

/** What apply has left, and how to go on. What a person must look for comes last. */
function problemLines(
  { results, unrecorded }: Applied,
  plan: Plan | undefined,
  environment: string,
  page: Page,
): string[] {
  const menus = results.filter(({ action }) => action !== "bind");
  const all = [...menus, ...numbersIn(results)];
  // `unrecordedText` says how to record them.
  const known = new Set(
    unrecorded.flatMap(({ key, outcome }) => (outcome.kind === "unknown" ? [] : key)),
  );
  const unknown = menus.filter(({ key, outcome }) => outcome === "unknown" && !known.has(key));
  const open = unknown.filter(({ message }) => !isLost(message));
  const lost = unknown.filter(({ message }) => isLost(message)).map(({ key }) => key);
  const lines = inOrder.flatMap((outcome) => {
    const own = all.filter((result) => result.outcome === outcome);
    const said = groupBy(own, (result) => leftWords(result, results, plan, page));
    return [...said].flatMap(([words, alike]) => {
      if (words === undefined) return [];
      const between = alike[0].action === "bind" ? " " : ": ";
      const changed = alike.length === 1 ? changedLines(alike[0], plan) : [];
      return [`  ${keysText(alike)}${between}${words}`].concat(changed);
    });
  });
  const waits = [...waitMattersAfter(results, environment), ...lostMatters(lost, environment)].map(
    (hint) => wrapAdvice(hint, "  ", Number.POSITIVE_INFINITY, page.command),
  );
  return [...lines, ...waits, ...resolveLines(open, environment, page)];
}

/** The outcomes that leave something to do, in the order in which they are shown. */
const inOrder = ["waiting", "created", "not_attempted", "failed", "unknown"] as const;

/** What a result leaves to do, in words. Undefined if nothing. */
function leftWords(
  result: Result,
  results: readonly Result[],
  plan: Plan | undefined,
  { style }: Page,
): string | undefined {
  const { action, outcome, message, changed, incomplete, waitsFor = [], id } = result;
  const [word, color] = resultText(result);
  const shown = style(color, word);
  if (incomplete) {
    return `created, but its links are missing${answerInParentheses(incomplete)}. The next apply adds them.`;
  }
  switch (outcome) {
    case "waiting":
      return waitsFor.length === 0
        ? "can be created now"
        : `${shown} for ${visible(waitsBriefly(waitsFor, results))}`;
    case "created":
      return plan?.list && id === undefined
        ? "created, but the id is not known yet. The next apply looks for it in the list."
        : undefined;
    case "not_attempted": {
      const isExplained = action === "blocked" || changed !== undefined;
      if (action === "bind") return shown + answerInParentheses(result);
      return isExplained ? `${shown}: ${visible(message ?? "")}` : shown;
    }
    case "failed":
      return shown + answerInParentheses(result);
    case "unknown": {
      if (isLost(result.message)) return undefined;
      if (action === "unknown") return `${shown} since an earlier run`;
      if (action !== "bind") return `${shown}: ${reasonText(result).replace(/[.\s]+$/, "")}.`;
      return `${shown}${answerInParentheses(result)}. The next plan or apply looks for it in the list.`;
    }
    default:
      return undefined;
  }
}

/** How to resolve unknown outcomes. */
function resolveLines(open: readonly Result[], environment: string, page: Page): string[] {
  const [first, ...more] = open;
  if (first === undefined) return [];
  const keys = open.map(({ key }) => key);
  const { words: advice, argv } = unknownHint(keys, environment);
  const show = (words: string) => [`  ${words}`, `    ${page.command(argv)}`];
  if (more.length > 0) return [`  ${describeDoubt()} ${neverAgain}`, ...show(advice)];
  const { name, action, key } = first;
  const doubt = `  ${describeDoubt(action)} ${neverAgain}`;
  if (action === "unknown") return [doubt, ...show(advice)];
  return [
    doubt,
    ...show(`Look for “${visible(name)}” on the console. To see what was sent, and when, run:`),
    ...resolveCommands(key, environment, action).flatMap((one) => [
      `  ${one.when}:`,
      `    ${page.command(one.argv)}`,
    ]),
  ];
}

const neverAgain = "A request with an unknown outcome is never sent again on its own.";

/** What somebody changed on the console, so that a menu was not updated or deleted. */
function changedLines({ key, changed = [], naming }: Result, plan: Plan | undefined): string[] {
  const { before } = plan?.changes.find((one) => one.key === key) ?? {};
  if (before === undefined || naming === undefined) return [];
  return describeDifferences(changed, before, { naming }).map(({ text }) => `    ${visible(text)}`);
}

/** The keys of results. A long list is cut. */
function keysText(results: readonly Result[]): string {
  const keys = results.map(({ key }) => visible(key));
  const more = keys.length > maxListed ? `, and ${keys.length - maxListed} more` : "";
  return `${keys.slice(0, maxListed).join(", ")}${more}`;
}

const maxListed = 12;
