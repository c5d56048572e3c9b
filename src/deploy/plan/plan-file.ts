import type { Code } from "../../diagnostics/codes.ts";
import type { Source } from "../../diagnostics/source.ts";
import { PlanFileSchema, type SavedPlanOutput, planFormat } from "../../schema/plan.ts";
import { validate } from "../../schema/validate.ts";
import { sha256 } from "./digest.ts";
import type { Plan } from "./plan.ts";
import type { Desired } from "./steps/resources.ts";
import { type Step, asRef } from "./steps/step.ts";

/** The files that a plan is made from. */
export interface PlannedFrom {
  readonly config: Source;
  readonly menus: readonly Source[];
}

/** The part of the document of a plan that apply needs. Its digests show whether files changed later. */
export function savedPlan(plan: Plan, from: PlannedFrom, createdAt: string): SavedPlanOutput {
  const { environment, address, state, steps, desired, unchanged, blocked, can } = plan;
  return {
    created_at: createdAt,
    files: {
      config: sha256(from.config.text),
      menus: from.menus.map(({ file, text }) => ({ file, digest: sha256(text) })),
    },
    environment,
    address,
    state,
    steps: steps.map(savedStep),
    desired: desired.map(savedMenu),
    unchanged,
    ...(blocked && { blocked }),
    allowed: [...can.allowed].sort(),
  };
}

function savedMenu({ key, content, movedFrom, onChange, isBlocked }: Desired) {
  return {
    key,
    ...(content && { content }),
    ...(movedFrom !== undefined && { movedFrom }),
    ...(onChange && { onChange }),
    ...(isBlocked && { isBlocked }),
  };
}

function savedStep({ ref, op, event, id, from, spare, base, webhooks, after, links, holds }: Step) {
  return {
    ref,
    op,
    ...(event && { event }),
    ...(id !== undefined && { id }),
    ...(from && { from }),
    ...(spare && { spare }),
    ...(base && { base: Object.fromEntries(base) }),
    ...(webhooks && { webhooks }),
    ...(after && { after: Object.fromEntries(after.facts) }),
    links: Object.fromEntries(links),
    held: holds.length > 0,
  };
}

/** The steps that were reviewed. */
export function reviewedSteps({ steps }: SavedPlanOutput): Step[] {
  return steps.map(({ ref, from, spare, base, after, links, held, ...step }) => ({
    ...step,
    ref: asRef(ref),
    from: from === undefined ? undefined : asRef(from),
    spare: spare === undefined ? undefined : asRef(spare),
    base: base && new Map(Object.entries(base)),
    after: after && { facts: new Map(Object.entries(after)) },
    links: new Map(Object.entries(links).map(([to, id]) => [asRef(to), id])),
    needs: [],
    holds: held ? [{ why: "waiting" }] : [],
  }));
}

type PlanFileReading =
  | { readonly kind: "read"; readonly plan: SavedPlanOutput }
  | { readonly kind: "refused"; readonly code: Code; readonly problem: string };

/** Parses and checks the text of a plan file. */
export function readPlanFile(text: string): PlanFileReading {
  const refused = (problem: string, code: Code = "IVR621"): PlanFileReading => ({
    kind: "refused",
    code,
    problem,
  });
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return refused("it is not JSON, or is incomplete");
  }
  if (typeof value !== "object" || value === null || !("plan" in value) || !("digest" in value)) {
    return refused("`ivrctl plan` did not write it");
  }
  if ("format_version" in value && value.format_version !== planFormat) {
    return refused(
      `a different version of ivrctl wrote it (format ${String(value.format_version)}; this one reads only ${planFormat})`,
      "IVR602",
    );
  }
  const { digest, ...content } = value;
  if (digest !== sha256(JSON.stringify(content))) {
    return refused("it was changed after `ivrctl plan` wrote it");
  }
  const file = validate(PlanFileSchema, value);
  if (!file.success) return refused(`its content is invalid: ${file.problem}`);
  const { plan, refused: isRefused } = file.data;
  if (plan === null) return refused("its files were invalid, so it has no plan");
  return isRefused ? refused("`ivrctl plan` refused it") : { kind: "read", plan };
}
