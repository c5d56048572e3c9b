import { numbersAtOld } from "../../reach/findings.ts";
import { changedFields, changedWords } from "../../model/menu-diff.ts";
import { sha256 } from "../../util/sha256.ts";
import { savedPlan } from "../../deploy/plan/saved/plan-file.ts";
import type { Change } from "../../deploy/plan/changes/changes.ts";
import type { Plan } from "../../deploy/plan/plan.ts";
import { outcomeNames } from "../../deploy/state/records.ts";
import type { StateView } from "../../deploy/state/state.ts";
import { openFollowUps } from "../../deploy/state/view.ts";
import type { FollowUpOutput } from "../../schema/output/follow-up.ts";
import { ActionCounts, counted } from "../../schema/output/shared-fields.ts";
import type { DiffContent, PlanContent } from "../../schema/output/plan-output.ts";
import type { FollowUp } from "../../schema/state.ts";
import { diagnosticsJson } from "../json.ts";
import { mattersJson } from "../matter-lines.ts";
import { differenceJson, menuJson, wordsJson } from "../menu-json.ts";
import { type PlanReport, type PlanDocument, describe } from "./describe.ts";

/**
 * The plan as JSON: for programs, and for apply. Without changes if there is no plan because files are
 * invalid. Its digest shows whether somebody changed it later.
 */
export function planJson(report: PlanDocument): string {
  const { plan, environment, state, made, refused = false, diagnostics } = report;
  const followUps = plan?.followUps ?? (state === undefined ? [] : openFollowUps(state));
  const { id, serial } = plan?.state ?? stateMoment(state);
  const content: Omit<PlanContent, "digest"> = {
    environment: plan?.environment ?? environment,
    state: { id, serial },
    ...changesJson(report, followUps),
    list: plan?.list,
    learned: plan?.list && learnedJson(plan),
    matters: mattersJson(report.matters ?? []),
    refused: plan === undefined || refused,
    plan: plan && made ? savedPlan(plan, made.from, made.at) : null,
  };
  const document: unknown = JSON.parse(diagnosticsJson(diagnostics, content));
  const digest = sha256(JSON.stringify(document));
  return diagnosticsJson(diagnostics, { ...content, digest });
}

/** What apply would record because the list proves it. */
function learnedJson({ learned = [] }: Plan): NonNullable<PlanContent["learned"]> {
  return learned.flatMap((event) => {
    if (event.kind === "outcome") {
      const { key, follow_up, number, action, as } = event;
      if (event.how === "answer" || as === "unknown") return [];
      const about = { key, follow_up: follow_up ?? undefined, number: number ?? undefined };
      return { ...about, resolved: outcomeNames[action][as], evidence: event.evidence };
    }
    if (event.kind === "changed-on-console") {
      const { key, menu, evidence } = event;
      return { key, changed_to: menuJson(menu), evidence };
    }
    if (event.kind !== "identified") return [];
    const { key, follow_up, id, evidence } = event;
    return { key, follow_up: follow_up ?? undefined, id, evidence };
  });
}

/** A comparison in the same shape as a plan, with its revision and without a state. */
export function comparisonJson(report: PlanReport): string {
  const { plan, environment, revision = null, diagnostics } = report;
  const content: DiffContent = {
    environment: plan?.environment ?? environment,
    revision,
    state: stateMoment(undefined),
    ...changesJson(report, []),
  };
  return diagnosticsJson(diagnostics, content);
}

/** The id and serial of a state; serial 0 if there is no state. */
export function stateMoment(state: StateView | undefined): PlanContent["state"] {
  return { id: state?.origin?.id ?? null, serial: state?.serial ?? 0 };
}

/** A follow-up in the JSON of every command. */
export function followUpJson(followUp: FollowUp): FollowUpOutput {
  const { id, key, reason, created_at, current, pending } = followUp;
  return {
    id,
    key,
    name: current.menu.name,
    reason,
    created_at,
    menu: menuJson(current.menu),
    identified: current.identified ?? null,
    ...(pending && {
      pending: {
        action: pending.action,
        sent_at: pending.sent_at,
        until: pending.until,
        seen: pending.seen,
      },
    }),
  };
}

function changesJson(report: PlanReport, followUps: readonly FollowUp[]) {
  const { rows, following } = describe(report);
  const { changes, unchanged } = report.plan ?? { changes: [], unchanged: 0 };
  const names = changes.map(({ action }) => action);
  const atOld = report.plan && numbersAtOld(report.plan.worlds);
  return {
    summary: { ...counted(ActionCounts, names), unchanged },
    callers: rows.map(({ changes, subject, lines }) => ({
      subject,
      keys: changes.map(({ key }) => key),
      lines: lines.map(({ text, mark }) => ({ text, mark })),
    })),
    follows: following,
    changes: changes.map((change) => changeJson(change, atOld?.get(change.key))),
    follow_ups: followUps.map(followUpJson),
  };
}

/** JSON leaves out what is undefined. */
function changeJson(
  change: Change,
  reachedBy: readonly string[] | undefined,
): PlanContent["changes"][number] {
  const { key, name, action, id, movedFrom, gone, kept, first, drift } = change;
  const before = change.before?.menu ?? null;
  const after = change.pending?.menu ?? change.after ?? null;
  const bind = change.bind.map(({ number, id, before, after }) => ({ number, id, before, after }));
  return {
    key,
    name,
    action,
    id,
    moved_from: movedFrom,
    before: before && menuJson(before),
    after: after && menuJson(after),
    diff:
      before && after
        ? [
            ...changedFields(before, after).map((one) => differenceJson(one)),
            ...changedWords(before, after).map(wordsJson),
          ]
        : [],
    gone,
    kept,
    first: first && menuJson(first),
    bind: bind.length === 0 ? undefined : bind,
    numbers: change.numbers && [...change.numbers],
    reached_by: reachedBy && [...reachedBy],
    drift: drift?.differences.map((one) => differenceJson(one, "before")),
    waits_for: change.waitsFor.length === 0 ? undefined : change.waitsFor,
  };
}
