import { readNamed } from "../../project/files.ts";
import type { ProjectPlace } from "../../project/open-project.ts";
import { Diagnostics } from "../../diagnostics/diagnostic.ts";
import type { Source } from "../../diagnostics/source.ts";
import type { PlanFile } from "../../schema/plan.ts";
import type { StateView } from "../state/state.ts";
import { agentFindings, describeFinding } from "./agent-findings.ts";
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

/** Reads a plan file. Undefined, and reported, if it is invalid. */
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
  diagnostics.addFile(reading.code, file, `${file} cannot be applied: ${reading.problem}.`, again);
  return undefined;
}

const again = "Make the plan again: ivrctl plan --out FILE";

/** The environment of the plan. It is an error if the user asked for another one. */
export function environmentOf(
  { plan, file }: SavedPlan,
  { globals, variables }: ProjectPlace,
  diagnostics: Diagnostics,
): string {
  const asked = globals.env ?? (variables["IVRCTL_ENV"] || undefined);
  if (asked !== undefined && asked !== plan.environment) {
    diagnostics.addFile(
      "IVR623",
      file,
      `The plan is for the environment ${plan.environment}, not for ${asked}.`,
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
    diagnostics.addFile(
      "IVR623",
      file,
      `The plan is for ${plan.address}, and the environment ${plan.environment} is now of ${endpoint.identity}.`,
      again,
    );
  }
  checkPlannedState(saved, state, diagnostics);
  const changed = changedFiles(files, project.source, project.menus);
  if (changed.length > 0) {
    diagnostics.addFile(
      "IVR624",
      file,
      `Since the plan was made, ${listed(changed)}.`,
      "Make the plan again, or check out the revision that it was made from.",
    );
  }
  const blocked = new Set(plan.blocked);
  for (const { key, after } of plan.changes.filter(isSending)) {
    for (const finding of agentFindings(after.naming, agents, blocked)) {
      if (finding.harmless) continue;
      const { place } = finding;
      diagnostics.addFile("IVR625", file, `${key}, ${place}: ${describeFinding(finding)}.`, again);
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
  const then = plan.state;
  const lineage = state.origin?.lineage ?? null;
  if (isBehind(state, then)) {
    diagnostics.addFile(
      "IVR628",
      file,
      lineage === null
        ? "The plan was made from a state that is not here."
        : `The plan was made from serial ${then.serial} of the state, and this one is at ${state.serial}.`,
      "Bring the later state back. What was created since is not on record here, and a new plan would create it again.",
    );
    return;
  }
  if (lineage !== then.lineage || state.serial !== then.serial || state.head !== then.head) {
    diagnostics.addFile(
      "IVR622",
      file,
      `The plan is of another moment: ${differenceOf(state, then)}. A plan is good for one apply.`,
      again,
    );
    return;
  }
  const flaw = flawOf(plan, state);
  if (flaw === undefined) return;
  diagnostics.addFile(
    "IVR627",
    file,
    `\`ivrctl plan\` cannot have made this plan from the state: ${flaw}.`,
    again,
  );
}

type PlannedState = PlanFile["plan"]["state"];

/** A state only grows. If it lacks what the plan was made from, it is an old copy, or was lost. */
function isBehind({ origin, serial }: StateView, then: PlannedState): boolean {
  if (origin === null) return then.lineage !== null;
  return origin.lineage === then.lineage && serial < then.serial;
}

function differenceOf({ origin, serial }: StateView, then: PlannedState): string {
  const lineage = origin?.lineage ?? null;
  if (lineage !== then.lineage) {
    return then.lineage === null
      ? "when it was made there was no state, and now there is one"
      : `this is another state (lineage ${lineage}, not ${then.lineage})`;
  }
  return serial === then.serial
    ? "the state has gone another way: its last events are others"
    : `the state has moved on from serial ${then.serial} to serial ${serial}`;
}

/** The files that differ from those that the plan was made from. A pipeline may apply without any menu file. */
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
  return [...changed, ...[...planned.keys()].map((file) => `${file} is gone`)];
}

/**
 * Makes the plan again and compares. Files, state and agents are the same as before, so a
 * difference means that `ivrctl plan` did not write this file. This cannot be checked
 * without the files, or if a variable that they need is not set.
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
  diagnostics.addFile(
    "IVR627",
    file,
    `The plan does not say what the files here make: ${listed(others.map(({ key }) => key))}.`,
    again,
  );
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
