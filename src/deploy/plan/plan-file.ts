import type { Code } from "../../diagnostics/codes.ts";
import type { Source } from "../../diagnostics/source.ts";
import { type PlanFile, PlanFileSchema, planVersion } from "../../schema/plan.ts";
import { validate } from "../../schema/validate.ts";
import { sha256 } from "./digest.ts";
import type { Plan } from "./plan.ts";

/** The files that a plan is made from. */
export interface PlannedFrom {
  readonly config: Source;
  readonly menus: readonly Source[];
}

/** The text of a plan file. Its digests show whether the files, or the plan itself, changed later. */
export function planFileText(plan: Plan, from: PlannedFrom, createdAt: string): string {
  const content = {
    format: "ivrctl-plan",
    version: planVersion,
    created_at: createdAt,
    files: {
      config: sha256(from.config.text),
      menus: from.menus.map(({ file, text }) => ({ file, digest: sha256(text) })),
    },
    plan,
  };
  const digest = sha256(JSON.stringify(content));
  return `${JSON.stringify({ ...content, digest }, null, 2)}\n`;
}

/** The files that differ from those of a plan. Without menus, only the configuration is compared. */
export function changedFiles(
  files: PlanFile["files"],
  config: Source | undefined,
  menus: readonly Source[] | undefined,
): string[] {
  const changed: string[] = [];
  if (config !== undefined && sha256(config.text) !== files.config) {
    changed.push(`${config.file} has changed`);
  }
  if (menus === undefined) return changed;
  const planned = new Map(files.menus.map(({ file, digest }) => [file, digest]));
  for (const { file, text } of menus) {
    const digest = planned.get(file);
    if (digest === undefined) changed.push(`${file} is new`);
    else if (digest !== sha256(text)) changed.push(`${file} has changed`);
    planned.delete(file);
  }
  return [...changed, ...[...planned.keys()].map((file) => `${file} was deleted`)];
}

type PlanFileReading =
  | { readonly kind: "read"; readonly file: PlanFile }
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
  if (
    typeof value !== "object" ||
    value === null ||
    !("format" in value) ||
    value.format !== "ivrctl-plan"
  ) {
    return refused("`ivrctl plan --out` did not write it");
  }
  if ("version" in value && typeof value.version === "number" && value.version !== planVersion) {
    const writer = value.version < planVersion ? "an older build" : "a newer version";
    return refused(
      `${writer} of ivrctl wrote it (format ${value.version}; this one reads only ${planVersion})`,
      "IVR602",
    );
  }
  const { digest, ...content } = { digest: undefined, ...value };
  if (digest !== sha256(JSON.stringify(content))) {
    return refused("it was changed after `ivrctl plan` wrote it");
  }
  const file = validate(PlanFileSchema, value);
  return file.success
    ? { kind: "read", file: file.data }
    : refused(`its content is invalid: ${file.problem}`);
}
