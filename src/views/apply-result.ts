import { type Applied, type StepOutcome, untried } from "../deploy/apply/step-results.ts";
import type { Rescued } from "../deploy/apply/apply-and-rescue.ts";
import type { Change } from "../deploy/plan/changes/changes.ts";
import type { Ref } from "../schema/ref.ts";
import { type Matter, isChange, isPlanned } from "../deploy/reasons/kinds.ts";
import type { Plan } from "../deploy/plan/plan.ts";
import { groupBy } from "../util/group-by.ts";
import { listed, many } from "../util/many.ts";
import { destinationWithId } from "../model/menu.ts";
import type { Argv } from "../util/suggest.ts";
import type { Diagnostic } from "../diagnostics/diagnostic.ts";
import {
  type ApplyContent,
  type BindResult,
  OutcomeCounts,
  type ResultOutput,
} from "../schema/output/apply-output.ts";
import { counted } from "../schema/output/shared-fields.ts";
import type { FollowUp } from "../schema/state.ts";
import type { ExitCode, ResultIn } from "./result.ts";
import { diagnosticsJson } from "./json.ts";
import { differenceJson } from "./menu-json.ts";
import { followUpJson } from "./plan/plan-json.ts";
import { matterLines, mattersJson } from "./matter-lines.ts";
import { type Page, visible } from "./terminal.ts";
import { resultReason, resultWord, styledResult } from "./result-words.ts";
import { wrap } from "./text.ts";
import { unrecordedText } from "./unrecorded.ts";

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
  readonly notApplied?: readonly StepOutcome[];
  readonly followUps?: readonly FollowUp[];
  /** What needs a person now. */
  readonly matters?: readonly Matter[];
}

export interface NextCommand {
  /** Does what is left. */
  readonly again: Argv;
  /** Does what waited for a person. */
  readonly later: Argv;
}

/** What apply did, in every format. `next` continues an apply that did not do everything. */
export function appliedResult(ended: EndedApply, next: NextCommand): ResultIn<"json"> {
  const { exit, environment, diagnostics, printed = [], plan, applied, rescued } = ended;
  const { notApplied = [], followUps = [], matters = [] } = ended;
  const alreadyPrinted = new Set(printed.map(identityOf));
  const fresh = diagnostics.filter((diagnostic) => !alreadyPrinted.has(identityOf(diagnostic)));
  const results = applied?.results ?? notApplied;
  // Errors have their own advice.
  const hasErrors = fresh.some(({ severity }) => severity === "error");
  const head = (page: Page) =>
    applied ? `${page.style("bold", countsText(applied, environment, matters))}\n` : "";
  const left = (page: Page) => (applied ? leftText(applied, plan, matters, page) : "");
  return {
    exit,
    diagnostics: fresh,
    ...(applied && {
      summary: (page) => notesText(matters, page) + (left(page) === "" ? head(page) : ""),
      matters: (page) => (left(page) === "" ? "" : head(page) + left(page)),
      urgent: (page) => unrecordedText(applied, rescued, environment ?? "", page),
      next: ({ command }) => (hasErrors ? "" : nextText(applied, matters, next, command)),
    }),
    formats: {
      json() {
        const byRef = new Map(results.map((result) => [result.ref, result]));
        const outputs = (plan?.changes ?? []).map((change) => resultJson(change, byRef));
        const outcomes = outputs.map(({ outcome }) => outcome);
        const content: ApplyContent = {
          environment,
          summary: counted(OutcomeCounts, outcomes),
          results: outputs,
          follow_ups: followUps.map(followUpJson),
          matters: mattersJson(matters),
        };
        return diagnosticsJson(diagnostics, content);
      },
    },
  };
}

/** The result of a change, with those of its phone numbers. */
function resultJson(change: Change, byRef: ReadonlyMap<Ref, StepOutcome>): ResultOutput {
  const { ref, key, name, action, id } = change;
  const empty = { ref, key, name, action, ...untried, ...(id !== undefined && { id }) };
  const { waitsFor, changed, ref: _, ...rest }: StepOutcome = byRef.get(ref) ?? empty;
  const bind = change.bind.map(({ number, id, before, after }): BindResult => {
    const result = byRef.get(`number:${number}`) ?? untried;
    const { status, message, attempts } = result;
    const target = { number, id, before, after: destinationWithId(after, () => rest.id) };
    return { ...target, outcome: bindOutcome(result), status, message, attempts };
  });
  // If only phone numbers change, the worst of them is the result.
  const worst = (["unknown", "failed", "not_attempted"] as const).find((outcome) =>
    bind.some((binding) => binding.outcome === outcome),
  );
  return {
    ...rest,
    ...(changed && { changed: changed.map((one) => differenceJson(one, "before")) }),
    ...(action === "bind" && { outcome: worst ?? "bound" }),
    ...(bind.length > 0 && { bind }),
    ...(waitsFor && { waits_for: waitsFor }),
  };
}

function bindOutcome({ outcome }: Pick<StepOutcome, "outcome">): BindResult["outcome"] {
  return outcome === "bound" || outcome === "failed" || outcome === "unknown"
    ? outcome
    : "not_attempted";
}

function identityOf({ code, file, line, column, message }: Diagnostic): string {
  return [code, file, line, column, message].join(" ");
}

function countsText(
  { results }: Applied,
  environment: string | null,
  matters: readonly Matter[],
): string {
  const rank = Object.keys(OutcomeCounts.shape);
  const ordered = results.toSorted((a, b) => rank.indexOf(a.outcome) - rank.indexOf(b.outcome));
  const counts = (some: readonly StepOutcome[], noun: (count: number) => string) =>
    [...groupBy(some, resultWord)].map(([word, { length }]) => `${noun(length)} ${word}`);
  const all = [
    ...counts(
      ordered.filter(({ action }) => action !== "bind"),
      String,
    ),
    ...counts(
      ordered.filter(({ action }) => action === "bind"),
      (count) => many(count, "phone number"),
    ),
  ];
  const nothing = matters.some(({ exit }) => exit > 0) ? "nothing was sent" : "nothing to do";
  return `${environment ?? "Apply"}: ${all.join(", ") || nothing}.`;
}

/** How to continue; empty if everything was tried and created. */
function nextText(
  { results }: Applied,
  matters: readonly Matter[],
  { again, later }: NextCommand,
  command: Page["command"],
): string {
  const words = nextWords(results, matters);
  if (words === undefined) return "";
  return `${words}\n  ${command(words === afterWaiting ? later : again)}\n`;
}

/** Whether the same request would be refused again. */
function isRefusal(status: number | null | undefined): boolean {
  return (
    typeof status === "number" && status >= 400 && status < 500 && status !== 408 && status !== 429
  );
}

const afterWaiting = "Then, to continue with the menus that wait, run:";

function nextWords(
  results: readonly StepOutcome[],
  matters: readonly Matter[],
): string | undefined {
  const incomplete = results.flatMap((result) => result.incomplete ?? []);
  const failed = results.filter(({ outcome }) => outcome === "failed");
  const denied = [...failed, ...incomplete].find(({ status }) => status === 401 || status === 403);
  if (denied !== undefined) {
    return `Apply stopped, because the service rejected the token (HTTP ${denied.status}). Check the token and its scope, then run:`;
  }
  const isStopped = results.some(
    ({ action, outcome }) => outcome === "not_attempted" && action !== "blocked",
  );
  if (incomplete.length > 0 || isStopped) return "To continue, run:";
  if (failed.length > 0) {
    return failed.every(({ status }) => isRefusal(status))
      ? "When you have corrected what the service refused, run:"
      : "To try again, run:";
  }
  const waiting = results.filter(({ outcome }) => outcome === "waiting");
  if (waiting.some(({ waitsFor = [] }) => waitsFor.length === 0)) return "To continue, run:";
  return matters.some(({ kind }) => kind === "waiting-for-id" || kind === "waiting-for-menu")
    ? afterWaiting
    : undefined;
}

/** What apply has left, and how to go on. What a person must look for comes last. */
function leftText(
  { results }: Applied,
  plan: Plan | undefined,
  matters: readonly Matter[],
  page: Page,
): string {
  const lines = inOrder.flatMap((outcome) => {
    const alike = results.filter((result) => result.outcome === outcome && !isMatter(result));
    const groups = groupBy(alike, (result) => {
      const reason = resultReason(result, plan?.list !== undefined);
      return reason === undefined ? "" : styledResult(result, reason, page);
    });
    return [...groups].flatMap(([words, alike]) => {
      if (words === "") return [];
      const between = alike[0].action === "bind" ? " " : ": ";
      const keys = listed(
        alike.map(({ key }) => key),
        maxListed,
      );
      return `  ${wrap(visible(keys) + between + words, "    ", page.wordWrap).trimStart()}`;
    });
  });
  const left = matters
    .filter((one) => one.exit > 0 && !isChange(one))
    .map((one) => matterLines(one, "  ", page, true));
  return [...lines, ...left].map((line) => `${line}\n`).join("");
}

/** What nobody has to do now. Not printed with --quiet. */
function notesText(matters: readonly Matter[], page: Page): string {
  return matters
    .filter((one) => one.exit === 0 && !isPlanned(one))
    .map((one) => `${matterLines(one, "", page)}\n\n`)
    .join("");
}

/** Whether the list of matters says what is left to do. */
function isMatter({ action, outcome, waitsFor = [] }: StepOutcome): boolean {
  return action === "blocked" || (outcome === "waiting" && waitsFor.length > 0);
}

const maxListed = 12;

/** The outcomes that leave something to do, in the order in which they are shown. */
const inOrder = ["waiting", "created", "not_attempted", "failed"] as const;
