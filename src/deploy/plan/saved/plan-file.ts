import type { Code } from "../../../diagnostics/codes.ts";
import type { Diagnostics } from "../../../diagnostics/diagnostic.ts";
import type { Source } from "../../../diagnostics/source.ts";
import {
  PlanFileSchema,
  type SavedPlanOutput,
  SavedPlanSchema,
  planFormat,
} from "../../../schema/saved-plan.ts";
import { formatProblem, laterFormat } from "../../../schema/since.ts";
import { readNamed } from "../../../project/files.ts";
import { validate } from "../../../schema/validated.ts";
import { parseJson } from "../../../util/parse-json.ts";
import { sha256 } from "../../../util/sha256.ts";
import type { Plan } from "../plan.ts";
import { asRef } from "../../../schema/ref.ts";
import type { Step } from "../steps/step.ts";

/** The files that a plan is made from. */
export interface PlannedFrom {
  readonly config: Source;
  readonly menus: readonly Source[];
}

/** The part of the document of a plan that apply needs. Its digests show whether files changed later. */
export function savedPlan(plan: Plan, from: PlannedFrom, createdAt: string): SavedPlanOutput {
  const { environment, address, state, steps, desired, unchanged, blocked, can } = plan;
  const content = {
    created_at: createdAt,
    files: {
      config: sha256(from.config.text),
      menus: from.menus.map(({ file, text }) => ({ file, digest: sha256(text) })),
    },
    environment,
    address,
    state,
    steps: steps.map(savedStep),
    desired,
    unchanged,
    ...(blocked && { blocked }),
    allowed: [...can.allowed].sort(),
  };
  return { ...laterFormat(SavedPlanSchema, content), ...content };
}

function savedStep({ needs: _, holds, ...step }: Step) {
  return { ...step, held: holds.length > 0 };
}

export function reviewedSteps({ steps }: SavedPlanOutput): Step[] {
  return steps.map(({ ref, from, spare, held, ...step }) => ({
    ...step,
    ref: asRef(ref),
    from: from === undefined ? undefined : asRef(from),
    spare: spare === undefined ? undefined : asRef(spare),
    needs: [],
    holds: held ? [{ why: "waiting", because: "waiting" }] : [],
  }));
}

/** A plan that was made earlier. */
export interface SavedPlan {
  /** The file that it was read from, or what messages call it. */
  readonly file: string;
  readonly plan: SavedPlanOutput;
}

/** Reads a plan file. Reports an invalid one and returns undefined. */
export function readSaved(
  root: string,
  path: string,
  diagnostics: Diagnostics,
): SavedPlan | undefined {
  const source = readNamed(root, path, "planFile", diagnostics);
  return source && savedFrom(source.file, parseJson(source.text), diagnostics);
}

/** Returns the plan in the content of a plan file. Reports an invalid one and returns undefined. */
export function savedFrom(
  file: string,
  content: unknown,
  diagnostics: Diagnostics,
): SavedPlan | undefined {
  const plan = planIn(content);
  if (!("problem" in plan)) return { file, plan };
  const { problem, code = "IVR621" } = plan;
  diagnostics.addAt(code, { file }, `${file} cannot be applied: ${problem}.`, {
    words: "Make a new plan:",
    argv: ["plan", "--out", "FILE"],
  });
  return undefined;
}

/** The digest of a plan. Undefined if it is nested so deep that ivrctl did not write it. */
function digestOf(content: unknown): string | undefined {
  try {
    return sha256(JSON.stringify(content));
  } catch {
    return undefined;
  }
}

/** The plan in the content of a plan file, or why it cannot be applied. */
function planIn(
  value: unknown,
): SavedPlanOutput | { readonly problem: string; readonly code?: Code } {
  if (value === undefined) return { problem: "it is not JSON, or is incomplete" };
  if (typeof value !== "object" || value === null || !("plan" in value) || !("digest" in value)) {
    return { problem: "`ivrctl plan` did not write it" };
  }
  if ("format_version" in value && value.format_version !== planFormat) {
    const problem = `a different version of ivrctl wrote it (format ${String(value.format_version)}; this one reads only ${planFormat})`;
    return { problem, code: "IVR602" };
  }
  const unknown = formatProblem(value.plan);
  if (unknown) return { problem: `it ${unknown.problem}`, code: "IVR602" };
  const { digest, ...content } = value;
  if (digest !== digestOf(content)) {
    return { problem: "it was changed after `ivrctl plan` wrote it" };
  }
  const file = validate(PlanFileSchema, value);
  if (!file.success) return { problem: `its content is invalid: ${file.problem}` };
  const { plan, refused } = file.data;
  if (plan === null) return { problem: "its files were invalid, so it has no plan" };
  return refused ? { problem: "`ivrctl plan` refused it" } : plan;
}
