import { type Applied, type Result, countOutcomes } from "../deploy/apply/results.ts";
import type { Rescued } from "../deploy/apply/apply-and-rescue.ts";
import type { Plan } from "../deploy/plan/plan.ts";
import { groupBy } from "../util/group-by.ts";
import { listed, many } from "../util/many.ts";
import { phoneText } from "../util/phone.ts";
import { type Argv, mapHint } from "../util/suggest.ts";
import type { Diagnostic } from "../diagnostics/diagnostic.ts";
import type { ApplyContent, ResultOutput } from "../schema/output/apply.ts";
import type { FollowUp } from "../schema/state.ts";
import type { ExitCode, Result as CommandResult } from "../cli/result.ts";
import { diagnosticsJson } from "./json.ts";
import { waitMattersAfter } from "./plan/matters.ts";
import { followUpJson } from "./plan/json.ts";
import { followUpsCount } from "./follow-ups.ts";
import { type Page, visible } from "./terminal.ts";
import { mattersAfter, resultReason, resultWord, styledResult } from "./results.ts";
import { wrapAdvice } from "./text.ts";
import { unrecordedText } from "./unrecorded.ts";

/** How an apply ended, and what it found. */
export interface EndedApply {
  readonly exit: ExitCode;
  readonly environment: string | null;
  readonly diagnostics: readonly Diagnostic[];
  /** The diagnostics that were printed with the plan. */
  readonly printed?: readonly Diagnostic[];
  /** Undefined if there is none. */
  readonly plan?: Plan | undefined;
  readonly applied?: Applied;
  readonly rescued?: Rescued;
  /** The results of a plan that was not applied. */
  readonly notApplied?: readonly Result[];
  readonly followUps?: readonly FollowUp[];
}

/** What apply did, in every format. `next` continues an apply that did not do everything. */
export function appliedResult(ended: EndedApply, next: Argv): CommandResult {
  const { exit, environment, diagnostics, printed = [], plan, applied, rescued } = ended;
  const { notApplied = [], followUps = [] } = ended;
  const alreadyPrinted = new Set(printed.map(identityOf));
  const fresh = diagnostics.filter((diagnostic) => !alreadyPrinted.has(identityOf(diagnostic)));
  const results = applied?.results ?? notApplied;
  // Errors have their own advice.
  const hasErrors = fresh.some(({ severity }) => severity === "error");
  return {
    exit,
    diagnostics: fresh,
    ...(applied && {
      summary: (page) =>
        `${followUpsCount(followUps, environment ?? "", page)}${page.style("bold", countsText(applied, environment))}\n`,
      matters: (page) => leftText(applied, plan, environment ?? "", page),
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

function resultJson({ waitsFor, ...result }: Result): ResultOutput {
  return { ...result, ...(waitsFor && { waits_for: waitsFor }) };
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
    [...groupBy(own, (result) => resultWord(result)[0])].map(([word, { length }]) => [
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
  if (denied !== undefined) {
    return `Apply stopped, because the service rejected the token (HTTP ${denied.status}). Check the token and its scope, then run:`;
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
function leftText(
  { results, unrecorded }: Applied,
  plan: Plan | undefined,
  environment: string,
  page: Page,
): string {
  const menus = results.filter(({ action }) => action !== "bind");
  const all = [...menus, ...numbersIn(results)];
  const lines = inOrder.flatMap((outcome) => {
    const own = all.filter((result) => result.outcome === outcome);
    const groups = groupBy(own, (result) => {
      const reason = resultReason(result, results, plan?.list !== undefined);
      return reason === undefined ? "" : styledResult(result, reason, page);
    });
    return [...groups].flatMap(([words, alike]) => {
      if (words === "") return [];
      const between = alike[0].action === "bind" ? " " : ": ";
      const keys = listed(
        alike.map(({ key }) => key),
        maxListed,
      );
      return `  ${visible(keys)}${between}${words}`;
    });
  });
  // `unrecordedText` says how to record outcomes that are known.
  const known = new Set(
    unrecorded.flatMap(({ key, outcome }) => (outcome.kind === "unknown" ? [] : key)),
  );
  const open = results.filter(({ key, outcome }) => outcome !== "unknown" || !known.has(key));
  const matters = mattersAfter(open, environment).map((hint) =>
    wrapAdvice(mapHint(hint, visible), "  ", Number.POSITIVE_INFINITY, page.command),
  );
  return [...lines, ...matters].map((line) => `${line}\n`).join("");
}

const maxListed = 12;

/** The outcomes that leave something to do, in the order in which they are shown. */
const inOrder = ["waiting", "created", "not_attempted", "failed", "unknown"] as const;
