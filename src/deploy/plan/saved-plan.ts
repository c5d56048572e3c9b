import { readNamed } from "../../project/files.ts";
import type { ProjectPlace } from "../../project/open-project.ts";
import { Diagnostics } from "../../diagnostics/diagnostic.ts";
import type { Source } from "../../diagnostics/source.ts";
import type { PlanFile } from "../../schema/plan.ts";
import type { StateView } from "../state/state.ts";
import { agentFindings, describeFinding, describePlace } from "./agent-findings.ts";
import { sha256 } from "./digest.ts";
import { checkSize, checkState } from "./guards.ts";
import { type Change, isSending, payloadsOf } from "./plan.ts";
import { readPlanFile } from "./plan-file.ts";
import { type PlanInput, planProject } from "./plan-project.ts";
import { flawOf } from "./plan-flaw.ts";
import { targetKeys } from "./targets.ts";

/** A plan that was made earlier, and the file it was read from. */
export interface SavedPlan {
  readonly file: string;
  /** The digests of the files that it was made from. */
  readonly files: PlanFile["files"];
  readonly plan: PlanFile["plan"];
}

/** Reads a plan file. Reports an invalid one and returns undefined. */
export function readSaved(
  root: string,
  path: string,
  diagnostics: Diagnostics,
): SavedPlan | undefined {
  const source = readNamed(root, path, "planFile", diagnostics);
  if (source === undefined) return undefined;
  const { file } = source;
  const reading = readPlanFile(source.text);
  if (reading.kind === "read") return { file, files: reading.file.files, plan: reading.file.plan };
  const message = `${file} cannot be applied: ${reading.problem}.`;
  diagnostics.addAt(reading.code, { file }, message, again);
  return undefined;
}

const again = "Make a new plan: ivrctl plan --out FILE";

/** The environment of the plan. It is an error if the user asked for another one. */
export function environmentOf(
  { plan, file }: SavedPlan,
  { globals, variables }: ProjectPlace,
  diagnostics: Diagnostics,
): string {
  const asked = globals.env ?? (variables["IVRCTL_ENV"] || undefined);
  if (asked !== undefined && asked !== plan.environment) {
    diagnostics.addAt(
      "IVR623",
      { file },
      `The plan is for the environment ${plan.environment}, not for ${asked}.`,
      `Use --env ${plan.environment}, or make a new plan: ivrctl plan --env ${asked} --out FILE`,
    );
  }
  return plan.environment;
}

/** Reports everything that keeps a saved plan from being applied now. */
export function checkSaved(
  saved: SavedPlan,
  input: PlanInput,
  maxCreates: number | undefined,
  diagnostics: Diagnostics,
): void {
  const { plan, file, files } = saved;
  const { project, endpoint, agents, state } = input;
  checkState(endpoint, agents, state, diagnostics);
  if (endpoint.identity !== plan.address) {
    diagnostics.addAt(
      "IVR623",
      { file },
      `The plan is for ${plan.address}, but the environment ${plan.environment} now uses ${endpoint.identity}.`,
      again,
    );
  }
  checkPlannedState(saved, state, diagnostics);
  const changed = changedFiles(files, project.source, project.menus);
  if (changed.length > 0) {
    diagnostics.addAt(
      "IVR624",
      { file },
      `The plan is stale: ${listed(changed)}.`,
      "Check out the revision of the plan, or make a new plan: ivrctl plan --out FILE",
    );
  }
  const blocked = new Set(plan.blocked);
  for (const { key, after } of plan.changes.filter(isSending)) {
    for (const finding of agentFindings(after.naming, agents, blocked)) {
      if (finding.harmless) continue;
      const place = describePlace(finding.place);
      const problem = describeFinding(finding).replace(/\.$/, "");
      diagnostics.addAt("IVR625", { file }, `${key}, ${place}: ${problem}.`, again);
    }
  }
  checkSize(plan, maxCreates, endpoint, diagnostics);
  if (!diagnostics.hasErrors) checkContent(saved, input, diagnostics);
}

/** Checks that the state is the one that the plan was made from. */
function checkPlannedState(
  { file, plan }: SavedPlan,
  state: StateView,
  diagnostics: Diagnostics,
): void {
  const planned = plan.state;
  const lineage = state.origin?.lineage ?? null;
  if (isBehind(state, planned)) {
    diagnostics.addAt(
      "IVR628",
      { file },
      lineage === null
        ? "The plan was made from a state, but there is no state here."
        : `The plan was made from serial ${planned.serial} of the state, but this state is only at serial ${state.serial}.`,
      "Restore the newer state. This one does not have the menus that were created since. A new plan would create them again.",
    );
    return;
  }
  if (
    lineage !== planned.lineage ||
    state.serial !== planned.serial ||
    state.head !== planned.head
  ) {
    const message = `The plan is stale: ${differenceOf(state, planned)}.`;
    diagnostics.addAt("IVR622", { file }, message, again);
    return;
  }
  const flaw = flawOf(plan, state);
  if (flaw === undefined) return;
  diagnostics.addAt("IVR627", { file }, `The plan does not match the state: ${flaw}.`, again);
}

type PlannedState = PlanFile["plan"]["state"];

/** Whether the state is older than the one of the plan, or lost. A state only grows. */
function isBehind({ origin, serial }: StateView, planned: PlannedState): boolean {
  if (origin === null) return planned.lineage !== null;
  return origin.lineage === planned.lineage && serial < planned.serial;
}

function differenceOf({ origin, serial }: StateView, planned: PlannedState): string {
  const lineage = origin?.lineage ?? null;
  if (lineage !== planned.lineage) {
    return planned.lineage === null
      ? "there was no state when it was made, and now there is one"
      : `it was made from another state (lineage ${planned.lineage}, now ${lineage})`;
  }
  return serial === planned.serial
    ? "the state has changed since it was made (same serial, other events)"
    : `the state has changed since it was made (serial ${planned.serial}, now ${serial})`;
}

/** The files that differ from those of the plan. A pipeline may apply a plan without any menu files. */
function changedFiles(
  files: PlanFile["files"],
  config: Source | undefined,
  menus: readonly Source[],
): string[] {
  const changed: string[] = [];
  if (config !== undefined && sha256(config.text) !== files.config) {
    changed.push(`${config.file} has changed`);
  }
  if (menus.length === 0) return changed;
  const planned = new Map(files.menus.map(({ file, digest }) => [file, digest]));
  for (const { file, text } of menus) {
    const digest = planned.get(file);
    if (digest === undefined) changed.push(`${file} is new`);
    else if (digest !== sha256(text)) changed.push(`${file} has changed`);
    planned.delete(file);
  }
  return [...changed, ...[...planned.keys()].map((file) => `${file} was deleted`)];
}

/**
 * Makes the plan again and compares both. Files, state and agents are the same as before,
 * so a difference means that `ivrctl plan` did not write this file. The check is skipped
 * without menu files, or if a variable that they need is not set.
 */
function checkContent({ file, plan }: SavedPlan, input: PlanInput, diagnostics: Diagnostics): void {
  const { source, menus } = input.project;
  if (source === undefined || menus.length === 0 || plan.changes.length === 0) return;
  const targets = targetKeys(new Set(plan.changes.map(({ key }) => key)));
  const found = new Diagnostics();
  const current = planProject(input, { targets, maxCreates: undefined }, found)?.plan;
  if (current === undefined) {
    if (found.sorted().some(({ code }) => code === "IVR403")) return;
    diagnostics.addAll(found);
  }
  const expected = new Map(current?.changes.map((change) => [change.key, effectOf(change)]));
  const others = plan.changes.filter((change) => expected.get(change.key) !== effectOf(change));
  if (others.length === 0) return;
  const keys = listed(others.map(({ key }) => key));
  diagnostics.addAt("IVR627", { file }, `The plan does not match the files: ${keys}.`, again);
}

/** What a change does to the service and to the state. */
function effectOf(change: Change): string {
  const movedFrom = "movedFrom" in change ? change.movedFrom : null;
  return JSON.stringify([change.action, payloadsOf(change).after, movedFrom]);
}

const maxListed = 10;

function listed(parts: readonly string[]): string {
  const more = parts.length - maxListed;
  return more > 0 ? `${parts.slice(0, maxListed).join(", ")} and ${more} more` : parts.join(", ");
}
