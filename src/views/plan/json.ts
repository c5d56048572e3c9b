import { differences } from "../../deploy/plan/digest.ts";
import type { Comparison } from "../../deploy/plan/compare.ts";
import { type Bind, type Plan, payloadsOf, summaryOf } from "../../deploy/plan/plan.ts";
import { type StateView, openFollowUps } from "../../deploy/state/state.ts";
import type { Diagnostic } from "../../diagnostics/diagnostic.ts";
import type { FollowUpOutput } from "../../schema/output/common.ts";
import type { DiffContent, PlanContent } from "../../schema/output/plan.ts";
import type { FollowUp } from "../../schema/state.ts";
import { diagnosticsJson } from "../json.ts";
import type { AnyChange } from "./parts.ts";

/** The plan as JSON. Without changes if there is no plan because files are invalid. */
export function planJson(
  plan: Plan | undefined,
  environment: string | null,
  state: StateView | undefined,
  diagnostics: readonly Diagnostic[],
): string {
  const followUps = plan?.followUps ?? (state === undefined ? [] : openFollowUps(state));
  const { lineage, serial } = plan?.state ?? momentOf(state);
  const content: PlanContent = {
    environment: plan?.environment ?? environment,
    state: { lineage, serial },
    ...changesJson(plan, followUps),
    ...(plan?.list === undefined ? {} : { list: plan.list, learned: learnedJson(plan) }),
  };
  return diagnosticsJson(diagnostics, content);
}

/** What apply would record because the list proves it. */
function learnedJson({ learned = [] }: Plan): NonNullable<PlanContent["learned"]> {
  return learned.flatMap((event) => {
    if (event.kind === "bind-resolved") {
      const { key, number, as: resolved, evidence } = event;
      return { key, number, resolved, evidence };
    }
    if (event.kind === "changed-on-console") {
      const { key, payload, evidence } = event;
      return { key, changed_to: payload, evidence };
    }
    if (event.kind !== "identified" && event.kind !== "resolved") return [];
    const { key, evidence } = event;
    const about = event.follow_up ? { key, follow_up: event.follow_up } : { key };
    return event.kind === "identified"
      ? { ...about, id: event.id, evidence }
      : { ...about, resolved: event.as, evidence };
  });
}

/** A comparison in the same shape as a plan, with its revision and without a state. */
export function comparisonJson(
  comparison: Comparison | undefined,
  environment: string | null,
  diagnostics: readonly Diagnostic[],
): string {
  const content: DiffContent = {
    environment: comparison?.environment ?? environment,
    revision: comparison?.revision ?? null,
    state: momentOf(undefined),
    ...changesJson(comparison, []),
  };
  return diagnosticsJson(diagnostics, content);
}

/** The lineage and serial of a state; serial 0 if there is no state. */
export function momentOf(state: StateView | undefined): PlanContent["state"] {
  return { lineage: state?.origin?.lineage ?? null, serial: state?.serial ?? 0 };
}

/** A follow-up in the JSON of every command. */
export function followUpJson(followUp: FollowUp): FollowUpOutput {
  const { id, key, reason, created_at, record, pending } = followUp;
  return {
    id,
    key,
    name: record.payload.name,
    reason,
    created_at,
    payload: record.payload,
    identified: record.identified ?? null,
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

function changesJson(content: Plan | Comparison | undefined, followUps: readonly FollowUp[]) {
  const changes: readonly AnyChange[] = content?.changes ?? [];
  return {
    summary: summaryOf(content ?? { changes: [], unchanged: 0 }),
    changes: changes.map(changeJson),
    follow_ups: followUps.map(followUpJson),
  };
}

function bindJson({ number, id, before, after }: Bind) {
  return { number, id, before, after };
}

function changeJson(change: AnyChange): PlanContent["changes"][number] {
  const { key, name, action } = change;
  const { before, after } = payloadsOf(change);
  return {
    key,
    name,
    action,
    ...("id" in change ? { id: change.id } : {}),
    before,
    after,
    diff: differences(before, after),
    ...("gone" in change ? { gone: change.gone } : {}),
    ...("kept" in change ? { kept: change.kept } : {}),
    ...("first" in change ? { first: change.first?.payload } : {}),
    ...("bind" in change ? { bind: change.bind?.map(bindJson) } : {}),
    ...("unbound" in change
      ? { unbound: change.unbound?.map(({ number, before: leads }) => ({ number, before: leads })) }
      : {}),
    ...("reachedBy" in change ? { reached_by: change.reachedBy } : {}),
    ...("drift" in change ? { drift: change.drift?.differences } : {}),
    ...(change.action === "waiting" ? { waits_for: change.waitsFor } : {}),
  };
}
