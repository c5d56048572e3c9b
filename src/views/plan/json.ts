import { differences } from "../../deploy/plan/diff.ts";
import type { Comparison } from "../../deploy/plan/compare.ts";
import { type Plan, payloadsOf, summaryOf } from "../../deploy/plan/plan.ts";
import { type StateView, openFollowUps } from "../../deploy/state/state.ts";
import type { Diagnostic } from "../../diagnostics/diagnostic.ts";
import type { FollowUp } from "../../schema/state.ts";
import { plainDiagnostics } from "../diagnostics/json.ts";
import { formatVersion, toJson } from "../json.ts";
import { momentOf } from "../moment.ts";
import type { AnyChange } from "./details.ts";

/** The plan for a machine; without one, where the files are at fault, it has no changes. */
export function planJson(
  plan: Plan | undefined,
  environment: string | null,
  state: StateView | undefined,
  diagnostics: readonly Diagnostic[],
): string {
  const followUps = plan?.followUps ?? (state === undefined ? [] : openFollowUps(state));
  return toJson({
    format_version: formatVersion,
    environment: plan?.environment ?? environment,
    state: plan?.state ?? momentOf(state),
    summary: summaryOf(plan ?? { changes: [], unchanged: 0 }),
    changes: (plan?.changes ?? []).map(changeJson),
    follow_ups: followUps.map(followUpJson),
    diagnostics: plainDiagnostics(diagnostics),
  });
}

/** A comparison in the same shape: it knows no state, and which revision it is against. */
export function comparisonJson(
  comparison: Comparison | undefined,
  environment: string | null,
  diagnostics: readonly Diagnostic[],
): string {
  return toJson({
    format_version: formatVersion,
    environment: comparison?.environment ?? environment,
    revision: comparison?.revision ?? null,
    state: { lineage: null, serial: 0 },
    summary: summaryOf(comparison ?? { changes: [], unchanged: 0 }),
    changes: (comparison?.changes ?? []).map(changeJson),
    follow_ups: [],
    diagnostics: plainDiagnostics(diagnostics),
  });
}

function changeJson(change: AnyChange): object {
  const { key, name, action } = change;
  const { before, after } = payloadsOf(change);
  return { key, name, action, before, after, diff: differences(before, after) };
}

/** As every command lists one. */
export function followUpJson({ id, key, reason, created_at, record }: FollowUp): object {
  return { id, key, name: record.payload.name, reason, created_at, payload: record.payload };
}
